// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page of experts: updated while it is visible, after each change of prompt and ablation; a click on an expert
// ablates or restores it. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/why/parts/whypage.h"

#include <QObject>

#include <array>

namespace headscope::gui {

class ExpertController : public QObject
{
    Q_OBJECT

public:
    ExpertController(WindowState& state, app::Door& door, widgets::WhyPage& page, QObject* parent);

    /// Writes the choices of all layers as lines of a table.
    [[nodiscard]] Result<void> write(Side side, const QString& path) const;
    /// Null: nothing.
    [[nodiscard]] std::shared_ptr<const app::ExpertsReply> shown(Side side) const { return m_shown[indexOf(side)]; }

private:
    void connectSide(Side side);
    /// Updates whether the page exists, and its layers and sides.
    void refreshPage();
    void refreshBoth();
    void refresh(Side side);
    /// Returns whether the known choices belong to the current state and prompt.
    [[nodiscard]] bool isCurrent(Side side) const;
    void show(Side side);
    void take(Side side, std::shared_ptr<const app::ExpertsReply> reply);
    void ablate(Side side, int expert, bool off);
    void save(Side side);

    WindowState& m_state;
    app::Door& m_door;
    widgets::WhyPage& m_why;
    widgets::ExpertPage& m_page;
    std::array<std::shared_ptr<const app::ExpertsReply>, 2> m_shown; ///< null: nothing
};

} // namespace headscope::gui

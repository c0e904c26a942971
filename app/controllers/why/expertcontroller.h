// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page of experts: asked for while it is seen, anew with each prompt and each ablation; a click on an expert
// ablates it or restores it. GUI thread.

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

    /// Choices of all layers, as lines of a table.
    [[nodiscard]] Result<void> write(Side side, const QString& path) const;

private:
    void connectSide(Side side);
    /// Whether there is a page at all, of which layers and sides.
    void refreshPage();
    void refreshBoth();
    void refresh(Side side);
    /// The known choices belong to the state and the prompt on the screen.
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

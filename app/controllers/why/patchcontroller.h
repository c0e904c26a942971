// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page of activation patching: started by the user, shown pair by pair, cleared with its prompt. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/why/patch/patchpage.h"

#include <QObject>

#include <array>

namespace headscope::gui {

class PatchController : public QObject
{
    Q_OBJECT

public:
    PatchController(WindowState& state, app::Door& door, widgets::PatchPage& page, QObject* parent);
    [[nodiscard]] std::shared_ptr<const app::PatchReply> shown(Side side) const { return m_shown[indexOf(side)]; }

    /// Patches in every open model.
    void start();

private:
    void start(Side side);
    /// Returns the chosen patching of this side's prompt; nothing without a model or a prompt.
    [[nodiscard]] std::optional<app::PatchQuestion> question(Side side) const;
    /// Requests the cost of a run, if the page is visible.
    void askCost(Side side);
    void stop();
    /// Clears results that belong to another prompt, model or ablation.
    void forget(Side side);
    void show(Side side, const std::shared_ptr<const app::PatchReply>& reply);
    /// Requests the joint effect of the selected cells.
    void look(Side side);
    void choose(Side side, int row, int column);

    WindowState& m_state;
    app::Door& m_door;
    widgets::PatchPage& m_page;
    std::array<std::shared_ptr<const app::PatchReply>, 2> m_shown; ///< null: nothing
};

} // namespace headscope::gui

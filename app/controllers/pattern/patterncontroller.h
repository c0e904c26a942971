// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The maps in the middle of the window: requests the selected ones from the worker and fills the two views. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/pattern/card/patternpage.h"

#include <QObject>

#include <array>

namespace headscope::gui {

class PatternController : public QObject
{
    Q_OBJECT

public:
    PatternController(WindowState& state, app::Door& door, widgets::PatternPage& page, QObject* parent);

private:
    void connectState();
    void connectView(Side side);
    void modelChanged(Side side);
    void ask(Side side);
    void arrived(Side side);
    void askRowOfHeads(Side side);
    void fill(Side side);
    void fillDifference();
    void showTag(Side side);
    void chooseHeadOfRow(Side side, int row);
    void arrange();
    [[nodiscard]] const SideState& at(Side side) const { return m_state.side(side); }
    [[nodiscard]] widgets::PatternView* view(Side side) const { return m_page.view(side); }

    WindowState& m_state;
    app::Door& m_door;
    widgets::PatternPage& m_page;
    std::array<std::shared_ptr<const app::RowOfHeads>, 2> m_heads; ///< one row of every head
};

} // namespace headscope::gui

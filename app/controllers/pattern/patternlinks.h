// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Links the two maps by their text: zoom, crosshair and locked row are applied to the other side. GUI thread.

#include "app/state/windowstate.h"
#include "widgets/pattern/card/patternpage.h"

#include <QObject>

namespace headscope::gui {

class PatternLinks : public QObject
{
    Q_OBJECT

public:
    PatternLinks(WindowState& state, widgets::PatternPage& page, QObject* parent);

Q_SIGNALS:
    /// The mouse is over this token of the map of `side`, with its partner on the other side; -1: none.
    void tokenPointedAt(headscope::Side side, int token, int partner);

private:
    void connectView(Side side);
    void lockRow(Side side, int row);
    [[nodiscard]] widgets::PatternView* view(Side side) const { return m_page.view(side); }
    /// Returns whether the maps are linked, which requires that each shows its own data.
    [[nodiscard]] bool linked() const;

    WindowState& m_state;
    widgets::PatternPage& m_page;
};

} // namespace headscope::gui

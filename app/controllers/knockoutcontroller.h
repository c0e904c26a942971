// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Edges that are knocked out of the head that is shown, its layer or the whole model: marked in the map or typed, then
// part of the side's ablation. GUI thread.

#include "app/state/windowstate.h"
#include "widgets/pattern/patternpage.h"

#include <QObject>

namespace headscope::widgets {
struct KnockoutChoice;
}

namespace headscope::gui {

class KnockoutController : public QObject
{
    Q_OBJECT

public:
    KnockoutController(WindowState& state, widgets::PatternPage& page, QObject* parent);

    /// Asks which, beginning with what the shown row reads of the piece that the answer comes from.
    void open(Side side);

private:
    void open(Side side, const widgets::KnockoutChoice& first);
    void apply(Side side, const interventions::HeadRef& head, const widgets::KnockoutChoice& choice);

    WindowState& m_state;
    widgets::PatternPage& m_page;
};

} // namespace headscope::gui

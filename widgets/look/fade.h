// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a click changes fades in, where the program and the desktop want motion. GUI thread.

#include <QVariantAnimation>

class QWidget;

namespace headscope::widgets {

/// 150 ms from what was shown to what is shown now.
class Fade
{
public:
    /// `over`: what is painted anew meanwhile.
    explicit Fade(QWidget* over);
    /// From what is shown at this moment. Nothing where there is no motion, and where nobody sees it.
    void begin();
    /// 0: what was before, 1: what is now, which is so while nothing fades.
    [[nodiscard]] double now() const;
    [[nodiscard]] bool running() const { return m_animation.state() == QAbstractAnimation::Running; }

    /// For all of the program; off at first, so that a picture of a widget is what it shows.
    static void setMotion(bool on);

private:
    QWidget* m_over;
    QVariantAnimation m_animation;
};

} // namespace headscope::widgets

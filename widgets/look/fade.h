// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fades from old to new content after a change, if the program and the desktop enable animations. GUI thread.

#include <QVariantAnimation>

class QWidget;

namespace headscope::widgets {

/// A cross-fade of 150 ms from the previous content to the new one.
class Fade
{
public:
    /// `over`: the widget to repaint meanwhile.
    explicit Fade(QWidget* over);
    /// Starts a fade from the current content. Has no effect if animations are off or the widget is hidden.
    void begin();
    /// Returns the progress from 0, the previous content, to 1, the new one; 1 while nothing fades.
    [[nodiscard]] double now() const;
    [[nodiscard]] bool running() const { return m_animation.state() == QAbstractAnimation::Running; }

    /// Enables animations for the whole program; off at first, so that a grabbed widget shows its final state.
    static void setMotion(bool on);

private:
    QWidget* m_over;
    QVariantAnimation m_animation;
};

} // namespace headscope::widgets

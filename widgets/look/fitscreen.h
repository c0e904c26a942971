// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Limits windows to the size of their screen. GUI thread.

#include <QScreen>
#include <QWidget>

namespace headscope::widgets {

/// Resizes a window to `wanted`, at most to the screen without the window frame: a projector has 720 lines.
inline void resizeWithinScreen(QWidget& window, const QSize& wanted)
{
    constexpr QSize kFrame(40, 60);
    window.resize(wanted.boundedTo(window.screen()->availableSize() - kFrame));
}

/// Returns the first size of the program's window: at most nine tenths of the screen, to leave room for the frame.
[[nodiscard]] inline QSize firstSize(const QSize& available)
{
    return QSize(1440, 900).boundedTo(available * 9 / 10);
}

/// Scales a size chosen on a screen of size `there` (empty: unknown) to the same share of this screen.
[[nodiscard]] inline QSize sizeOnScreen(const QSize& chosen, const QSize& there, const QSize& available)
{
    if (there.isEmpty() || there == available)
        return chosen.boundedTo(available);
    return {chosen.width() * available.width() / there.width(), chosen.height() * available.height() / there.height()};
}

} // namespace headscope::widgets

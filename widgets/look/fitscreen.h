// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Windows that are no larger than the screen that they open on. GUI thread.

#include <QScreen>
#include <QWidget>

namespace headscope::widgets {

/// Resizes a window to its wanted size, or to what the screen leaves beside the frame: a projector has 720 lines.
inline void resizeWithinScreen(QWidget& window, const QSize& wanted)
{
    constexpr QSize kFrame(40, 60);
    window.resize(wanted.boundedTo(window.screen()->availableSize() - kFrame));
}

/// The first size of the program's window: at most nine tenths of the screen, so that frame and bottom line are inside.
[[nodiscard]] inline QSize firstSize(const QSize& available)
{
    return QSize(1440, 900).boundedTo(available * 9 / 10);
}

/// A size that was chosen on a screen of another size (empty: not known) is the same part of this one.
[[nodiscard]] inline QSize sizeOnScreen(const QSize& chosen, const QSize& there, const QSize& available)
{
    if (there.isEmpty() || there == available)
        return chosen.boundedTo(available);
    return {chosen.width() * available.width() / there.width(), chosen.height() * available.height() / there.height()};
}

} // namespace headscope::widgets

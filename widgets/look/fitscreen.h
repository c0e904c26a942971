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

} // namespace headscope::widgets

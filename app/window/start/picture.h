// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A picture of the window made by the program itself, for the README: opens, ablates heads, waits until every
// number is in, grabs, quits. GUI thread.

#include "app/window/mainwindow.h"

namespace headscope::gui {

struct PictureOptions {
    QString file;     ///< PNG to write
    QString ablation; ///< ablated in A after the baseline is in
    QStringList acts; ///< "continue", "removal", "flips", "tour=one-head": done one after the other
    QSize size{1440, 900};
};

/// Ends the application with exit code 0 when the picture is written, 1 when it cannot be.
void takePicture(MainWindow& window, const PictureOptions& options);

} // namespace headscope::gui

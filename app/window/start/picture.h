// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Takes a picture of the window, for the README: opens models, ablates heads, waits until every result is complete,
// saves the picture, quits. GUI thread.

#include "app/window/mainwindow.h"

namespace headscope::gui {

struct PictureOptions {
    QString file;     ///< PNG file to write
    QString ablation; ///< ablated in A once the baseline is known
    QStringList acts; ///< "continue", "removal", "flips", "tour=one-head": performed one after the other
    QSize size{1440, 900};
};

/// Ends the application with exit code 0 once the picture is written, or 1 if it cannot be.
void takePicture(MainWindow& window, const PictureOptions& options);

} // namespace headscope::gui

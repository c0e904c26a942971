// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Saves painted content as a picture file: PDF and SVG with real text, PNG at twice the size. GUI thread.

#include "core/base/result.h"

#include <QByteArray>
#include <QColor>
#include <QSize>
#include <QString>

#include <functional>

class QPainter;

namespace headscope::widgets {

struct Picture {
    QSize size; ///< on screen
    QString title;
    QColor background;                                   ///< of a PNG
    std::function<void(QPainter&, const QSizeF&)> paint; ///< paints into a rectangle of this size
};

/// Returns the content of a file with this suffix: svg, pdf, otherwise png.
[[nodiscard]] QByteArray pictureBytes(const Picture& picture, const QString& suffix);
/// Calls writeFile() with a QByteArray and a QString.
[[nodiscard]] Result<void> writeBytes(const QByteArray& bytes, const QString& path);

} // namespace headscope::widgets

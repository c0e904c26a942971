// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is painted on the screen as a picture in a file: PDF and SVG with real text, PNG at twice the size. GUI thread.

#include "core/base/result.h"

#include <QByteArray>
#include <QColor>
#include <QSize>
#include <QString>

#include <functional>

class QPainter;

namespace headscope::widgets {

struct Picture {
    QSize size; ///< on the screen
    QString title;
    QColor background;                                   ///< of a PNG
    std::function<void(QPainter&, const QSizeF&)> paint; ///< into a rectangle of this size
};

/// The bytes of a file with this suffix: svg, pdf, else png.
[[nodiscard]] QByteArray pictureBytes(const Picture& picture, const QString& suffix);
/// writeFile() for what Qt makes.
[[nodiscard]] Result<void> writeBytes(const QByteArray& bytes, const QString& path);

} // namespace headscope::widgets

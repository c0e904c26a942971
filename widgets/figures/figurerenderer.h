// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Renders figures as PDF, SVG and PNG files, byte for byte the same each time. GUI thread of any QGuiApplication,
// including the offscreen platform.

#include "core/base/result.h"
#include "widgets/figures/figure.h"

#include <QByteArray>
#include <QImage>

namespace headscope::widgets {

enum class FigureFormat { Pdf, Svg, Png };

/// Returns the format for the suffix of the path. Fails for suffixes other than pdf, svg, png.
[[nodiscard]] Result<FigureFormat> figureFormatOf(const QString& path);

/// Returns the size on paper.
[[nodiscard]] QSizeF figureSizeMm(const Figure& figure, const FigureStyle& style);

/// Returns the content of the file: real text, vector axes, maps as exact-pixel images (one pixel per cell, lossless).
/// Dates and other run-dependent bytes are set to fixed values. Title and provenance are in the file's metadata (PDF
/// title, SVG title and description, PNG text chunks). Fails for a width outside 30 to 2000 mm, a dpi outside 30 to
/// 2400, or a figure without content.
[[nodiscard]] Result<QByteArray> renderFigure(const Figure& figure, const FigureStyle& style, FigureFormat format);

/// Writes a picture, or for csv, tex and md the numbers (figuretext.h). If the disk is full, an existing file is kept.
[[nodiscard]] Result<void> writeFigure(const Figure& figure, const FigureStyle& style, const QString& path);

/// A small picture of what it shows, without words around it; of a high figure the upper part. Any thread.
[[nodiscard]] QImage figurePreview(const Figure& figure, const QSize& pixels);

/// For live previews: the figure with 1/100 mm scaled to fit `target`.
void paintFigure(QPainter& painter, const Figure& figure, const FigureStyle& style, const QRectF& target);

} // namespace headscope::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Figures as PDF, SVG and PNG files that are the same byte for byte each time. GUI thread of any QGuiApplication,
// the offscreen platform included.

#include "core/base/result.h"
#include "widgets/figures/figure.h"

#include <QByteArray>

namespace headscope::widgets {

enum class FigureFormat { Pdf, Svg, Png };

/// By the suffix of the path; fails for any other than pdf, svg, png.
[[nodiscard]] Result<FigureFormat> figureFormatOf(const QString& path);

/// Size on paper.
[[nodiscard]] QSizeF figureSizeMm(const Figure& figure, const FigureStyle& style);

/// The file's content: real text, vector axes, maps as exact-pixel images (one pixel a cell, lossless). Dates and other
/// run-dependent bytes are set to fixed values. Title and provenance are in the file's own metadata (PDF title, SVG
/// title and description, PNG text chunks). Fails for a width outside 30 to 2000 mm, a dpi outside 30 to 2400, or a
/// figure without content.
[[nodiscard]] Result<QByteArray> renderFigure(const Figure& figure, const FigureStyle& style, FigureFormat format);

/// Writes a picture, or for csv, tex and md the numbers (figuretext.h); a full disk leaves the earlier figure.
[[nodiscard]] Result<void> writeFigure(const Figure& figure, const FigureStyle& style, const QString& path);

/// For live previews: the figure with 1/100 mm scaled to fit `target`.
void paintFigure(QPainter& painter, const Figure& figure, const FigureStyle& style, const QRectF& target);

} // namespace headscope::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Formats the numbers of a figure: CSV for programs, LaTeX and Markdown for papers. Pure functions; any thread.

#include "core/base/result.h"
#include "widgets/figures/figure.h"

#include <QByteArray>

namespace headscope::widgets {

enum class FigureText { Csv, Latex, Markdown };

/// Returns the format for the suffix of the path: csv, tex or md; empty for any other.
[[nodiscard]] std::optional<FigureText> figureTextOf(const QString& path);

/// Returns the numbers as text. CSV (RFC 4180): every number drawn, with all digits, one block of lines per panel, each
/// with its own header; the first lines, which begin with '#', are the title and the provenance. LaTeX (booktabs) and
/// Markdown: the figure's tables, lines and bars with the digits that a reader needs; maps with more than 30 cells per
/// side only in CSV. Fails if there is nothing to write.
[[nodiscard]] Result<QByteArray> figureText(const Figure& figure, FigureText format);

} // namespace headscope::widgets

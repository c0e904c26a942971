// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The numbers of a figure as text: CSV for programs, LaTeX and Markdown for papers. Pure functions; any thread.

#include "core/base/result.h"
#include "widgets/figures/figure.h"

#include <QByteArray>

namespace headscope::widgets {

enum class FigureText { Csv, Latex, Markdown };

/// By the suffix of the path: csv, tex or md; empty for any other.
[[nodiscard]] std::optional<FigureText> figureTextOf(const QString& path);

/// CSV (RFC 4180): every number drawn, with all its digits, a block of lines a panel, each under its own header; the
/// first lines, which begin with '#', are the title and the provenance. LaTeX (booktabs) and Markdown: the figure's
/// tables, lines and bars with the digits that a reader needs; maps of more than 30 cells a side are left to CSV. Fails
/// where nothing is left to write.
[[nodiscard]] Result<QByteArray> figureText(const Figure& figure, FigureText format);

} // namespace headscope::widgets

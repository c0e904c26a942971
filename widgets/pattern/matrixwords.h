// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Describes the values of a head's matrix in the language of the window: the text above a map and in a figure. Pure
// functions; any thread.

#include "core/analysis/convention.h"

#include <QStringList>

namespace headscope::widgets {

/// Returns "softmax attention (rows sum to 1)", "hidden attention, with D (signed, rows do not sum to 1)".
[[nodiscard]] QString matrixWords(const analysis::MatrixConvention& convention);

/// Returns the same for the shares of each row, from that text: "|hidden attention| ÷ row sum, with D".
[[nodiscard]] QString sharesWords(const QString& words, bool isSigned);

/// Returns that text, followed by shorter forms for narrow places: without brackets, with M for the hidden attention,
/// without the intervention on the head.
[[nodiscard]] QStringList shorterWords(const QString& words);

} // namespace headscope::widgets

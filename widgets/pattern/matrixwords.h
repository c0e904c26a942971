// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the cells of a head's matrix are, in the language of the window: the words above a map and in a figure. Pure
// functions; any thread.

#include "core/analysis/convention.h"

#include <QStringList>

namespace headscope::widgets {

/// "softmax attention (rows sum to 1)", "hidden attention, with D (signed, rows do not sum to 1)".
[[nodiscard]] QString matrixWords(const analysis::MatrixConvention& convention);

/// The same of the shares of each row, from those words: "|hidden attention| ÷ row sum, with D".
[[nodiscard]] QString sharesWords(const QString& words, bool isSigned);

/// These words, and what stands for them in a narrow place: without brackets, with M for the hidden attention, without
/// what was done to the head.
[[nodiscard]] QStringList shorterWords(const QString& words);

} // namespace headscope::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How numbers are written everywhere in the window: one place, so that a score reads the same in every region. Any
// thread.

#include <QString>

namespace headscope::widgets {

/// Fixed decimals with a true minus sign; "—" for NaN.
[[nodiscard]] QString numberText(double value, int decimals = 2);
/// Same with the sign always written; plain zero for what rounds to zero.
[[nodiscard]] QString signedText(double value, int decimals = 2);
/// Fixed decimals, "5.9e9" from ten thousand on: a perplexity may be of any size and its column may not.
[[nodiscard]] QString scoreText(double value, int decimals);
[[nodiscard]] QString signedScoreText(double value, int decimals);
/// Three significant digits for values of unknown size.
[[nodiscard]] QString compactText(double value);
/// A probability in whole per cent: "93 %", "<1 %".
[[nodiscard]] QString percentText(double probability);
/// A p value: "1.0", "0.012", "1e-74"; "< 1e-300" for an underflow.
[[nodiscard]] QString pText(double p);
/// "9 s", "3 min", "1 h 20 min".
[[nodiscard]] QString durationText(double seconds);
/// "1.2 GB": decimal units.
[[nodiscard]] QString bytesText(double bytes);

/// The step of an axis: 1, 2 or 5 times a power of ten that cuts a span > 0 into at most `parts`; 1 for any other span.
[[nodiscard]] double niceStep(double span, int parts);
/// How many decimals the numbers along it need.
[[nodiscard]] int decimalsOfStep(double step);

} // namespace headscope::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Formats numbers for the whole window, in one place, so that they look the same in every locale. Any
// thread.

#include <QString>

namespace headscope::widgets {

/// Returns fixed decimals with a true minus sign; "—" for NaN.
[[nodiscard]] QString numberText(double value, int decimals = 2);
/// The same with a sign for every value; plain zero for values that round to zero.
[[nodiscard]] QString signedText(double value, int decimals = 2);
/// Returns fixed decimals, "5.9e9" from ten thousand on: a perplexity can be arbitrarily large, its column cannot.
[[nodiscard]] QString scoreText(double value, int decimals);
[[nodiscard]] QString signedScoreText(double value, int decimals);
/// Returns three significant digits, for values of unknown magnitude.
[[nodiscard]] QString compactText(double value);
/// Returns a probability in whole per cent: "93 %", "<1 %".
[[nodiscard]] QString percentText(double probability);
/// Returns a p-value: "1.0", "0.012", "1e-74"; "< 1e-300" for an underflow.
[[nodiscard]] QString pText(double p);
/// Returns a duration: "9 s", "3 min", "1 h 20 min".
[[nodiscard]] QString durationText(double seconds);
/// Returns a size: "1.2 GB", in decimal units.
[[nodiscard]] QString bytesText(double bytes);

/// Returns the step of an axis: 1, 2 or 5 times a power of ten that divides a span > 0 into at most `parts`; else 1.
[[nodiscard]] double niceStep(double span, int parts);
/// Returns the number of decimals needed for labels at this step.
[[nodiscard]] int decimalsOfStep(double step);

} // namespace headscope::widgets

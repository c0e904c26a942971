// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Formats tables and numbers for a terminal. Pure functions; any thread.

#include "core/analysis/statistics.h"
#include "core/base/words/counted.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace headscope::cli {

/// Returns columns padded to their widest cell, two blanks apart; the first is left-aligned, the others right-aligned.
/// The first row is the header. Every line ends with a newline.
[[nodiscard]] std::string textTable(const std::vector<std::vector<std::string>>& rows);

/// Returns four decimals.
[[nodiscard]] std::string number(double value);
/// Returns the number with its sign: "-0.9883"; zero has none.
[[nodiscard]] std::string signedNumber(double value);
/// Returns "[-0.9961, -0.9725]"; "-" if the values had no variance.
[[nodiscard]] std::string intervalText(const analysis::Interval& interval);
/// Returns both ends of an interval, or null.
[[nodiscard]] nlohmann::json intervalJson(const analysis::Interval& interval);
/// Applies intervalText() to the result of intervalJson().
[[nodiscard]] std::string intervalCell(const nlohmann::json& interval);
/// Returns "0.031", "3e-12".
[[nodiscard]] std::string pText(double p);

} // namespace headscope::cli

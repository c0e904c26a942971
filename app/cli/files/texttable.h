// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tables and numbers for people on a terminal. Pure functions; any thread.

#include "core/analysis/statistics.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace headscope::cli {

/// Columns padded to their widest cell and two blanks apart; the first is left-aligned, the others right-aligned.
/// The first row is the header. Every line ends with a newline.
[[nodiscard]] std::string textTable(const std::vector<std::vector<std::string>>& rows);

/// Four decimals.
[[nodiscard]] std::string number(double value);
/// With its sign: "-0.9883"; zero has none.
[[nodiscard]] std::string signedNumber(double value);
/// "[-0.9961, -0.9725]"; "-" where the values had no spread.
[[nodiscard]] std::string intervalText(const analysis::Interval& interval);
/// Its two ends, or null.
[[nodiscard]] nlohmann::json intervalJson(const analysis::Interval& interval);
/// intervalText() of what intervalJson() returned.
[[nodiscard]] std::string intervalCell(const nlohmann::json& interval);
/// "0.031", "3e-12"
[[nodiscard]] std::string pText(double p);

} // namespace headscope::cli

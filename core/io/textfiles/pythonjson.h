// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// JSON as written by Python: models' configuration files contain `Infinity` and `NaN`, which are not valid JSON. Any
// thread.

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace headscope::io {

/// The value for `Infinity`: a valid JSON number, so that a rewritten configuration is also valid.
inline constexpr double kInfinityRead = 1e308;

/// Parses configuration files (config.json, generation_config.json, tokenizer_config.json, special_tokens_map.json).
/// `Infinity` and `-Infinity` become kInfinityRead with their sign, `NaN` a number that is NaN, and a byte order mark
/// at the start is skipped. A comment, nesting deeper than 64 levels and anything else that JSON does not allow fails;
/// the message has no subject ("is not valid JSON at byte 12 ...").
[[nodiscard]] Result<nlohmann::json> parsePythonJson(std::string_view text);

} // namespace headscope::io

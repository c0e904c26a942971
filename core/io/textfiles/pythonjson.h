// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// JSON as Python writes it: the configuration files of models hold `Infinity` and `NaN`, which JSON does not know. Any
// thread.

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace headscope::io {

/// What `Infinity` is read as: a number of JSON, so that what is written of a configuration is a number too.
inline constexpr double kInfinityRead = 1e308;

/// Parses configuration files (config.json, generation_config.json, tokenizer_config.json, special_tokens_map.json).
/// `Infinity` and `-Infinity` are read as kInfinityRead with their sign, `NaN` as a number that is none, a byte order
/// mark at the start is skipped. A comment, deeper nesting than 64 levels and everything else that JSON does not allow
/// fails; the message has no subject ("is not valid JSON at byte 12 ...").
[[nodiscard]] Result<nlohmann::json> parsePythonJson(std::string_view text);

} // namespace headscope::io

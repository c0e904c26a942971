// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// JSON with the strictness that files from strangers need: no duplicate keys, bounded depth. For the readers of core.
// Any thread.

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace headscope::io {

/// Levels of nesting after which a text is refused.
inline constexpr int kMaxJsonDepth = 64;

/// Refuses what the JSON library is lenient about: NUL bytes (it takes them as the end) and a byte order mark.
/// The message is a clause that follows the name of the text.
[[nodiscard]] Result<void> checkJsonBytes(std::string_view text);

/// Parses a whole text; duplicate keys in any object and nesting beyond kMaxJsonDepth are errors.
/// The message is a clause that follows the name of the text.
[[nodiscard]] Result<nlohmann::json> parseStrictJson(std::string_view text);

} // namespace headscope::io

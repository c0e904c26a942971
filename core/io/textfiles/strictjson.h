// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// JSON with the strictness needed for untrusted files: no duplicate keys, bounded depth. For the readers of core. Any
// thread.

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace headscope::io {

/// Maximum nesting depth of accepted text.
inline constexpr int kMaxJsonDepth = 64;

/// Rejects what the JSON library tolerates: NUL bytes (which it treats as the end) and a byte order mark. The message
/// is a clause that follows the name of the text.
[[nodiscard]] Result<void> checkJsonBytes(std::string_view text);

/// Parses a whole text; duplicate keys in any object and nesting beyond kMaxJsonDepth are errors.
/// The message is a clause that follows the name of the text.
[[nodiscard]] Result<nlohmann::json> parseStrictJson(std::string_view text);

} // namespace headscope::io

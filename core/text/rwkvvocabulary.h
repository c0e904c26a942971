// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The vocabulary file of the RWKV World tokenizer: lines of an id, a token as Python writes it, and the token's bytes
// counted, as in "257 '\x00\x00' 2" or "129 b'\x80' 1". Any thread.

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::text {

/// Tokens as their bytes, with their ids. Fails with the line's number for one that is not of this form.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::int64_t>>> readRwkvVocabulary(std::string_view file);

} // namespace headscope::text

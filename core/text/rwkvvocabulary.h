// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The vocabulary file of the RWKV World tokenizer: lines of an id, a token as a Python literal, and the number of the
// token's bytes, as in "257 '\x00\x00' 2" or "129 b'\x80' 1". Any thread.

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::text {

/// Returns tokens as bytes, with their ids. Fails with the line number for a line of another form.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::int64_t>>> readRwkvVocabulary(std::string_view file);

} // namespace headscope::text

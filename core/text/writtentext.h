// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tokens as the text that they stand for, not as a vocabulary spells them. Pure functions; any thread.

#include "core/text/tokenizer.h"

#include <string>
#include <string_view>
#include <vector>

namespace headscope::text {

/// What each token writes of `text`. Bytes that are no character of their own, because a character lies in several
/// tokens, stand as \xNN. A token that is not of the text (a start token) keeps its own spelling.
[[nodiscard]] std::vector<std::string> writtenTexts(std::string_view text, const Encoding& encoding);

/// The same of any bytes.
[[nodiscard]] std::string withEscapedBytes(std::string_view bytes);

} // namespace headscope::text

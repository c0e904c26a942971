// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tokens as the text that they stand for rather than a vocabulary's spelling. Pure functions; any thread.

#include "core/text/tokenizer.h"

#include <string>
#include <string_view>
#include <vector>

namespace headscope::text {

/// Returns the part of `text` that each token covers, in visible form (core/base/printable.h). A token that is part of
/// a character is shown as bytes, `<0xE6>`. A token outside the text (a start token) keeps its own spelling.
[[nodiscard]] std::vector<std::string> writtenTexts(std::string_view text, const Encoding& encoding);

/// Returns a token's own text, in visible form; if it has none, the vocabulary's spelling.
[[nodiscard]] std::string writtenText(const Tokenizer& tokenizer, int id);

} // namespace headscope::text

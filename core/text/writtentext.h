// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tokens as the text that they stand for, not as a vocabulary spells them. Pure functions; any thread.

#include "core/text/tokenizer.h"

#include <string>
#include <string_view>
#include <vector>

namespace headscope::text {

/// What each token writes of `text`, in its visible form (core/base/printable.h). A token that is a part of a character
/// is its bytes, `<0xE6>`. A token that is not of the text (a start token) keeps its own spelling.
[[nodiscard]] std::vector<std::string> writtenTexts(std::string_view text, const Encoding& encoding);

/// What a token writes by itself, in its visible form; where it writes nothing, as the vocabulary spells it.
[[nodiscard]] std::string writtenText(const Tokenizer& tokenizer, int id);

} // namespace headscope::text

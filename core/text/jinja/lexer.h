// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A template's source as tokens, white space around tags removed as Jinja does with trim_blocks and lstrip_blocks.
// Private to core/text/jinja.

#include <string>
#include <string_view>
#include <vector>

namespace headscope::text::jinja {

struct Token {
    enum class Kind { Data, BlockBegin, BlockEnd, PrintBegin, PrintEnd, Name, String, Integer, Float, Operator, End };
    Kind kind = Kind::End;
    std::string text; ///< of a string what it stands for
    int line = 1;
};

/// Ends with an End token. Throws Failure.
[[nodiscard]] std::vector<Token> tokenize(std::string_view source);

} // namespace headscope::text::jinja

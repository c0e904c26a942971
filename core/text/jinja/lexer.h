// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Splits a template's source into tokens and removes white space around tags like Jinja with trim_blocks and
// lstrip_blocks. Private to core/text/jinja.

#include <string>
#include <string_view>
#include <vector>

namespace headscope::text::jinja {

struct Token {
    enum class Kind { Data, BlockBegin, BlockEnd, PrintBegin, PrintEnd, Name, String, Integer, Float, Operator, End };
    Kind kind = Kind::End;
    std::string text; ///< for a string its value
    int line = 1;
};

/// Returns the tokens, ending with End. Throws Failure.
[[nodiscard]] std::vector<Token> tokenize(std::string_view source);

} // namespace headscope::text::jinja

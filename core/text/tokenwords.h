// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Joins tokens into their text: those of most vocabularies include the space before a word, those of word-level
// vocabularies do not. Pure; any thread.

#include <algorithm>
#include <span>
#include <string>

namespace headscope::text {

/// Returns whether the tokens include the spaces of their text; otherwise one belongs between any two.
[[nodiscard]] inline bool haveSpaces(std::span<const std::string> tokens)
{
    return std::ranges::any_of(tokens, [](const std::string& token) { return token.size() > 1 && token[0] == ' '; });
}

/// Returns the tokens as one text.
[[nodiscard]] inline std::string asText(std::span<const std::string> tokens)
{
    const bool spaces = haveSpaces(tokens);
    std::string text;
    for (const std::string& token : tokens)
        text += (spaces || text.empty() ? "" : " ") + token;
    return text;
}

} // namespace headscope::text

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tokens side by side as the text that they are: those of most vocabularies carry the space before a word, those of
// words alone do not. Pure; any thread.

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace headscope::text {

/// Whether the tokens have the spaces of their text; else one belongs between any two.
[[nodiscard]] inline bool haveSpaces(std::span<const std::string> tokens)
{
    return std::ranges::any_of(tokens, [](const std::string& token) { return token.size() > 1 && token[0] == ' '; });
}

/// The tokens as one text.
[[nodiscard]] inline std::string asText(std::span<const std::string> tokens)
{
    const bool spaces = haveSpaces(tokens);
    std::string text;
    for (const std::string& token : tokens)
        text += (spaces || text.empty() ? "" : " ") + token;
    return text;
}

} // namespace headscope::text

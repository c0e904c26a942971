// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Numbers of things in English sentences. Pure function; any thread.

#include <concepts>
#include <string>
#include <string_view>

namespace headscope {

/// Returns "1 prompt", "3 prompts". `many`: another plural, for "1 analysis is", "3 analyses are".
[[nodiscard]] std::string counted(std::integral auto count, std::string_view one, std::string_view many = {})
{
    std::string text = std::to_string(count) + " ";
    if (count == 1)
        return text.append(one);
    return many.empty() ? text.append(one) + "s" : text.append(many);
}

} // namespace headscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The role of a segment of a prompt, for brackets under the pattern view and gather and aggregate scores. Any thread.

#include <optional>
#include <string_view>

namespace headscope {

enum class Role { Key, Value, Query, Question, Option, Answer };

inline constexpr Role kRoles[] = {Role::Key, Role::Value, Role::Query, Role::Question, Role::Option, Role::Answer};

/// Returns the spelling in files: "key", "value", ...
[[nodiscard]] constexpr const char* name(Role role)
{
    switch (role) {
    case Role::Key: return "key";
    case Role::Value: return "value";
    case Role::Query: return "query";
    case Role::Question: return "question";
    case Role::Option: return "option";
    case Role::Answer: return "answer";
    }
    return "";
}

/// Returns whether a segment may contain the answer: it counts as "the answer" if it is the target.
[[nodiscard]] constexpr bool holdsAnswer(Role role)
{
    return role == Role::Value || role == Role::Option || role == Role::Answer;
}

[[nodiscard]] constexpr std::optional<Role> parseRole(std::string_view text)
{
    for (const Role role : kRoles)
        if (text == name(role))
            return role;
    return std::nullopt;
}

} // namespace headscope

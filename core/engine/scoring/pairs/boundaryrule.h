// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The rule for scored tokens when a tokenizer merges across context and continuation. Any thread.

#include <string_view>

namespace headscope::engine {

/// Which tokens of context + continuation are scored.
enum class Boundary {
    Harness,      ///< those after the context's own token count, as in the reference harness
    CommonPrefix, ///< those after the longest common prefix of both; the shortest one over all choices of a context
};

/// "harness", "common-prefix"
[[nodiscard]] constexpr const char* name(Boundary boundary)
{
    return boundary == Boundary::Harness ? "harness" : "common-prefix";
}

/// Returns the rule of that name; the harness's rule for any other name.
[[nodiscard]] constexpr Boundary boundaryNamed(std::string_view name)
{
    return name == engine::name(Boundary::CommonPrefix) ? Boundary::CommonPrefix : Boundary::Harness;
}

/// Returns whether the rows of a task of this version are scored from the longest common prefix.
[[nodiscard]] constexpr bool isFromCommonPrefix(std::string_view taskVersion)
{
    return taskVersion.ends_with(name(Boundary::CommonPrefix));
}

} // namespace headscope::engine

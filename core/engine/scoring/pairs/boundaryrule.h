// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The rule by which tokens are scored where a tokenizer merges across context and continuation. Any thread.

#include <string_view>

namespace headscope::engine {

/// Which tokens of context + continuation are scored.
enum class Boundary {
    Harness,      ///< those past the number of the context's own tokens, as the reference harness does
    CommonPrefix, ///< those past the longest common prefix of both; of all choices of one context the shortest
};

/// "harness", "common-prefix"
[[nodiscard]] constexpr const char* name(Boundary boundary)
{
    return boundary == Boundary::Harness ? "harness" : "common-prefix";
}

/// The rule of that name; any other name is the harness's rule.
[[nodiscard]] constexpr Boundary boundaryNamed(std::string_view name)
{
    return name == engine::name(Boundary::CommonPrefix) ? Boundary::CommonPrefix : Boundary::Harness;
}

/// Whether the rows of a task of this version are scored from the longest common prefix.
[[nodiscard]] constexpr bool isFromCommonPrefix(std::string_view taskVersion)
{
    return taskVersion.ends_with(name(Boundary::CommonPrefix));
}

} // namespace headscope::engine

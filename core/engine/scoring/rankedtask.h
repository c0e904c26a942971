// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The name under which a ranking is stored: that of its task, and of the boundary rule if it is not the reference
// harness's. Any thread.

#include <optional>
#include <string>
#include <string_view>

namespace headscope::engine {

inline constexpr std::string_view kFromCommonPrefix = "; common prefix";

/// Returns "toy_kv:pairs=8", or "toy_kv:pairs=8; common prefix".
[[nodiscard]] inline std::string rankedTask(const std::string& task, bool fromCommonPrefix)
{
    return fromCommonPrefix ? task + std::string(kFromCommonPrefix) : task;
}

/// Returns the task of such a name; nothing if the rule is the harness's.
[[nodiscard]] inline std::optional<std::string> taskFromCommonPrefix(std::string_view ranked)
{
    if (!ranked.ends_with(kFromCommonPrefix))
        return std::nullopt;
    return std::string(ranked.substr(0, ranked.size() - kFromCommonPrefix.size()));
}

} // namespace headscope::engine

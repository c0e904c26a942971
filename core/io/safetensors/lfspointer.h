// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The placeholder of a large file in a repository cloned without `git lfs`. Any thread.

#include <string_view>

namespace headscope::io {

/// Returns whether a file with this beginning is a Git LFS pointer rather than the file itself.
[[nodiscard]] inline bool isLfsPointer(std::string_view start)
{
    return start.starts_with("version https://git-lfs.github.com/spec/");
}

} // namespace headscope::io

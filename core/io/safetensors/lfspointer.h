// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What lies in place of a large file where a repository was cloned without `git lfs`. Any thread.

#include <string_view>

namespace headscope::io {

/// Whether a file that begins so is a Git LFS pointer and not the file itself.
[[nodiscard]] inline bool isLfsPointer(std::string_view start)
{
    return start.starts_with("version https://git-lfs.github.com/spec/");
}

} // namespace headscope::io

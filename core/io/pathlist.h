// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// User-selected paths, stored in a file that both programs read. Any thread.

#include "core/base/result.h"

#include <filesystem>
#include <vector>

namespace headscope::io {

/// Return the program's folders in the user's; empty if the environment defines neither the folder nor a home.
[[nodiscard]] std::filesystem::path configFolder();
[[nodiscard]] std::filesystem::path cacheFolder();
[[nodiscard]] std::filesystem::path dataFolder();
/// Returns the folder in the cache for quantized weights, or an empty path.
[[nodiscard]] std::filesystem::path packedFolder();

/// One path per line, the newest first. The file is not trusted: relative paths and excess lines are
/// ignored.
class PathList
{
public:
    static constexpr std::size_t kMost = 500;

    /// `file` empty: nothing is stored.
    explicit PathList(std::filesystem::path file) : m_file(std::move(file)) {}

    /// Empty also for a file that cannot be read; changes fail then, so that nothing in it is lost.
    [[nodiscard]] std::vector<std::filesystem::path> read() const;
    /// Moves a path to the front, made absolute and without "..", textually: links are not followed.
    [[nodiscard]] Result<void> add(const std::filesystem::path& path) const;
    [[nodiscard]] Result<void> remove(const std::filesystem::path& path) const;

private:
    [[nodiscard]] Result<std::vector<std::filesystem::path>> readable() const;
    [[nodiscard]] Result<void> write(const std::vector<std::filesystem::path>& paths) const;
    std::filesystem::path m_file;
};

} // namespace headscope::io

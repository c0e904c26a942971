// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Paths that a person chose, kept from day to day in a file that both programs read. Any thread.

#include "core/base/result.h"

#include <filesystem>
#include <vector>

namespace headscope::io {

/// The program's own folders below the person's; empty where the environment names neither the folder nor a home.
[[nodiscard]] std::filesystem::path configFolder();
[[nodiscard]] std::filesystem::path cacheFolder();
[[nodiscard]] std::filesystem::path dataFolder();

/// One path a line, the newest first. Nobody else's writing is trusted to be short or whole: relative paths and what
/// is too much are left out.
class PathList
{
public:
    static constexpr std::size_t kMost = 500;

    /// `file` empty: nothing is kept.
    explicit PathList(std::filesystem::path file) : m_file(std::move(file)) {}

    [[nodiscard]] std::vector<std::filesystem::path> read() const;
    /// To the front, made absolute and without "..", as the text says: no link is followed.
    [[nodiscard]] Result<void> add(const std::filesystem::path& path) const;
    [[nodiscard]] Result<void> remove(const std::filesystem::path& path) const;

private:
    [[nodiscard]] Result<void> write(const std::vector<std::filesystem::path>& paths) const;
    std::filesystem::path m_file;
};

} // namespace headscope::io

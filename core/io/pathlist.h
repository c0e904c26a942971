// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Paths that a person chose, kept from day to day in a file that both programs read. Any thread.

#include "core/base/result.h"

#include <filesystem>
#include <vector>

namespace headscope::io {

/// <config>/headscope of the person; empty where the environment names none.
[[nodiscard]] std::filesystem::path configFolder();

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

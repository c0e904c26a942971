// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A regular file of unknown origin, opened for random-access reading. One thread at a time.

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace headscope::io {

/// Returns "the link leads to 'X', which does not exist" for a broken link; otherwise an empty string.
[[nodiscard]] std::string brokenLink(const std::filesystem::path& path);

class OpenFile
{
public:
    /// Opens a file. Fails for anything but a regular file: a folder, a pipe, a device.
    [[nodiscard]] static Result<OpenFile> open(const std::filesystem::path& path);

    OpenFile(OpenFile&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)), m_size(other.m_size) {}
    OpenFile& operator=(OpenFile&&) = delete;
    ~OpenFile();

    [[nodiscard]] std::uint64_t size() const { return m_size; }
    [[nodiscard]] int descriptor() const { return m_fd; }
    /// Reads `size` bytes at `offset`; false if the file is too short or the disk failed.
    [[nodiscard]] bool readAt(std::uint64_t offset, char* into, std::size_t size) const;

private:
    OpenFile() = default;

    int m_fd = -1;
    std::uint64_t m_size = 0;
};

} // namespace headscope::io

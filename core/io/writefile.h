// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Files that the program writes. Whatever does not arrive on the disk is an error that says why: the disk is full, the
// folder is not there. Any thread.

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace headscope::io {

/// Writes all of it: in place of a file only when it is complete, so that an earlier one stays when the disk is full;
/// into a pipe or a device as it is.
[[nodiscard]] Result<void> writeFile(const std::filesystem::path& path, std::string_view bytes);

/// A file that grows while a command runs; what was there is gone from open() on.
class GrowingFile
{
public:
    GrowingFile() = default;
    ~GrowingFile();
    GrowingFile(const GrowingFile&) = delete;
    GrowingFile& operator=(const GrowingFile&) = delete;

    /// For a pipe a reader is waited for, a few seconds.
    [[nodiscard]] Result<void> open(const std::filesystem::path& path);
    [[nodiscard]] bool isOpen() const { return m_fd >= 0; }
    [[nodiscard]] Result<void> append(std::string_view bytes);
    [[nodiscard]] Result<void> close();

private:
    [[nodiscard]] Error failure() const;
    std::filesystem::path m_path;
    int m_fd = -1;
};

/// Whether files can be made in a folder, or will be once it and the folders above it are made; nothing is left there.
/// For telling before a long run.
[[nodiscard]] Result<void> checkOutputFolder(const std::filesystem::path& folder);
/// The same of the folder that a file is to lie in, and that the file itself is none.
[[nodiscard]] Result<void> checkOutputFile(const std::filesystem::path& file);

} // namespace headscope::io

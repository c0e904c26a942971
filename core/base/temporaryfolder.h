// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A temporary folder. Any thread.

#include <filesystem>

namespace headscope {

/// A folder in the system's temporary folder; removed with its owner. Only the user who made it may look inside.
class TemporaryFolder
{
public:
    /// `purpose` is part of the name. Throws std::filesystem::filesystem_error if none can be made.
    explicit TemporaryFolder(const char* purpose);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

} // namespace headscope

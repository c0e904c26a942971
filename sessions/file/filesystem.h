// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The capabilities of the file system that contains a session. Any thread.

#include <filesystem>
#include <optional>
#include <string>

namespace headscope::sessions {

/// Returns "NFS", "SMB", "FUSE" ... for `f_type` values of statfs(2) whose locks do not apply across machines; empty
/// for others.
[[nodiscard]] std::optional<std::string> networkFileSystem(unsigned long magic);

/// The same for the file system of an existing file or folder; empty also if it cannot be determined. The environment
/// variable HEADSCOPE_FILE_SYSTEM_TYPE, a number as printed by `stat -f -c %t`, takes precedence: for mounts that
/// report another type, and for tests.
[[nodiscard]] std::optional<std::string> networkFileSystem(const std::filesystem::path& path);

/// Returns whether this process may write to an existing file or folder (permissions and read-only mounts).
[[nodiscard]] bool writable(const std::filesystem::path& path);

struct FolderSupport {
    bool locks = true;        ///< range locks, which separate two writers
    bool sharedMemory = true; ///< memory-mapped files, which a write-ahead log requires
};

/// Returns the support for files in a folder, tested with a temporary file; full support if none can be created.
[[nodiscard]] FolderSupport supportOf(const std::filesystem::path& folder);

/// Returns the process that keeps others from writing to a session: "process 4711"; "another program" if the system
/// does not say.
[[nodiscard]] std::string lockHolder(const std::filesystem::path& session);

/// Returns why SQLite cannot open a file with this path, as the end of a sentence; empty if it can.
[[nodiscard]] std::string tooLong(const std::filesystem::path& path);

/// Returns the `file:` URI of a path, with all characters escaped that SQLite would parse as syntax.
[[nodiscard]] std::string sqliteUri(const std::filesystem::path& path, const std::string& query);

} // namespace headscope::sessions

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the file system below a session can be trusted with. Any thread.

#include <filesystem>
#include <optional>
#include <string>

namespace headscope::sessions {

/// "NFS", "SMB", "FUSE" ... for the `f_type` values of statfs(2) whose locks do not reach other machines; empty for the
/// rest.
[[nodiscard]] std::optional<std::string> networkFileSystem(unsigned long magic);

/// The same for the file system that holds an existing file or folder; empty also where it cannot be asked. The
/// environment variable HEADSCOPE_FILE_SYSTEM_TYPE, a number as `stat -f -c %t` prints it, is believed instead: for
/// mounts that say they are something else, and for tests.
[[nodiscard]] std::optional<std::string> networkFileSystem(const std::filesystem::path& path);

/// Whether this process may write to an existing file or folder (permissions and read-only mounts).
[[nodiscard]] bool writable(const std::filesystem::path& path);

struct FolderSupport {
    bool locks = true;        ///< of ranges of a file, by which two writers are kept apart
    bool sharedMemory = true; ///< a file that is mapped, without which there is no write-ahead log
};

/// What files in a folder can do, tried with one that is made for it and removed; all of it where none can be made.
[[nodiscard]] FolderSupport supportOf(const std::filesystem::path& folder);

/// Why SQLite cannot open a file of this path, as the end of a sentence; empty where it can.
[[nodiscard]] std::string tooLong(const std::filesystem::path& path);

/// The `file:` URI of a path, with everything escaped that SQLite would read as syntax.
[[nodiscard]] std::string sqliteUri(const std::filesystem::path& path, const std::string& query);

} // namespace headscope::sessions

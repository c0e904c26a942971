// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The one way in which both programs write files. A file is complete or not replaced at all: bytes go to a new file
// with a random name in the same folder, which replaces the target when all of them are on disk. Every failure, at
// open, write, sync, close or rename, is an error that gives the reason. Any thread.

#include "core/base/result.h"

#include <filesystem>
#include <string_view>

namespace headscope {

/// Who may read a file: as the target's mode allows (for a new file, the process's umask), or only its owner.
enum class FileAccess { AsBefore, Private };

/// When the bytes reach the disk: before the file replaces the target, or when the system writes them. After a machine
/// crash a file of the second kind may be incomplete, for readers that verify what they read.
enum class Sync { Now, Later };

/// A file that is written in parts. Without commit() the earlier file stays and nothing else is left behind.
class OutputFile
{
public:
    OutputFile() = default;
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// Opens a file for writing. A link is followed and the file it points to is replaced, even one that does not exist
    /// yet; a private file replaces the link. Pipes, devices, /dev/stdout and /dev/fd/N are written to directly; for a
    /// pipe it waits for a reader, a few seconds. A session (by its name, "*.headscope") is never replaced.
    [[nodiscard]] Result<void> open(const std::filesystem::path& path, FileAccess access = FileAccess::AsBefore);
    [[nodiscard]] Result<void> append(std::string_view bytes);
    [[nodiscard]] Result<void> commit(Sync sync = Sync::Now);

private:
    [[nodiscard]] Error failure() const;
    std::filesystem::path m_path, m_target;
    std::filesystem::path m_fresh; ///< the new file; empty if there is none
    int m_fd = -1;
};

[[nodiscard]] Result<void> writeFile(const std::filesystem::path& path, std::string_view bytes,
                                     FileAccess access = FileAccess::AsBefore);

/// Checks whether files can be made in a folder, or once it and its parent folders exist; leaves nothing behind. For
/// failing early before a long run.
[[nodiscard]] Result<void> checkOutputFolder(const std::filesystem::path& folder);
/// Checks the same for the folder of a file, and that the file may be replaced and is not a folder.
[[nodiscard]] Result<void> checkOutputFile(const std::filesystem::path& file);

} // namespace headscope

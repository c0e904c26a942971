// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The one way in which both programs write files. A file is complete or not replaced at all: bytes go to a new file of
// a random name in the same folder, which takes its place when all of them are on the disk. Every failure, at open,
// write, sync, close or rename, is an error that says why. Any thread.

#include "core/base/result.h"

#include <filesystem>
#include <string_view>

namespace headscope {

/// Who may read a file: those that the target's mode allows (for a new file the process's mask), or its owner only.
enum class FileAccess { AsBefore, Private };

/// When the bytes are on the disk: before the file takes its place, or when the system writes them. After a crash of
/// the machine a file of the second kind may be incomplete, for readers that verify what they read.
enum class Sync { Now, Later };

/// A file that is written piece by piece. Without commit() the earlier one stays and nothing else is left behind.
class OutputFile
{
public:
    OutputFile() = default;
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// A link is followed and the file that it names is replaced, even one that does not exist yet; a private file
    /// replaces the link. Pipes, devices, /dev/stdout and /dev/fd/N are written to directly; for a pipe a reader is
    /// waited for, a few seconds.
    [[nodiscard]] Result<void> open(const std::filesystem::path& path, FileAccess access = FileAccess::AsBefore);
    [[nodiscard]] Result<void> append(std::string_view bytes);
    [[nodiscard]] Result<void> commit(Sync sync = Sync::Now);

private:
    [[nodiscard]] Error failure() const;
    std::filesystem::path m_path, m_target;
    std::filesystem::path m_fresh; ///< the new file; empty where there is none
    int m_fd = -1;
};

[[nodiscard]] Result<void> writeFile(const std::filesystem::path& path, std::string_view bytes,
                                     FileAccess access = FileAccess::AsBefore);

/// Whether files can be made in a folder, or will be once it and the folders above it are made; nothing is left there.
/// For saying so before a long run.
[[nodiscard]] Result<void> checkOutputFolder(const std::filesystem::path& folder);
/// The same for the folder of a file, and for the file itself: it may be replaced and is not a folder.
[[nodiscard]] Result<void> checkOutputFile(const std::filesystem::path& file);

} // namespace headscope

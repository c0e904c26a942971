// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The bytes of a file in memory, loaded by the system on access, and whether they still match the file that was opened.
// Any thread.
//
// A mapping uses no memory and no time for unused parts, and a checkpoint may be larger than memory; pread() into a
// buffer would cost both. Its drawback: if the file is truncated while it is mapped (or a disk fails), a plain read
// raises SIGBUS. The handler here replaces the bytes by zeros and records it, which needs no jump out of any reader;
// such data must not be used: readers check intact() before relying on it.

#include "core/io/safetensors/checkpoint.h"

namespace headscope::io {

/// Maps the first `size` bytes of an open file, which the caller still owns. `path` is used in messages.
[[nodiscard]] Result<std::span<const std::byte>> mapFile(int fd, std::uint64_t size, const std::filesystem::path& path);
/// Unmaps bytes that nothing reads any more.
void unmapFile(std::span<const std::byte> bytes);

/// The state of a file when it was mapped.
struct FileStamp {
    std::int64_t inode = 0, device = 0, size = 0;
    std::int64_t modified = 0, changed = 0; ///< nanoseconds since 1970: change of its bytes, and of its metadata
};
[[nodiscard]] FileStamp stampOf(const WeightsFile& file);

/// Fails if the file was truncated, modified in place or unreadable since it was opened. A file that was replaced by
/// another is unchanged for those who have it open.
[[nodiscard]] Result<void> intact(const WeightsFile& file);
/// Checks the same for each of its files.
[[nodiscard]] Result<void> intact(const Checkpoint& checkpoint);

} // namespace headscope::io

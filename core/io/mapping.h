// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The bytes of a file in memory, read by the system when they are touched, and whether they are still those of the file
// that was opened. Any thread.
//
// A mapping costs no memory and no time for what is not used, and a checkpoint may be larger than the memory; pread()
// into a buffer would cost both. Its price is that a file which is cut while it is mapped (or a disk that fails)
// answers a plain read with SIGBUS. The handler here puts zeros where the bytes were and notes it, which needs no jump
// out of any reader; what was read is then not used: who reads asks intact() before believing it.

#include "core/io/safetensors/checkpoint.h"

namespace headscope::io {

/// Maps the first `size` bytes of an open file, which stays the caller's. `path` is for what is said.
[[nodiscard]] Result<std::span<const std::byte>> mapFile(int fd, std::uint64_t size, const std::filesystem::path& path);
/// Nothing reads these bytes any more.
void unmapFile(std::span<const std::byte> bytes);

/// What a file was when it was mapped.
struct FileStamp {
    std::int64_t inode = 0, device = 0, size = 0;
    std::int64_t modified = 0, changed = 0; ///< nanoseconds since 1970: of its bytes, and of anything of it
};
[[nodiscard]] FileStamp stampOf(const WeightsFile& file);

/// Fails where the file was cut, written to in place or could not be read since it was opened. A file that was replaced
/// by another one stays as it was for anyone who has it open.
[[nodiscard]] Result<void> intact(const WeightsFile& file);
/// The same for each of its files.
[[nodiscard]] Result<void> intact(const Checkpoint& checkpoint);

} // namespace headscope::io

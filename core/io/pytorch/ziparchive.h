// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Positions of the entries of a zip file, for uncompressed archives: PyTorch's, which are mapped instead of unpacked.
// Read by minizip. Any thread.

#include "core/base/result.h"
#include "core/io/openfile.h"

#include <map>
#include <string>

namespace headscope::io {

/// The bytes [begin, end) of the file.
struct ZipEntry {
    std::uint64_t begin = 0, end = 0;
};

/// Returns the entries by name, each checked to be within the file; supports Zip64. Fails for compressed, encrypted or
/// duplicate entries and multi-part archives. The message is a clause that follows the name of the file.
[[nodiscard]] Result<std::map<std::string, ZipEntry>> readZipDirectory(const OpenFile& file);

} // namespace headscope::io

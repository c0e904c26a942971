// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the entries of a zip file are, for archives whose entries are stored uncompressed: PyTorch's, which are mapped
// instead of unpacked. Read by minizip. Any thread.

#include "core/base/result.h"
#include "core/io/openfile.h"

#include <map>
#include <string>

namespace headscope::io {

/// The bytes [begin, end) of the file.
struct ZipEntry {
    std::uint64_t begin = 0, end = 0;
};

/// The entries by their names, each checked to lie within the file; Zip64 too. Fails for compressed, encrypted or
/// doubled entries and archives in parts. The message is a clause that follows the name of the file.
[[nodiscard]] Result<std::map<std::string, ZipEntry>> readZipDirectory(const OpenFile& file);

} // namespace headscope::io

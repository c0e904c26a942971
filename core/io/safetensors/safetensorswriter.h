// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes safetensors files byte for byte like the reference implementation. Any thread.

#include "core/base/writefile.h"
#include "core/io/safetensors/safetensorsheader.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace headscope::io {

struct TensorToWrite {
    std::string name;
    Dtype dtype = Dtype::F32;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes; ///< little-endian, row-major, packed
};

using SafetensorsMetadata = std::map<std::string, std::string>;

/// Writes a file and replaces the target as a whole (OutputFile), so that a program that has the old file mapped keeps
/// it. Widest dtypes first, then by name; the header is padded with spaces to a multiple of 8.
[[nodiscard]] Result<void> writeSafetensors(const std::filesystem::path& path, std::span<const TensorToWrite> tensors,
                                            const SafetensorsMetadata& metadata = {{"format", "pt"}},
                                            Sync sync = Sync::Now);

} // namespace headscope::io

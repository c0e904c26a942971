// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One safetensors file, memory-mapped and checked before any of its data is touched. Immutable: any thread.

#include "core/io/safetensors/weightsfile.h"

namespace headscope::io {

class SafetensorsFile : public WeightsFile
{
public:
    /// Maps the file read-only and checks its whole header. Errors name Git LFS pointers and pickles as such.
    static Result<std::shared_ptr<const SafetensorsFile>> open(const std::filesystem::path& path);

    /// Returns a tensor's entry; null if there is no tensor of that name.
    [[nodiscard]] const TensorInfo* find(std::string_view name) const;
    /// Returns the raw little-endian bytes. They can start at any address: the format guarantees no alignment.
    [[nodiscard]] std::span<const std::byte> bytes(const TensorInfo& tensor) const;

private:
    SafetensorsFile() = default;

    std::vector<std::size_t> m_byName; ///< indices into tensors(), sorted by name
};

} // namespace headscope::io

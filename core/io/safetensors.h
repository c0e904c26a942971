// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One safetensors file, memory-mapped and checked before any of its data is touched. Immutable: any thread.

#include "core/io/safetensorsheader.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace headscope::io {

/// The file should not be modified while it is open; intact() in core/io/mapping.h tells whether it was.
class SafetensorsFile
{
public:
    /// Maps the file read-only and checks its whole header. Git LFS pointers and pickles are named as such.
    static Result<std::shared_ptr<const SafetensorsFile>> open(const std::filesystem::path& path);

    SafetensorsFile(const SafetensorsFile&) = delete;
    SafetensorsFile& operator=(const SafetensorsFile&) = delete;
    ~SafetensorsFile();

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// In order of their place in the file.
    [[nodiscard]] const std::vector<TensorInfo>& tensors() const { return m_header.tensors; }
    /// Null when there is no tensor of that name.
    [[nodiscard]] const TensorInfo* find(std::string_view name) const;
    /// The raw little-endian bytes. They can start at any address: the format promises no alignment.
    [[nodiscard]] std::span<const std::byte> bytes(const TensorInfo& tensor) const;
    [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return m_header.metadata; }
    /// Tells the system that these bytes of the mapping were copied: they no longer count as memory of this process.
    /// Reading them again is allowed and costs a read of the file.
    static void release(std::span<const std::byte> bytes);
    /// Length field and header text, as stored.
    [[nodiscard]] std::span<const std::byte> headerBytes() const { return m_mapping.first(m_dataStart); }
    /// All tensor bytes.
    [[nodiscard]] std::span<const std::byte> dataBytes() const { return m_mapping.subspan(m_dataStart); }

private:
    SafetensorsFile() = default;

    std::filesystem::path m_path;
    std::span<const std::byte> m_mapping; ///< the whole file
    std::size_t m_dataStart = 0;
    SafetensorsHeader m_header;
    std::vector<std::size_t> m_byName; ///< indices into tensors(), sorted by name
};

} // namespace headscope::io

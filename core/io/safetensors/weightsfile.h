// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One mapped file of weights in any format: a table of named tensors, and how the elements of each are read from its
// bytes. Immutable: any thread.

#include "core/io/safetensors/safetensorsheader.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace headscope::io {

/// Reads the elements of a tensor from stored bytes that are not simply row-major elements: other strides, quantized
/// blocks, another order of rows. Immutable: any thread.
class Elements
{
public:
    virtual ~Elements() = default;
    /// Writes the elements from index `first` on (row by row) to `into`, as many as fit, in the tensor's stated dtype.
    /// `into` has room for whole elements, none past the last of the tensor.
    virtual void read(std::span<const std::byte> stored, std::uint64_t first, std::span<std::byte> into) const = 0;
};

/// A tensor in a mapped file. Code that stores the bytes must also store `owner`.
struct TensorView {
    TensorInfo info;                  ///< dtype and shape are those of the elements
    std::span<const std::byte> bytes; ///< as stored: read-only, unaligned, little-endian
    std::shared_ptr<const void> owner;
    std::shared_ptr<const Elements> elements; ///< null: the bytes are the elements, row by row

    [[nodiscard]] bool plain() const { return elements == nullptr; }
    /// Returns the size of all elements, which is that of `bytes` if they are plain.
    [[nodiscard]] std::uint64_t size() const;
    /// Copies the elements from byte `offset` of the converted tensor on; both sizes are whole elements.
    void read(std::uint64_t offset, std::span<std::byte> into) const;
};

/// A mapped file. It should not be modified while it is open; intact() in core/io/mapping.h detects it.
class WeightsFile
{
public:
    WeightsFile(const WeightsFile&) = delete;
    WeightsFile& operator=(const WeightsFile&) = delete;
    virtual ~WeightsFile();

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Returns the tensors listed in the file, in its order.
    [[nodiscard]] const std::vector<TensorInfo>& tensors() const { return m_tensors; }
    /// Returns the stored bytes of one of tensors(), by its index.
    [[nodiscard]] std::span<const std::byte> stored(std::size_t tensor) const;
    [[nodiscard]] const std::shared_ptr<const Elements>& elements(std::size_t tensor) const;
    [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return m_metadata; }
    /// Returns irregularities that do not prevent loading, one sentence each.
    [[nodiscard]] const std::vector<std::string>& warnings() const { return m_warnings; }
    /// Informs the system that these bytes of the mapping were copied: they no longer count as memory of this process.
    /// Reading them again is allowed and costs a read of the file.
    static void release(std::span<const std::byte> bytes);
    /// Returns the bytes before the part to which a tensor's `begin` refers, as stored; empty if it refers to the start
    /// of the file.
    [[nodiscard]] std::span<const std::byte> headerBytes() const { return m_mapping.first(m_dataStart); }
    /// Returns all bytes after it.
    [[nodiscard]] std::span<const std::byte> dataBytes() const { return m_mapping.subspan(m_dataStart); }
    [[nodiscard]] std::span<const std::byte> mapping() const { return m_mapping; }

protected:
    WeightsFile() = default;

    std::filesystem::path m_path;
    std::span<const std::byte> m_mapping; ///< the whole file
    std::size_t m_dataStart = 0;
    std::vector<TensorInfo> m_tensors;
    std::vector<std::shared_ptr<const Elements>> m_elements; ///< one per tensor; empty: all are plain
    std::map<std::string, std::string> m_metadata;
    std::vector<std::string> m_warnings;
};

} // namespace headscope::io

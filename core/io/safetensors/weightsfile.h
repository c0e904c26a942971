// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One mapped file of weights, whatever its form: a table of named tensors, and how the elements of each come out of its
// bytes. Immutable: any thread.

#include "core/io/safetensors/safetensorsheader.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace headscope::io {

/// How the elements of a tensor come out of stored bytes that do not simply hold them row by row: other strides,
/// quantised blocks, another order of rows. Immutable: any thread.
class Elements
{
public:
    virtual ~Elements() = default;
    /// Writes the elements from number `first` on (row by row) to `into`, as many as fit, in the dtype that the tensor
    /// is said to have. `into` holds whole elements, none past the last of the tensor.
    virtual void read(std::span<const std::byte> stored, std::uint64_t first, std::span<std::byte> into) const = 0;
};

/// A tensor in a mapped file. The keeper of the bytes keeps `owner` too.
struct TensorView {
    TensorInfo info;                  ///< dtype and shape are those of the elements
    std::span<const std::byte> bytes; ///< as stored: read-only, unaligned, little-endian
    std::shared_ptr<const void> owner;
    std::shared_ptr<const Elements> elements; ///< null: the bytes are the elements, row by row

    [[nodiscard]] bool plain() const { return elements == nullptr; }
    /// Of all elements, which is the size of `bytes` where they are plain.
    [[nodiscard]] std::uint64_t size() const;
    /// Copies the elements that begin `offset` bytes behind the first one; both sizes are whole elements.
    void read(std::uint64_t offset, std::span<std::byte> into) const;
};

/// The file should not be modified while it is open; intact() in core/io/mapping.h says whether it was.
class WeightsFile
{
public:
    WeightsFile(const WeightsFile&) = delete;
    WeightsFile& operator=(const WeightsFile&) = delete;
    virtual ~WeightsFile();

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// What the file says of its tensors, in the order of the file.
    [[nodiscard]] const std::vector<TensorInfo>& tensors() const { return m_tensors; }
    /// Of one of tensors(), by its number.
    [[nodiscard]] std::span<const std::byte> stored(std::size_t tensor) const;
    [[nodiscard]] const std::shared_ptr<const Elements>& elements(std::size_t tensor) const;
    [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return m_metadata; }
    /// Oddities that do not prevent loading, one sentence each.
    [[nodiscard]] const std::vector<std::string>& warnings() const { return m_warnings; }
    /// Informs the system that these bytes of the mapping were copied: they no longer count as memory of this process.
    /// Reading them again is allowed and costs a read of the file.
    static void release(std::span<const std::byte> bytes);
    /// What precedes the part that `begin` of a tensor counts from, as stored; empty where it counts from the
    /// start of the file.
    [[nodiscard]] std::span<const std::byte> headerBytes() const { return m_mapping.first(m_dataStart); }
    /// All behind it.
    [[nodiscard]] std::span<const std::byte> dataBytes() const { return m_mapping.subspan(m_dataStart); }
    [[nodiscard]] std::span<const std::byte> mapping() const { return m_mapping; }

protected:
    WeightsFile() = default;

    std::filesystem::path m_path;
    std::span<const std::byte> m_mapping; ///< the whole file
    std::size_t m_dataStart = 0;
    std::vector<TensorInfo> m_tensors;
    std::vector<std::shared_ptr<const Elements>> m_elements; ///< of each tensor; none at all: all are plain
    std::map<std::string, std::string> m_metadata;
    std::vector<std::string> m_warnings;
};

} // namespace headscope::io

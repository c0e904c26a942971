// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The block formats of GGUF files, decoded like ggml-quants.c, in fp32 and in its order of operations.
// Any thread.

#include "core/io/gguf/ggufheader.h"

namespace headscope::io {

/// Returns the type of a ggml number; nothing if it is unsupported.
[[nodiscard]] std::optional<GgmlType> ggmlType(std::uint32_t number);
/// Returns ggml's name for its number: "Q2_K"; "type 99" for an unknown one.
[[nodiscard]] std::string ggmlTypeName(std::uint32_t number);
/// Returns the names of the supported types: "F32, F16 and Q8_0".
[[nodiscard]] std::string ggmlTypesRead();

/// Returns the elements per block; 1 for types without blocks.
[[nodiscard]] std::size_t blockElements(GgmlType type);
[[nodiscard]] std::size_t blockBytes(GgmlType type);
/// Returns the bytes of a tensor, or the reason why it has no valid size (overflow, rows that are not whole blocks).
[[nodiscard]] Result<std::uint64_t> ggmlBytes(GgmlType type, const std::vector<std::int64_t>& shape);

/// Decodes the block that begins at `block`; `into` has room for blockElements().
void decodeBlock(GgmlType type, const std::byte* block, float* into);

} // namespace headscope::io

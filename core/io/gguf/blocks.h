// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The blocks that GGUF files store numbers in, decoded as ggml-quants.c does, in fp32 and in its order of operations.
// Any thread.

#include "core/io/gguf/ggufheader.h"

namespace headscope::io {

/// Nothing for a number of ggml's that is not read.
[[nodiscard]] std::optional<GgmlType> ggmlType(std::uint32_t number);
/// ggml's name for its number: "Q2_K"; "type 99" for one it has not.
[[nodiscard]] std::string ggmlTypeName(std::uint32_t number);
/// The names of those that are read: "F32, F16 and Q8_0".
[[nodiscard]] std::string ggmlTypesRead();

/// Elements in a block; 1 for types without blocks.
[[nodiscard]] std::size_t blockElements(GgmlType type);
[[nodiscard]] std::size_t blockBytes(GgmlType type);
/// Bytes of a tensor, or the reason why there is no such number (overflow, rows that are not whole blocks).
[[nodiscard]] Result<std::uint64_t> ggmlBytes(GgmlType type, const std::vector<std::int64_t>& shape);

/// The numbers of one block, which begins at `block`; `into` has room for blockElements().
void decodeBlock(GgmlType type, const std::byte* block, float* into);

} // namespace headscope::io

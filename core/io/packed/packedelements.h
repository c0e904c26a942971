// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Quantized weights with factors beside them, as the F32 numbers that they stand for. Immutable: any
// thread.

#include "core/io/safetensors/weightsfile.h"

namespace headscope::io {

/// One number of FP8, by its byte. E4M3 has no infinities ("fn"); a NaN is a NaN.
[[nodiscard]] float fromE4m3(std::uint8_t byte);
[[nodiscard]] float fromE5m2(std::uint8_t byte);
/// One of the sixteen numbers of FP4 (E2M1), by the lower four bits.
[[nodiscard]] float fromE2m1(std::uint8_t bits);

/// Whether factors of this type are read: F32, F16 or BF16.
[[nodiscard]] bool isFactorType(Dtype type);
/// One of some factors as F32; those of other types are powers of two in a byte (E8M0).
[[nodiscard]] float factorAt(const TensorView& factors, std::uint64_t index);
/// "[128, 64]"
[[nodiscard]] std::string shapeText(const std::vector<std::int64_t>& shape);

/// FP8 weights [.., R, C] times the factor of each block: `factors` [.., r, c], each for R/r rows and C/c columns
/// rounded up to `rows` and `columns` where they do not divide; of one element: for all. F32, F16, BF16 or E8M0.
struct BlockSize {
    std::int64_t rows = 128, columns = 128;
};
[[nodiscard]] Result<TensorView> fp8View(const TensorView& weight, const TensorView& factors, BlockSize block);
/// FP8 weights of any shape without factors.
[[nodiscard]] TensorView fp8View(const TensorView& weight);

/// MXFP4 as gpt-oss ships it: blocks [E, R, g, 16] of two numbers a byte, the lower bits first, and the power of two of
/// each block [E, R, g], 127 for 1. The numbers are [E, 32 g, R], turned as the model's own tensor is.
[[nodiscard]] Result<TensorView> mxfp4View(const TensorView& blocks, const TensorView& scales);

} // namespace headscope::io

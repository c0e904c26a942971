// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Quantized weights with separate factors, converted to the F32 numbers that they represent. Immutable: any
// thread.

#include "core/io/safetensors/weightsfile.h"

namespace headscope::io {

/// Converts one FP8 byte. E4M3 has no infinities ("fn"); NaN stays NaN.
[[nodiscard]] float fromE4m3(std::uint8_t byte);
[[nodiscard]] float fromE5m2(std::uint8_t byte);
/// Converts one of the sixteen FP4 numbers (E2M1), given by the lower four bits.
[[nodiscard]] float fromE2m1(std::uint8_t bits);

/// Returns whether factors of this type are supported: F32, F16 or BF16.
[[nodiscard]] bool isFactorType(Dtype type);
/// Returns a factor as F32; other types are powers of two in a byte (E8M0).
[[nodiscard]] float factorAt(const TensorView& factors, std::uint64_t index);
/// Returns "[128, 64]".
[[nodiscard]] std::string shapeText(const std::vector<std::int64_t>& shape);

/// FP8 weights [.., R, C] times the factor of each block: `factors` [.., r, c], each for R/r rows and C/c columns,
/// rounded up to `rows` and `columns` if not divisible; a single element applies to all. F32, F16, BF16 or E8M0.
struct BlockSize {
    std::int64_t rows = 128, columns = 128;
};
[[nodiscard]] Result<TensorView> fp8View(const TensorView& weight, const TensorView& factors, BlockSize block);
/// Returns FP8 weights of any shape without factors.
[[nodiscard]] TensorView fp8View(const TensorView& weight);

/// Returns MXFP4 in gpt-oss's layout: blocks [E, R, g, 16] of two numbers per byte, the lower bits first, and the power
/// of two of each block [E, R, g], 127 for 1. The result is [E, 32 g, R], transposed like the model's own tensor.
[[nodiscard]] Result<TensorView> mxfp4View(const TensorView& blocks, const TensorView& scales);

} // namespace headscope::io

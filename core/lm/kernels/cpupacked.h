// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Quantizes weights and multiplies with quantized weights, which are read in packed form: memory bandwidth limits the
// speed per token, and weights that are not read cost nothing. Sums are fp32; activations too, or 16-bit where that is
// faster. Any thread.

#include "core/lm/kernels/kernelset.h"

#include <cstdint>

namespace headscope::lm {

/// Outputs per panel of a packed weight.
inline constexpr std::int64_t kPackedPanel = 64;
/// Inputs that share the scales of a four-bit panel.
inline constexpr std::int64_t kPackedGroup = 32;
/// Inputs per word of four-bit codes.
inline constexpr std::int64_t kPackedWord = 8;
/// Words per group of a four-bit panel: scales, then codes.
inline constexpr std::int64_t kPackedScaleWords = kPackedPanel / 2;
inline constexpr std::int64_t kPackedGroupWords = kPackedScaleWords + kPackedGroup / kPackedWord * kPackedPanel;

/// A weight [N, K] in panels of kPackedPanel outputs each, the last one filled up with outputs that are 0.
/// Eight bits: codes [panels, K, 64] are signed, weight = code * scale of its output.
/// Four bits: words [panels, groups, 32 + 4 * 64] of 32 bits: of each group the scales first, 64 of fp16, then the
/// codes [4, 64], whose four bits from 4 j on are input 8 i + j for the i-th; weight = (code - 8) * scale. K is filled
/// up to whole groups. One stream of memory.
struct PackedMatrix {
    int bits = 8;
    const std::uint8_t* codes = nullptr;       ///< eight bits
    const float* scales = nullptr;             ///< eight bits: [panels * 64]
    const std::uint32_t* words = nullptr;      ///< four bits
    std::int64_t in = 0, outs = 0, groups = 0; ///< groups: of kPackedGroup inputs
};

/// out [R, N] = x [R, K] weight^T + bias.
struct PackedRows {
    PackedMatrix weight;
    const float* x = nullptr;
    const float* bias = nullptr; ///< [N] or null
    float* out = nullptr;
    std::int64_t xStride = 0, outStride = 0, rows = 0; ///< strides between rows
};

/// Inputs that share a step size when rounded to 16 bits.
inline constexpr std::int64_t kRoundedBlock = 8 * kPackedGroup;
/// The whole number that the largest of a block becomes beside weights of `bits`: sums of a block fit 32 bits, and the
/// two bytes of a number of a single row eight bits each.
constexpr float mostRounded(int bits, std::int64_t rows)
{
    return bits == 8 ? 32767.0F : rows == 1 ? 32512.0F : 8191.0F;
}
/// Rows of inputs in 16 bits, [R, xStride]; a large number costs precision only in its own block. Padding is
/// 0.
struct RoundedRows {
    std::int16_t* x = nullptr;
    float* steps = nullptr; ///< [R, stepStride]
    std::int64_t xStride = 0, stepStride = 0;
};

/// Inputs [first, first + count) of one panel, converted to fp32 at `to` [count, 64].
struct UnpackedPanel {
    std::int64_t panel = 0, first = 0, count = 0;
    float* to = nullptr;
};

/// Number type of a weight to be packed.
enum class StoredNumber : unsigned char { Float, Bfloat, Half };

/// `count` outputs of one panel as numbers, and where to write the panel in PackedMatrix's layout.
struct PanelToPack {
    const void* numbers = nullptr; ///< [count, in], aligned for the type
    StoredNumber stored = StoredNumber::Float;
    std::int64_t stride = 0, count = 0, in = 0; ///< stride: numbers between outputs
    int bits = 8;
    std::uint8_t* codes = nullptr;  ///< eight bits: out
    float* scales = nullptr;        ///< eight bits: out, [64]
    std::uint32_t* words = nullptr; ///< four bits: out
};

struct PackedKernels {
    /// Rounds a panel, with identical bits in every set, and writes all of it. False: it contains NaN or infinity.
    bool (*pack)(const PanelToPack& panel);
    /// Computes the outputs of the panels [first, last).
    void (*linear)(const PackedRows& rows, std::int64_t first, std::int64_t last);
    void (*unpack)(const PackedMatrix& weight, const UnpackedPanel& part);
    /// Rounds the rows [first, last) of rows.x. False: they contain NaN or infinity.
    bool (*round)(const PackedRows& rows, const RoundedRows& rounded, std::int64_t first, std::int64_t last);
    /// Like linear() of what round() made, twice as many products at a time. In eight bits exact up to the last sums;
    /// in four the scales of a block's groups meet the codes of many rows in 11 bits. Null where the processor has no
    /// products of 16 bits that are faster than those of fp32.
    void (*linearOfRounded)(const PackedRows& rows, const RoundedRows& rounded, std::int64_t first, std::int64_t last);
};

/// Returns the kernels for this processor.
[[nodiscard]] const PackedKernels& packedKernels();
[[nodiscard]] const PackedKernels& packedKernels(KernelSet set); ///< kernels of a set that runs here

} // namespace headscope::lm

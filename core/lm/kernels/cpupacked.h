// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Quantizes weights, and multiplies with quantized weights, which are read as they are packed: memory sets the pace of
// one token, and what is not read costs nothing. Sums are fp32, and activations too, or of 16 bits where that
// is faster. Any thread.

#include "core/lm/kernels/kernelset.h"

#include <cstdint>

namespace headscope::lm {

/// Outputs of a panel of a packed weight.
inline constexpr std::int64_t kPackedPanel = 64;
/// Inputs that share the scales of a panel in four bits.
inline constexpr std::int64_t kPackedGroup = 32;
/// Inputs of a word of four-bit codes.
inline constexpr std::int64_t kPackedWord = 8;
/// Words of a panel's group in four bits: scales, then codes.
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
    std::int64_t xStride = 0, outStride = 0, rows = 0; ///< strides from row to row
};

/// Inputs that share a step when they are rounded to 16 bits.
inline constexpr std::int64_t kRoundedBlock = 8 * kPackedGroup;
/// The whole number that the largest of a block becomes beside weights of `bits`: sums of a block fit 32 bits.
constexpr float mostRounded(int bits)
{
    return bits == 8 ? 32767.0F : 8191.0F;
}
/// Rows of inputs in 16 bits, [R, xStride]; a large number costs its block alone the last digits. What is filled up is
/// 0.
struct RoundedRows {
    std::int16_t* x = nullptr;
    float* steps = nullptr; ///< [R, stepStride]
    std::int64_t xStride = 0, stepStride = 0;
};

/// Inputs [first, first + count) of one panel as fp32: to [count, 64].
struct UnpackedPanel {
    std::int64_t panel = 0, first = 0, count = 0;
    float* to = nullptr;
};

/// What a weight that is to be packed consists of.
enum class StoredNumber : unsigned char { Float, Bfloat, Half };

/// Outputs of one panel as numbers, `count` of them, and where the panel goes as PackedMatrix has it.
struct PanelToPack {
    const void* numbers = nullptr; ///< [count, in], aligned as the type wants it
    StoredNumber stored = StoredNumber::Float;
    std::int64_t stride = 0, count = 0, in = 0; ///< stride: numbers from output to output
    int bits = 8;
    std::uint8_t* codes = nullptr;  ///< eight bits: out
    float* scales = nullptr;        ///< eight bits: out, [64]
    std::uint32_t* words = nullptr; ///< four bits: out
};

struct PackedKernels {
    /// Rounds a panel, to the same bits in every set, and writes all of it. False: it holds NaN or infinity.
    bool (*pack)(const PanelToPack& panel);
    /// Makes the outputs of the panels [first, last).
    void (*linear)(const PackedRows& rows, std::int64_t first, std::int64_t last);
    void (*unpack)(const PackedMatrix& weight, const UnpackedPanel& part);
    /// Rounds the rows [first, last) of rows.x. False: they hold NaN or infinity.
    bool (*round)(const PackedRows& rows, const RoundedRows& rounded, std::int64_t first, std::int64_t last);
    /// Like linear() of what round() made, twice as many products at a time. In eight bits exact up to the last sums;
    /// in four the scales of a block's groups meet the codes in 11 bits. Null where the processor has no products of 16
    /// bits that are faster than those of fp32.
    void (*linearOfRounded)(const PackedRows& rows, const RoundedRows& rounded, std::int64_t first, std::int64_t last);
};

/// Those for this processor.
[[nodiscard]] const PackedKernels& packedKernels();
[[nodiscard]] const PackedKernels& packedKernels(KernelSet set); ///< those of a set that runs here

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Products with weights of a few bits, which are read as they are packed: memory sets the pace of one token, and what
// is not read costs nothing. Activations and sums are fp32. Any thread.

#include <cstdint>

namespace headscope::lm {

/// Outputs of a panel of a packed weight.
inline constexpr std::int64_t kPackedPanel = 64;
/// Inputs that share the scales of a panel in four bits.
inline constexpr std::int64_t kPackedGroup = 32;

/// A weight [N, K] in panels of kPackedPanel outputs each, the last one filled up with zeros.
/// Eight bits: codes [panels, K, 64] are signed, weight = code * scale of its output.
/// Four bits: codes [panels, groups, 16, 64]; of the byte i of a group the lower half is input i, the upper one input
/// i + 16; weight = (half - 8) * scale of its output in its group. K is filled up to whole groups.
struct PackedMatrix {
    int bits = 8;
    const std::uint8_t* codes = nullptr;
    const float* scales = nullptr;              ///< eight bits: [panels * 64]
    const std::uint16_t* groupScales = nullptr; ///< four bits: fp16 [panels, groups, 64]
    std::int64_t in = 0, outs = 0, groups = 0;  ///< groups: of kPackedGroup inputs
};

/// out [R, N] = x [R, K] weight^T + bias.
struct PackedRows {
    PackedMatrix weight;
    const float* x = nullptr;
    const float* bias = nullptr; ///< [N] or null
    float* out = nullptr;
    std::int64_t xStride = 0, outStride = 0, rows = 0; ///< strides from row to row
};

/// Inputs [first, first + count) of one panel as fp32: to [count, 64].
struct UnpackedPanel {
    std::int64_t panel = 0, first = 0, count = 0;
    float* to = nullptr;
};

struct PackedKernels {
    /// Makes the outputs of the panels [first, last).
    void (*linear)(const PackedRows& rows, std::int64_t first, std::int64_t last);
    void (*unpack)(const PackedMatrix& weight, const UnpackedPanel& part);
};

/// Those for this processor.
[[nodiscard]] const PackedKernels& packedKernels();

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A CPU matrix product for many rows at once, used where it is faster than the library's. Any thread.

#include <cstdint>

namespace headscope::lm {

/// out [R, N] = x [R, K] weight^T + bias, fp32.
struct LinearRows {
    const float* x = nullptr;
    const float* weight = nullptr; ///< weight of output n and input k at n * outStep + k * inStep
    const float* bias = nullptr;   ///< [N] or null
    float* out = nullptr;
    std::int64_t xStride = 0, outStride = 0; ///< between rows
    std::int64_t outStep = 0, inStep = 0;
    std::int64_t rows = 0, in = 0, outs = 0;
};

/// Outputs that one step of a kernel computes.
inline constexpr std::int64_t kLinearPanel = 64;

/// Computes the panels [first, last) of kLinearPanel outputs each.
using LinearKernel = void (*)(const LinearRows& rows, std::int64_t first, std::int64_t last);

/// Returns the kernel; null where the library's product is faster (processors without 512-bit vectors).
[[nodiscard]] LinearKernel linearKernel();

/// out [N] = weight x for a single x [K] in fp32, the product for one token; limited by memory bandwidth.
struct BfloatRow {
    const float* x = nullptr;
    const std::uint16_t* weight = nullptr; ///< bfloat16 weight of output n and input k at n * outStep + k
    float* out = nullptr;
    std::int64_t outStep = 0, in = 0, outs = 0;
};

/// Computes the outputs [first, last).
using BfloatRowKernel = void (*)(const BfloatRow& row, std::int64_t first, std::int64_t last);

/// Returns the kernel; null where the library's product is faster (processors without 256-bit vectors).
[[nodiscard]] BfloatRowKernel bfloatRowKernel();

} // namespace headscope::lm

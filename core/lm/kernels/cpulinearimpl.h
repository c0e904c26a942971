// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The implementation of LinearKernel, included after cpukernelsimpl.h for each instruction set that has one.

#include "core/lm/kernels/cpurowimpl.h"

namespace headscope::lm {

namespace {

// panel[k][n] = weight of output `begin` + n and input `from` + k; n < width, k < count; the rest of the panel is 0.
static void packPanel(const LinearRows& r, std::int64_t begin, std::int64_t width, std::int64_t from,
                      std::int64_t count, float* panel)
{
    const float* const weight = r.weight + begin * r.outStep + from * r.inStep;
    if (r.outStep == 1) {
        // Rows of the weight are pages apart, so the hardware does not prefetch them. (Prefetching past the end is
        // harmless.)
        constexpr std::int64_t kAhead = 12;
        for (std::int64_t k = 0; k < count; ++k) {
            const float* const row = weight + k * r.inStep;
            float* const to = panel + k * kLinearPanel;
            std::int64_t n = 0;
            for (; n + kLanes <= width; n += kLanes) {
                __builtin_prefetch(row + kAhead * r.inStep + n);
                at(to + n) = at(row + n);
            }
            for (; n < kLinearPanel; ++n)
                to[n] = n < width ? row[n] : 0.0F;
        }
        return;
    }
    for (std::int64_t n = 0; n < kLinearPanel; n += kLanes) {
        std::int64_t k = 0;
        if (r.inStep == 1 && n + kLanes <= width)
            for (; k + kLanes <= count; k += kLanes) {
                Vector block[kLanes];
#pragma GCC unroll 16
                for (int i = 0; i < kLanes; ++i)
                    block[i] = at(weight + (n + i) * r.outStep + k);
                turn(block);
#pragma GCC unroll 16
                for (int i = 0; i < kLanes; ++i)
                    at(panel + (k + i) * kLinearPanel + n) = block[i];
            }
        for (; k < count; ++k)
            for (std::int64_t i = n; i < n + kLanes; ++i)
                panel[k * kLinearPanel + i] = i < width ? weight[i * r.outStep + k * r.inStep] : 0.0F;
    }
}

// Adds the products of `Count` inputs from k on to the outputs [begin, end).
template <int Count>
HEADSCOPE_INLINE void addInputs(const LinearRows& r, std::int64_t k, std::int64_t begin, std::int64_t end)
{
    const float* const weight = r.weight + k * r.inStep;
    std::int64_t n = begin;
    for (; n + kLanes <= end; n += kLanes) {
        Vector total = at(r.out + n);
#pragma GCC unroll 8
        for (int i = 0; i < Count; ++i) {
            __builtin_prefetch(weight + (i + Count) * r.inStep + n, 0, 2);
            total += r.x[k + i] * at(weight + i * r.inStep + n);
        }
        at(r.out + n) = total;
    }
    for (; n < end; ++n)
        for (int i = 0; i < Count; ++i)
            r.out[n] += r.x[k + i] * weight[i * r.inStep + n];
}

// A weight's outputs are contiguous: a few inputs at a time are added to all outputs, which stay in the first-level
// cache.
static void productOfOneRowDown(const LinearRows& r, std::int64_t begin, std::int64_t end)
{
    constexpr int kInputs = 8;
    for (std::int64_t n = begin; n < end; ++n)
        r.out[n] = r.bias ? r.bias[n] : 0.0F;
    std::int64_t k = 0;
    for (; k + kInputs <= r.in; k += kInputs)
        addInputs<kInputs>(r, k, begin, end);
    for (; k < r.in; ++k)
        addInputs<1>(r, k, begin, end);
}

static void linear(const LinearRows& r, std::int64_t first, std::int64_t last)
{
    if (r.rows == 1 && (r.inStep == 1 || r.outStep == 1)) {
        const std::int64_t begin = first * kLinearPanel, end = smaller(last * kLinearPanel, r.outs);
        return r.inStep == 1 ? productOfOneRow(r.x, r.weight, r.outStep, r.in, r.bias, r.out, begin, end)
                             : productOfOneRowDown(r, begin, end);
    }
    constexpr std::int64_t kDepth = 2048; // inputs of a panel: fits the second-level cache
    Scratch scratch(smaller(r.in, kDepth) * kLinearPanel + kRows * kLinearPanel + 2 * kLanes);
    float* const panel = scratch.take(smaller(r.in, kDepth) * kLinearPanel);
    float* const edge = scratch.take(kRows * kLinearPanel);
    for (std::int64_t p = first; p < last; ++p) {
        const std::int64_t begin = p * kLinearPanel, width = smaller(kLinearPanel, r.outs - begin);
        for (std::int64_t from = 0; from < r.in; from += kDepth) {
            const std::int64_t count = smaller(kDepth, r.in - from);
            const bool add = from > 0 || r.bias;
            packPanel(r, begin, width, from, count, panel);
            if (from == 0 && r.bias)
                for (std::int64_t i = 0; i < r.rows; ++i)
                    __builtin_memcpy(r.out + i * r.outStride + begin, r.bias + begin,
                                     static_cast<std::size_t>(width) * sizeof(float));
            if (width % kLanes == 0) {
                product(r.x + from, r.xStride, panel, kLinearPanel, r.out + begin, r.outStride, r.rows, width, count,
                        add);
                continue;
            }
            for (std::int64_t i = 0; i < r.rows; i += kRows) { // the last panel of an odd width, through a buffer
                const std::int64_t m = smaller(kRows, r.rows - i);
                for (std::int64_t row = 0; add && row < m; ++row)
                    __builtin_memcpy(edge + row * kLinearPanel, r.out + (i + row) * r.outStride + begin,
                                     static_cast<std::size_t>(width) * sizeof(float));
                product(r.x + i * r.xStride + from, r.xStride, panel, kLinearPanel, edge, kLinearPanel, m,
                        padded(width), count, add);
                for (std::int64_t row = 0; row < m; ++row)
                    __builtin_memcpy(r.out + (i + row) * r.outStride + begin, edge + row * kLinearPanel,
                                     static_cast<std::size_t>(width) * sizeof(float));
            }
        }
    }
}

} // namespace

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The body of LinearKernel, included behind cpukernelsimpl.h for each instruction set that has one.

#include "core/lm/kernels/cpukernelsimpl.h"
#include "core/lm/kernels/cpulinear.h"

namespace headscope::lm {

namespace {

// panel[k][n] = weight of output `begin` + n and input `from` + k; n < width, k < count; the rest of the panel is 0.
static void packPanel(const LinearRows& r, std::int64_t begin, std::int64_t width, std::int64_t from,
                      std::int64_t count, float* panel)
{
    const float* const weight = r.weight + begin * r.outStep + from * r.inStep;
    if (r.outStep == 1) {
        // Rows of the weight lie pages apart, where the processor does not look ahead by itself. (Asking for what lies
        // past the end is harmless.)
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

// One row: each weight is read once, so memory sets the pace. It is asked far ahead, into the second-level cache, which
// has more requests under way than the first.

using Bfloats = std::uint16_t __attribute__((vector_size(2 * kLanes), aligned(2), may_alias));
using Bits = std::uint32_t __attribute__((vector_size(4 * kLanes)));

HEADSCOPE_INLINE Vector numbers(const float* p)
{
    return at(p);
}
HEADSCOPE_INLINE float number(const float* p)
{
    return *p;
}

// A bfloat16 is the upper half of an fp32 number.
HEADSCOPE_INLINE Vector numbers(const std::uint16_t* p)
{
    const Bits bits = __builtin_convertvector(*reinterpret_cast<const Bfloats*>(p), Bits) << 16;
    return reinterpret_cast<const Vector&>(bits);
}
HEADSCOPE_INLINE float number(const std::uint16_t* p)
{
    return __builtin_bit_cast(float, std::uint32_t{*p} << 16);
}

// Of a weight [N, K] whose inputs follow each other: two outputs at a time, half of them apart, are two streams of
// memory.
template <typename Weight>
HEADSCOPE_INLINE void productOfOneRow(const float* xs, const Weight* weights, std::int64_t outStep, std::int64_t in,
                                      const float* bias, float* out, std::int64_t begin, std::int64_t end)
{
    constexpr std::int64_t kAhead = 8192 / sizeof(Weight), kLine = 64 / sizeof(Weight);
    constexpr int kAtOnce = 2;
    const std::int64_t half = (end - begin + 1) / 2;
    for (std::int64_t n = begin; n < begin + half; ++n) {
        const bool two = n + half < end;
        const Weight* const weight = weights + n * outStep;
        const Weight* const other = two ? weight + half * outStep : weight;
        Vector sums[2][kAtOnce] = {};
        std::int64_t k = 0;
        for (; k + kAtOnce * kLanes <= in; k += kAtOnce * kLanes)
#pragma GCC unroll 2
            for (int i = 0; i < kAtOnce; ++i) {
                const std::int64_t here = k + i * kLanes;
                if (i * kLanes % kLine == 0) {
                    __builtin_prefetch(weight + here + kAhead, 0, 2);
                    __builtin_prefetch(other + here + kAhead, 0, 2);
                }
                const Vector x = at(xs + here);
                sums[0][i] += x * numbers(weight + here);
                sums[1][i] += x * numbers(other + here);
            }
        for (; k + kLanes <= in; k += kLanes) {
            sums[0][0] += at(xs + k) * numbers(weight + k);
            sums[1][0] += at(xs + k) * numbers(other + k);
        }
        float first = sum(sums[0][0] + sums[0][1]), second = sum(sums[1][0] + sums[1][1]);
        for (; k < in; ++k) {
            first += xs[k] * number(weight + k);
            second += xs[k] * number(other + k);
        }
        out[n] = first + (bias ? bias[n] : 0.0F);
        if (two)
            out[n + half] = second + (bias ? bias[n + half] : 0.0F);
    }
}

static void productOfBfloatRow(const BfloatRow& r, std::int64_t begin, std::int64_t end)
{
    productOfOneRow(r.x, r.weight, r.outStep, r.in, nullptr, r.out, begin, end);
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

// A weight's outputs follow each other: some inputs at a time are added to all outputs, which stay in the first-level
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
    constexpr std::int64_t kDepth = 2048; // inputs of a panel: it stays in the second-level cache
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

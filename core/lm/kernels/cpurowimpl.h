// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Products of a single row, included after cpukernelsimpl.h for each instruction set that has them.

#include "core/lm/kernels/cpukernelsimpl.h"
#include "core/lm/kernels/cpulinear.h"

namespace headscope::lm {

namespace {

// One row: each weight is read once, so memory bandwidth is the limit. Prefetches far ahead, into the second-level
// cache, which supports more outstanding requests than the first.

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

} // namespace

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The bodies of the products of packed weights with many rows in 16 bits, included once for each instruction set.

#include "core/lm/kernels/cpupackedimpl.h"

namespace headscope::lm {

namespace {

constexpr float kMostStep = 32767.0F;

HEADSCOPE_INLINE void store(std::int16_t* to, Integers whole)
{
#if defined(__AVX512F__)
    _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to), _mm512_cvtepi32_epi16(reinterpret_cast<__m512i>(whole)));
#else
    for (int i = 0; i < kLanes; ++i)
        to[i] = static_cast<std::int16_t>(whole[i]);
#endif
}

// One block to the nearest of 2 * 32767 + 1 steps of its largest; x is as long as a block. Returns the step, NaN or
// infinity where the block holds one.
HEADSCOPE_INLINE float roundBlock(const float* x, std::int64_t count, std::int16_t* to)
{
    const Vector zero = {}, magic = zero + 12582912.0F; // adding 1.5 * 2^23 rounds to a whole number
    Vector most = zero, mixed = zero;
    for (std::int64_t k = 0; k < count; k += kLanes) {
        const Vector v = at(x + k), size = v < zero ? -v : v;
        most = size > most ? size : most;
        mixed += v * 0.0F; // NaN if one is not finite
    }
    const float top = maximum(most) + sum(mixed);
    const float inverse = top > 0x1p-100F ? kMostStep / top : 0.0F;
    for (std::int64_t k = 0; k < count; k += kLanes)
        store(to + k, __builtin_convertvector((at(x + k) * inverse + magic) - magic, Integers));
    return top / kMostStep;
}

static bool roundRows(const PackedRows& r, const RoundedRows& to, std::int64_t first, std::int64_t last)
{
    float filled[kRoundedBlock];
    for (std::int64_t row = first; row < last; ++row)
        for (std::int64_t begin = 0, block = 0; begin < to.xStride; begin += kRoundedBlock, ++block) {
            const float* x = r.x + row * r.xStride + begin;
            const std::int64_t count = smaller(kRoundedBlock, to.xStride - begin), known = r.weight.in - begin;
            if (known < count) {
                for (std::int64_t k = 0; k < count; ++k)
                    filled[k] = k < known ? x[k] : 0.0F;
                x = filled;
            }
            const float step = roundBlock(x, count, to.x + row * to.xStride + begin);
            if (!(step < 1e38F))
                return false;
            to.steps[row * to.stepStride + block] = step;
        }
    return true;
}

#ifdef HEADSCOPE_VNNI
// Two codes of each output in one lane, of inputs that follow each other: to [in / 2, 64].
HEADSCOPE_INLINE Integers pair(Integers first, Integers second)
{
    return (first & 0xFFFF) | second << 16;
}

static void unpackPairs(const PackedMatrix& w, std::int64_t panel, std::int32_t* to)
{
    const std::int64_t filled = w.groups * kPackedGroup;
    const Integers none = {};
    if (w.bits == 8) {
        const std::uint8_t* codes = w.codes + panel * w.in * kPackedPanel;
        for (std::int64_t k = 0; k < filled; k += 2, codes += 2 * kPackedPanel, to += kPackedPanel)
            for (std::int64_t n = 0; n < kPackedPanel; n += kLanes)
                at(to + n) = pair(k < w.in ? fromSigned(codes + n) : none,
                                  k + 1 < w.in ? fromSigned(codes + kPackedPanel + n) : none);
        return;
    }
    for (std::int64_t group = 0; group < w.groups; ++group) {
        const std::uint32_t* words = w.words + (panel * w.groups + group) * kPackedGroupWords + kPackedScaleWords;
        for (std::int64_t word = 0; word < kPackedGroup / kPackedWord; ++word, words += kPackedPanel)
            for (int k = 0; k < kPackedWord; k += 2, to += kPackedPanel)
                for (std::int64_t n = 0; n < kPackedPanel; n += kLanes) {
                    const Words codes = at(words + n) >> (4 * k), low = codes & 15U, high = codes >> 4 & 15U;
                    at(to + n) =
                        pair(reinterpret_cast<const Integers&>(low) - 8, reinterpret_cast<const Integers&>(high) - 8);
                }
    }
}

// The products of a pair in each lane are added to its sum. In words of the processor: compilers move the sums about
// when they are told by an intrinsic, which takes as long as the products.
HEADSCOPE_INLINE void addPair(Integers& sums, Integers weights, Integers inputs)
{
    asm("vpdpwssd %2, %1, %0" : "+v"(sums) : "v"(weights), "v"(inputs));
}

// What is done with these sums comes after what was done with those before: taken all at once they do not fit the
// registers.
HEADSCOPE_INLINE Vector inTurn(Integers& sums)
{
    asm volatile("" : "+v"(sums));
    return asFloats(sums);
}

// sums[i][j] += products of `pairs` pairs of inputs: of M rows and the panel's outputs.
template <int M>
HEADSCOPE_INLINE void addPairs(const std::int16_t* x, std::int64_t stride, const std::int32_t* weights,
                               std::int64_t pairs, Integers (&sums)[M][kBlockVectors])
{
    for (std::int64_t p = 0; p < pairs; ++p, weights += kPackedPanel) {
        Integers left[M];
#pragma GCC unroll 8
        for (int i = 0; i < M; ++i) {
            std::int32_t both;
            __builtin_memcpy(&both, x + i * stride + 2 * p, sizeof both);
            left[i] = both - Integers{};
        }
#pragma GCC unroll 4
        for (int j = 0; j < kBlockVectors; ++j) {
            const Integers right = at(weights + j * kLanes);
#pragma GCC unroll 8
            for (int i = 0; i < M; ++i)
                addPair(sums[i][j], right, left[i]);
        }
    }
}

// A panel's codes of a block of inputs stay in the first-level cache for all rows at one time, whose sums stay in the
// second.
constexpr std::int64_t kRows16 = 240;

// Of one panel, the inputs from `begin` on and the rows from `row` on: what is added to sums [M, 64].
struct Tile16 {
    const PackedRows& r;
    const RoundedRows& x;
    const std::int32_t* weights; // of the inputs
    std::int64_t panel, row, begin, count;
    float* sums;
};

// Eight bits, without the scales. A block's sums fit 32 bits: 128 * 127 * 32767.
template <int M> HEADSCOPE_INLINE void addEight(const Tile16& t)
{
    Integers sums[M][kBlockVectors] = {};
    addPairs<M>(t.x.x + t.row * t.x.xStride + t.begin, t.x.xStride, t.weights, t.count / 2, sums);
    const float* const steps = t.x.steps + t.row * t.x.stepStride + t.begin / kRoundedBlock;
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < kBlockVectors; ++j)
            at(t.sums + i * kPackedPanel + j * kLanes) += inTurn(sums[i][j]) * steps[i * t.x.stepStride];
}

// Four bits, where each group has scales of its own. Between groups the sums wait in memory: registers are for those
// of one group, of as many rows as in eight bits.
template <int M> HEADSCOPE_INLINE void addFour(const Tile16& t)
{
    Vector totals[M][kBlockVectors] = {};
    const std::uint32_t* group =
        t.r.weight.words + (t.panel * t.r.weight.groups + t.begin / kPackedGroup) * kPackedGroupWords;
    for (std::int64_t from = 0; from < t.count; from += kPackedGroup, group += kPackedGroupWords) {
        Integers sums[M][kBlockVectors] = {};
        addPairs<M>(t.x.x + t.row * t.x.xStride + t.begin + from, t.x.xStride, t.weights + from / 2 * kPackedPanel,
                    kPackedGroup / 2, sums);
#pragma GCC unroll 4
        for (int j = 0; j < kBlockVectors; ++j) {
            const Vector scale = fromHalves(halvesIn(group) + j * kLanes);
#pragma GCC unroll 8
            for (int i = 0; i < M; ++i)
                totals[i][j] += inTurn(sums[i][j]) * scale;
        }
    }
    const float* const steps = t.x.steps + t.row * t.x.stepStride + t.begin / kRoundedBlock;
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < kBlockVectors; ++j)
            at(t.sums + i * kPackedPanel + j * kLanes) += totals[i][j] * steps[i * t.x.stepStride];
}

// All rows of a block; `t` names the first.
HEADSCOPE_INLINE void addRows(Tile16 t, std::int64_t rows)
{
    const auto next = [&](std::int64_t count) {
        t.row += count;
        t.sums += count * kPackedPanel;
        rows -= count;
    };
    const bool eight = t.r.weight.bits == 8;
    for (; eight && rows >= 6; next(6))
        addEight<6>(t);
    for (; !eight && rows >= 3; next(3))
        addFour<3>(t);
    for (; rows >= 2; next(2))
        eight ? addEight<2>(t) : addFour<2>(t);
    if (rows > 0)
        eight ? addEight<1>(t) : addFour<1>(t);
}

static void linearOfRounded(const PackedRows& r, const RoundedRows& x, std::int64_t first, std::int64_t last)
{
    const std::int64_t filled = r.weight.groups * kPackedGroup;
    Scratch scratch(filled / 2 * kPackedPanel + kRows16 * kPackedPanel + 2 * kLanes);
    auto* const weights = reinterpret_cast<std::int32_t*>(scratch.take(filled / 2 * kPackedPanel));
    float* const sums = scratch.take(kRows16 * kPackedPanel);
    for (std::int64_t panel = first; panel < last; ++panel) {
        unpackPairs(r.weight, panel, weights);
        float scales[kPackedPanel], bias[kPackedPanel];
        const std::int64_t outs = panel * kPackedPanel, width = smaller(kPackedPanel, r.weight.outs - outs);
        for (std::int64_t n = 0; n < kPackedPanel; ++n) {
            scales[n] = r.weight.bits == 8 ? r.weight.scales[outs + n] : 1.0F;
            bias[n] = r.bias && n < width ? r.bias[outs + n] : 0.0F;
        }
        for (std::int64_t row = 0; row < r.rows; row += kRows16) {
            const std::int64_t rows = smaller(kRows16, r.rows - row);
            for (std::int64_t i = 0; i < rows * kPackedPanel; i += kLanes)
                at(sums + i) = Vector{};
            for (std::int64_t begin = 0; begin < filled; begin += kRoundedBlock)
                addRows({r, x, weights + begin / 2 * kPackedPanel, panel, row, begin,
                         smaller(kRoundedBlock, filled - begin), sums},
                        rows);
            for (std::int64_t i = 0; i < rows; ++i) {
                float* const out = r.out + (row + i) * r.outStride + outs;
                const float* const from = sums + i * kPackedPanel;
                std::int64_t n = 0;
                for (; n + kLanes <= width; n += kLanes)
                    at(out + n) = at(from + n) * at(scales + n) + at(bias + n);
                for (; n < width; ++n)
                    out[n] = from[n] * scales[n] + bias[n];
            }
        }
    }
}
#endif

} // namespace

static const PackedKernels& packedKernelsOfThisSet()
{
#ifdef HEADSCOPE_VNNI
    static const PackedKernels all{packedLinear, unpack, roundRows,
                                   __builtin_cpu_supports("avx512vnni") ? linearOfRounded : nullptr};
#else
    static const PackedKernels all{packedLinear, unpack, roundRows, nullptr};
#endif
    return all;
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The implementation of products with packed weights, included once per instruction set; see cpuvectorsimpl.h.

#include "core/lm/kernels/cpupacked.h"
#include "core/lm/kernels/cpuvectorsimpl.h"

namespace headscope::lm {

namespace {

using SignedBytes = std::int8_t __attribute__((vector_size(kLanes), aligned(1), may_alias));
using Words = std::uint32_t __attribute__((vector_size(4 * kLanes), aligned(1), may_alias));

constexpr std::int64_t kBlock = 4 * kLanes < kPackedPanel ? 4 * kLanes : kPackedPanel; // outputs per step
constexpr int kBlockVectors = static_cast<int>(kBlock / kLanes);

// One instruction if the set has it; compilers generate slow code for vectors of bytes.
HEADSCOPE_INLINE Integers fromSigned(const std::uint8_t* p)
{
#if defined(__AVX512F__)
    return reinterpret_cast<Integers>(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(p))));
#elif defined(__AVX2__)
    return reinterpret_cast<Integers>(_mm256_cvtepi8_epi32(_mm_loadu_si64(p)));
#else
    return __builtin_convertvector(*reinterpret_cast<const SignedBytes*>(p), Integers);
#endif
}

HEADSCOPE_INLINE const Words& at(const std::uint32_t* p)
{
    return *reinterpret_cast<const Words*>(p);
}

HEADSCOPE_INLINE Integers& at(std::int32_t* p)
{
    return *reinterpret_cast<Integers*>(p);
}
HEADSCOPE_INLINE const Integers& at(const std::int32_t* p)
{
    return *reinterpret_cast<const Integers*>(p);
}

HEADSCOPE_INLINE Vector asFloats(Integers codes)
{
    return __builtin_convertvector(codes, Vector);
}

// Returns the four bits of `words` from 4 * `at` on, times 16^at except for the uppermost: the multiplier can be
// smaller by the same factor, which saves the shift. No lanes are permuted, which is slower than arithmetic.
HEADSCOPE_INLINE Vector raisedCode(Words words, int at)
{
    const Words code = at + 1 < kPackedWord ? words & (15U << (4 * at)) : words >> (4 * at);
    return asFloats(reinterpret_cast<const Integers&>(code));
}

// Converts finite fp16: exponent and fraction are in the same places as in fp32, 112 powers of two apart.
HEADSCOPE_INLINE Vector fromHalves(const std::uint16_t* p)
{
#if defined(__AVX512F__)
    return reinterpret_cast<Vector>(_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(p))));
#else
    const Integers bits = __builtin_convertvector(*reinterpret_cast<const Halves*>(p), Integers);
    const Integers magnitude = (bits & 0x7FFF) << 13, sign = (bits & 0x8000) << 16;
    const Vector scaled = reinterpret_cast<const Vector&>(magnitude) * 0x1p112F;
    const Integers whole = reinterpret_cast<const Integers&>(scaled) | sign;
    return reinterpret_cast<const Vector&>(whole);
#endif
}

HEADSCOPE_INLINE const std::uint16_t* halvesIn(const std::uint32_t* words)
{
    return reinterpret_cast<const std::uint16_t*>(words);
}

static void unpack(const PackedMatrix& w, const UnpackedPanel& part)
{
    if (w.bits == 8) {
        const std::uint8_t* const codes = w.codes + (part.panel * w.in + part.first) * kPackedPanel;
        const float* const scales = w.scales + part.panel * kPackedPanel;
        for (std::int64_t k = 0; k < part.count; ++k)
            for (std::int64_t n = 0; n < kPackedPanel; n += kLanes)
                at(part.to + k * kPackedPanel + n) =
                    asFloats(fromSigned(codes + k * kPackedPanel + n)) * at(scales + n);
        return;
    }
    for (std::int64_t k = part.first; k < part.first + part.count; ++k) {
        const std::uint32_t* const group = w.words + (part.panel * w.groups + k / kPackedGroup) * kPackedGroupWords;
        const std::uint32_t* const words = group + kPackedScaleWords + k % kPackedGroup / kPackedWord * kPackedPanel;
        float* const to = part.to + (k - part.first) * kPackedPanel;
        for (std::int64_t n = 0; n < kPackedPanel; n += kLanes) {
            const Words code = at(words + n) >> (4 * (k % kPackedWord)) & 15U;
            at(to + n) = asFloats(reinterpret_cast<const Integers&>(code) - 8) * fromHalves(halvesIn(group) + n);
        }
    }
}

// One row: the codes of a panel are contiguous and prefetched far ahead. Two panels at a time give two memory
// streams.
constexpr std::int64_t kAheadOfCodes = 4096;

HEADSCOPE_INLINE void oneRowOfEight(const PackedMatrix& w, const float* x, const std::int64_t (&panels)[2],
                                    std::int64_t from, float (&out)[2][kPackedPanel])
{
    const std::uint8_t* codes[2] = {w.codes + panels[0] * w.in * kPackedPanel + from,
                                    w.codes + panels[1] * w.in * kPackedPanel + from};
    Vector sums[2][kBlockVectors] = {};
    for (std::int64_t k = 0; k < w.in; ++k) {
        const Vector input = x[k] - Vector{};
#pragma GCC unroll 2
        for (int i = 0; i < 2; ++i) {
            __builtin_prefetch(codes[i] + kAheadOfCodes, 0, 2);
#pragma GCC unroll 4
            for (int j = 0; j < kBlockVectors; ++j)
                sums[i][j] += input * asFloats(fromSigned(codes[i] + j * kLanes));
            codes[i] += kPackedPanel;
        }
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < kBlockVectors; ++j)
            at(out[i] + from + j * kLanes) = sums[i][j] * at(w.scales + panels[i] * kPackedPanel + from + j * kLanes);
}

constexpr float kLowered[kPackedWord] = {1.0F, 0x1p-4F, 0x1p-8F, 0x1p-12F, 0x1p-16F, 0x1p-20F, 0x1p-24F, 1.0F};

// `x` is padded to whole groups and scaled down as raisedCode() scales up; `eights` [groups] is 8 times the sum of
// each: the offset of the codes.
HEADSCOPE_INLINE void oneRowOfFour(const PackedMatrix& w, const float* x, const float* eights,
                                   const std::int64_t (&panels)[2], std::int64_t from, float (&out)[2][kPackedPanel])
{
    const std::uint32_t* words[2];
    Vector totals[2][kBlockVectors] = {};
    for (int i = 0; i < 2; ++i)
        words[i] = w.words + panels[i] * w.groups * kPackedGroupWords;
    for (std::int64_t group = 0; group < w.groups; ++group) {
        Vector sums[2][kBlockVectors];
#pragma GCC unroll 2
        for (int i = 0; i < 2; ++i)
#pragma GCC unroll 4
            for (int j = 0; j < kBlockVectors; ++j)
                sums[i][j] = Vector{} - eights[group];
        for (std::int64_t word = kPackedScaleWords + from; word < kPackedGroupWords; word += kPackedPanel) {
#pragma GCC unroll 2
            for (int i = 0; i < 2; ++i)
#pragma GCC unroll 4
                for (int j = 0; j < kBlockVectors; ++j) {
                    const std::uint32_t* const here = words[i] + word + j * kLanes;
                    __builtin_prefetch(here + kAheadOfCodes / 4, 0, 2);
                    const Words codes = at(here);
#pragma GCC unroll 8
                    for (int k = 0; k < kPackedWord; ++k)
                        sums[i][j] += (x[k] - Vector{}) * raisedCode(codes, k);
                }
            x += kPackedWord;
        }
#pragma GCC unroll 2
        for (int i = 0; i < 2; ++i) {
            __builtin_prefetch(words[i] + kAheadOfCodes / 4, 0, 2);
            __builtin_prefetch(words[i] + kAheadOfCodes / 4 + kPackedScaleWords / 2, 0, 2);
#pragma GCC unroll 4
            for (int j = 0; j < kBlockVectors; ++j)
                totals[i][j] += sums[i][j] * fromHalves(halvesIn(words[i]) + from + j * kLanes);
            words[i] += kPackedGroupWords;
        }
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < kBlockVectors; ++j)
            at(out[i] + from + j * kLanes) = totals[i][j];
}

static void packedRow(const PackedRows& r, std::int64_t first, std::int64_t last)
{
    const PackedMatrix& w = r.weight;
    const std::int64_t filled = w.groups * kPackedGroup;
    Scratch scratch(filled + w.groups + 2 * kLanes);
    float* const x = scratch.take(filled);
    float* const eights = scratch.take(w.groups);
    for (std::int64_t k = 0; k < filled; ++k)
        x[k] = k < w.in ? r.x[k] : 0.0F;
    for (std::int64_t group = 0; group < w.groups; ++group) {
        float total = 0.0F;
        for (std::int64_t i = 0; i < kPackedGroup; ++i)
            total += x[group * kPackedGroup + i];
        eights[group] = 8.0F * total;
    }
    for (std::int64_t k = 0; w.bits == 4 && k < filled; ++k)
        x[k] *= kLowered[k % kPackedWord];
    const std::int64_t half = (last - first + 1) / 2;
    for (std::int64_t panel = first; panel < first + half; ++panel) {
        const std::int64_t panels[2] = {panel, panel + half < last ? panel + half : panel};
        float out[2][kPackedPanel];
        for (std::int64_t from = 0; from < kPackedPanel; from += kBlock)
            if (w.bits == 8)
                oneRowOfEight(w, x, panels, from, out);
            else
                oneRowOfFour(w, x, eights, panels, from, out);
        for (int i = 0; i < 2; ++i) {
            const std::int64_t begin = panels[i] * kPackedPanel, width = smaller(kPackedPanel, w.outs - begin);
            for (std::int64_t n = 0; n < width; ++n)
                r.out[begin + n] = out[i][n] + (r.bias ? r.bias[begin + n] : 0.0F);
        }
    }
}

// Computes the panels [first, last): each piece of a panel is unpacked once for all rows.
static void packedLinear(const PackedRows& r, std::int64_t first, std::int64_t last)
{
    if (r.rows == 1)
        return packedRow(r, first, last);
    constexpr std::int64_t kDepth = 2048; // inputs of a piece: fits the second-level cache
    const PackedMatrix& w = r.weight;
    const std::int64_t depth = smaller(w.in, kDepth);
    Scratch scratch(depth * kPackedPanel + kRows * kPackedPanel + 2 * kLanes);
    float* const panel = scratch.take(depth * kPackedPanel);
    float* const edge = scratch.take(kRows * kPackedPanel);
    for (std::int64_t p = first; p < last; ++p) {
        const std::int64_t begin = p * kPackedPanel, width = smaller(kPackedPanel, w.outs - begin);
        for (std::int64_t from = 0; from < w.in; from += kDepth) {
            const std::int64_t count = smaller(kDepth, w.in - from);
            unpack(w, {p, from, count, panel});
            for (std::int64_t i = 0; i < r.rows; i += kRows) {
                const std::int64_t m = smaller(kRows, r.rows - i);
                const bool whole = width == kPackedPanel; // otherwise through a buffer: nothing is written past a row
                float* const out = whole ? r.out + i * r.outStride + begin : edge;
                const std::int64_t stride = whole ? r.outStride : kPackedPanel;
                product(r.x + i * r.xStride + from, r.xStride, panel, kPackedPanel, out, stride, m, kPackedPanel, count,
                        whole && from > 0);
                for (std::int64_t row = 0; !whole && row < m; ++row)
                    for (std::int64_t n = 0; n < width; ++n) {
                        float& to = r.out[(i + row) * r.outStride + begin + n];
                        to = edge[row * kPackedPanel + n] + (from > 0 ? to : 0.0F);
                    }
            }
        }
        for (std::int64_t i = 0; r.bias && i < r.rows; ++i)
            for (std::int64_t n = 0; n < width; ++n)
                r.out[i * r.outStride + begin + n] += r.bias[begin + n];
    }
}

} // namespace

} // namespace headscope::lm

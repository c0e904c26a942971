// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The implementation of products of packed weights with many rows in 16 bits, included once per instruction set.

#include "core/lm/kernels/cpupackimpl.h"

namespace headscope::lm {

namespace {

HEADSCOPE_INLINE void store(std::int16_t* to, Integers whole)
{
#if defined(__AVX512F__)
    _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to), _mm512_cvtepi32_epi16(reinterpret_cast<__m512i>(whole)));
#else
    for (int i = 0; i < kLanes; ++i)
        to[i] = static_cast<std::int16_t>(whole[i]);
#endif
}

HEADSCOPE_INLINE std::int32_t largest(Integers of)
{
#if defined(__AVX512F__)
    return _mm512_reduce_max_epi32(reinterpret_cast<__m512i>(of));
#else
    std::int32_t most = of[0];
    for (int i = 1; i < kLanes; ++i)
        most = of[i] > most ? of[i] : most;
    return most;
#endif
}

// Rounds one block to integers, the largest of which becomes `whole`; x is as long as a block. Returns the step, NaN or
// infinity if the block contains one.
HEADSCOPE_INLINE float roundBlock(const float* x, std::int64_t count, float whole, std::int16_t* to)
{
    const Vector magic = Vector{} + 12582912.0F; // adding 1.5 * 2^23 rounds to a whole number
    Integers most = {};                          // as integers, of which NaN and infinity are the largest
    for (std::int64_t k = 0; k < count; k += kLanes) {
        const Integers size = reinterpret_cast<const Integers&>(at(x + k)) & 0x7FFFFFFF;
        most = size > most ? size : most;
    }
    const float top = __builtin_bit_cast(float, largest(most));
    const float inverse = top > 0x1p-100F ? whole / top : 0.0F;
    for (std::int64_t k = 0; k < count; k += kLanes)
        store(to + k, __builtin_convertvector((at(x + k) * inverse + magic) - magic, Integers));
    return top / whole;
}

static bool roundRows(const PackedRows& r, const RoundedRows& to, std::int64_t first, std::int64_t last)
{
    const float most = mostRounded(r.weight.bits, r.rows);
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
            const float step = roundBlock(x, count, most, to.x + row * to.xStride + begin);
            if (!(step < 1e38F))
                return false;
            to.steps[row * to.stepStride + block] = step;
        }
    return true;
}

#ifdef HEADSCOPE_VNNI
// Packs two codes of each output, of consecutive inputs, into one lane.
HEADSCOPE_INLINE Integers pair(Integers first, Integers second)
{
    return (first & 0xFFFF) | second << 16;
}

// Unpacks to [in / 2, 64], like unpackBlockOfFour().
static void unpackEight(const PackedMatrix& w, std::int64_t panel, std::int32_t* to)
{
    const Integers none = {};
    const std::uint8_t* codes = w.codes + panel * w.in * kPackedPanel;
    for (std::int64_t k = 0; k < w.groups * kPackedGroup; k += 2, codes += 2 * kPackedPanel, to += kPackedPanel)
        for (std::int64_t n = 0; n < kPackedPanel; n += kLanes)
            at(to + n) = pair(k < w.in ? fromSigned(codes + n) : none,
                              k + 1 < w.in ? fromSigned(codes + kPackedPanel + n) : none);
}

// The four codes of a word are two pairs; each is placed from bit 8 on, minus 8.
template <int kPair> HEADSCOPE_INLINE Words raisedPair(Words word)
{
    constexpr int kLow = 8 - 8 * kPair, kHigh = 20 - 8 * kPair; // to the left
    const Words low = kLow > 0 ? word << (kLow & 31) : word >> (-kLow & 31);
    const Words high = kHigh > 0 ? word << (kHigh & 31) : word >> (-kHigh & 31);
    const Words both = (low & 0x0F00U) | (high & 0x0F000000U);
    return reinterpret_cast<Words>(
        _mm512_sub_epi16(reinterpret_cast<__m512i>(both), _mm512_set1_epi16(static_cast<short>(8 << 8))));
}

template <int kPair> HEADSCOPE_INLINE void unpackPair(const std::uint32_t* words, Words shares, std::int32_t* to)
{
    const __m512i raised = reinterpret_cast<__m512i>(raisedPair<kPair>(at(words)));
    at(to + kPair * kPackedPanel) =
        reinterpret_cast<Integers>(_mm512_mulhrs_epi16(raised, reinterpret_cast<__m512i>(shares)));
}

// The scales of a block's groups differ: codes are multiplied by 127 and their group's share of the largest scale and
// rounded to integers, so that a block has one scale per output, written to scales [64].
static void unpackBlockOfFour(const std::uint32_t* group, std::int64_t groups, std::int32_t* to, float* scales)
{
    constexpr float kRaise = 127.0F, kWhole = 128.0F * kRaise; // mulhrs divides 256 codes times this by 2^15
    for (std::int64_t n = 0; n < kPackedPanel; n += kLanes) {
        Vector most = {};
        for (std::int64_t g = 0; g < groups; ++g) {
            const Vector scale = fromHalves(halvesIn(group + g * kPackedGroupWords) + n),
                         size = scale < 0 ? -scale : scale;
            most = size > most ? size : most;
        }
        at(scales + n) = most / kRaise;
        const Vector inverse = most > 0 ? kWhole / most : Vector{};
        for (std::int64_t g = 0; g < groups; ++g) {
            const std::uint32_t* const words = group + g * kPackedGroupWords;
            const Vector share = fromHalves(halvesIn(words) + n) * inverse;
            const Integers whole = reinterpret_cast<Integers>(_mm512_cvtps_epi32(reinterpret_cast<__m512>(share)));
            const Words shares = reinterpret_cast<Words>(pair(whole, whole));
            std::int32_t* pairs = to + g * kPackedGroup / 2 * kPackedPanel + n;
            for (std::int64_t word = 0; word < kPackedGroup / kPackedWord; ++word) {
                const std::uint32_t* const codes = words + kPackedScaleWords + word * kPackedPanel + n;
                unpackPair<0>(codes, shares, pairs);
                unpackPair<1>(codes, shares, pairs);
                unpackPair<2>(codes, shares, pairs);
                unpackPair<3>(codes, shares, pairs);
                pairs += kPackedWord / 2 * kPackedPanel;
            }
        }
    }
}

// A panel's codes for all rows, and their scales.
struct Panel16 {
    std::int32_t* pairs;                            // codes [K / 2, 64], K padded to whole groups
    float* blockScales;                             // four bits: [K / 256, 64]
    float scales[kPackedPanel], bias[kPackedPanel]; // of its outputs
    std::int64_t first, width;                      // range of the outputs

    // A separate function: inside the loop over panels GCC 12 crashes under its sanitizers.
    [[gnu::noinline]] void unpack(const PackedRows& r, std::int64_t panel)
    {
        const PackedMatrix& w = r.weight;
        first = panel * kPackedPanel;
        width = smaller(kPackedPanel, w.outs - first);
        for (std::int64_t n = 0; n < kPackedPanel; ++n) {
            scales[n] = w.bits == 8 ? w.scales[first + n] : 1.0F;
            bias[n] = r.bias && n < width ? r.bias[first + n] : 0.0F;
        }
        if (w.bits == 8)
            return unpackEight(w, panel, pairs);
        constexpr std::int64_t kGroups = kRoundedBlock / kPackedGroup;
        for (std::int64_t group = 0; group < w.groups; group += kGroups)
            unpackBlockOfFour(w.words + (panel * w.groups + group) * kPackedGroupWords,
                              smaller(kGroups, w.groups - group), pairs + group * kPackedGroup / 2 * kPackedPanel,
                              blockScales + group / kGroups * kPackedPanel);
    }

    void finish(const float* sums, float* out) const
    {
        std::int64_t n = 0;
        for (; n + kLanes <= width; n += kLanes)
            at(out + first + n) = at(sums + n) * at(scales + n) + at(bias + n);
        for (; n < width; ++n)
            out[first + n] = sums[n] * scales[n] + bias[n];
    }
};

// Adds the products of a pair in each lane to its sum. In assembly: with an intrinsic, compilers move the sums around,
// which takes as long as the products.
HEADSCOPE_INLINE void addPair(Integers& sums, Integers weights, Integers inputs)
{
    asm("vpdpwssd %2, %1, %0" : "+v"(sums) : "v"(weights), "v"(inputs));
}

// Forces the use of these sums after the use of those before: all at once they do not fit the
// registers.
HEADSCOPE_INLINE Vector inTurn(Integers& sums)
{
    asm volatile("" : "+v"(sums));
    return asFloats(sums);
}

// sums[i][j] += products of `pairs` pairs of inputs, for M rows and the panel's outputs.
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

// A panel's codes of a block of inputs stay in the first-level cache for all rows processed at one time, whose sums
// stay in the second-level cache.
constexpr std::int64_t kRows16 = 240;

// The inputs from `begin` on and the rows from `row` on: a tile whose products are added to sums [M, 64].
struct Tile16 {
    const RoundedRows& x;
    const Panel16& panel;
    std::int64_t row, begin, count;
    float* sums;
};

// A block's sums fit 32 bits: 256 * 127 * 32767 in eight bits, 256 * 8 * 127 * 8191 in four.
template <bool kFour, int M> HEADSCOPE_INLINE void addTile(const Tile16& t)
{
    Integers sums[M][kBlockVectors] = {};
    addPairs<M>(t.x.x + t.row * t.x.xStride + t.begin, t.x.xStride, t.panel.pairs + t.begin / 2 * kPackedPanel,
                t.count / 2, sums);
    const std::int64_t block = t.begin / kRoundedBlock;
    const float* const steps = t.x.steps + t.row * t.x.stepStride + block;
    const float* const scales = t.panel.blockScales + block * kPackedPanel;
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < kBlockVectors; ++j) {
            Vector sum = inTurn(sums[i][j]) * steps[i * t.x.stepStride];
            if constexpr (kFour)
                sum *= at(scales + j * kLanes);
            at(t.sums + i * kPackedPanel + j * kLanes) += sum;
        }
}

// Adds all rows of a block; `t` names the first.
template <bool kFour> HEADSCOPE_INLINE void addRows(Tile16 t, std::int64_t rows)
{
    const auto next = [&](std::int64_t count) {
        t.row += count;
        t.sums += count * kPackedPanel;
        rows -= count;
    };
    for (; rows >= 6; next(6))
        addTile<kFour, 6>(t);
    for (; rows >= 2; next(2))
        addTile<kFour, 2>(t);
    if (rows > 0)
        addTile<kFour, 1>(t);
}

// One row with weights of four bits. Its numbers of 16 bits are two bytes each, whose products with the codes of four
// inputs are one instruction.
struct RowBytes {
    std::int32_t* bytes;  // [words, 4]: of the inputs of a word the upper bytes of 0, 2, 4, 6, of 1, 3, 5, 7, and the
                          // lower bytes likewise
    std::int32_t* eights; // [groups]: what the codes are too large by
};

static void splitRow(const std::int16_t* x, std::int64_t groups, RowBytes& to)
{
    for (std::int64_t group = 0; group < groups; ++group) {
        std::int32_t total = 0;
        for (std::int64_t word = group * kPackedGroup / kPackedWord; word < (group + 1) * kPackedGroup / kPackedWord;
             ++word) {
            std::int8_t bytes[2][2][kPackedWord / 2];
            for (std::int64_t i = 0; i < kPackedWord; ++i) {
                const std::int32_t whole = x[word * kPackedWord + i];
                const auto low = static_cast<std::int8_t>(whole & 0xFF);
                bytes[0][i % 2][i / 2] = static_cast<std::int8_t>((whole - low) >> 8);
                bytes[1][i % 2][i / 2] = low;
                total += whole;
            }
            __builtin_memcpy(to.bytes + 4 * word, bytes, sizeof bytes);
        }
        to.eights[group] = -8 * total;
    }
}

HEADSCOPE_INLINE void addFours(Integers& sums, Words codes, Integers inputs)
{
    asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(codes), "v"(inputs));
}

static void rowOfFour(const PackedMatrix& w, const RowBytes& x, const float* steps, const std::int64_t (&panels)[2],
                      float (&out)[2][kPackedPanel])
{
    const std::uint32_t* words[2];
    Vector totals[2][kBlockVectors] = {}, block[2][kBlockVectors] = {};
    for (int i = 0; i < 2; ++i)
        words[i] = w.words + panels[i] * w.groups * kPackedGroupWords;
    const std::int32_t* bytes = x.bytes;
    constexpr std::int64_t kGroups = kRoundedBlock / kPackedGroup;
    for (std::int64_t group = 0; group < w.groups; ++group) {
#pragma GCC unroll 2
        for (int i = 0; i < 2; ++i) {
            const std::uint32_t* const codes = words[i] + kPackedScaleWords;
            Integers high[kBlockVectors] = {}, low[kBlockVectors];
#pragma GCC unroll 4
            for (int j = 0; j < kBlockVectors; ++j)
                low[j] = x.eights[group] - Integers{};
#pragma GCC unroll 4
            for (std::int64_t word = 0; word < kPackedGroup / kPackedWord; ++word) {
                const std::int32_t* const from = bytes + 4 * word;
                const Integers inputs[4] = {from[0] - Integers{}, from[1] - Integers{}, from[2] - Integers{},
                                            from[3] - Integers{}};
#pragma GCC unroll 4
                for (int j = 0; j < kBlockVectors; ++j) {
                    const std::uint32_t* const here = codes + word * kPackedPanel + j * kLanes;
                    __builtin_prefetch(here + kAheadOfCodes / 4, 0, 2);
                    const Words both = at(here), even = both & 0x0F0F0F0FU, odd = both >> 4 & 0x0F0F0F0FU;
                    addFours(high[j], even, inputs[0]);
                    addFours(low[j], even, inputs[2]);
                    addFours(high[j], odd, inputs[1]);
                    addFours(low[j], odd, inputs[3]);
                }
            }
            __builtin_prefetch(words[i] + kAheadOfCodes / 4, 0, 2);
            __builtin_prefetch(words[i] + kAheadOfCodes / 4 + kPackedScaleWords / 2, 0, 2);
#pragma GCC unroll 4
            for (int j = 0; j < kBlockVectors; ++j)
                block[i][j] += asFloats((high[j] << 8) + low[j]) * fromHalves(halvesIn(words[i]) + j * kLanes);
            words[i] += kPackedGroupWords;
        }
        bytes += 4 * kPackedGroup / kPackedWord;
        if (group % kGroups == kGroups - 1 || group == w.groups - 1)
#pragma GCC unroll 2
            for (int i = 0; i < 2; ++i)
#pragma GCC unroll 4
                for (int j = 0; j < kBlockVectors; ++j) {
                    totals[i][j] += block[i][j] * steps[group / kGroups];
                    block[i][j] = Vector{};
                }
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < kBlockVectors; ++j)
            at(out[i] + j * kLanes) = totals[i][j];
}

static void rowOfRounded(const PackedRows& r, const RoundedRows& x, std::int64_t first, std::int64_t last)
{
    const std::int64_t groups = r.weight.groups;
    Scratch scratch(groups * kPackedGroup / 2 + groups + 2 * kLanes);
    RowBytes row = {};
    row.bytes = reinterpret_cast<std::int32_t*>(scratch.take(groups * kPackedGroup / 2));
    row.eights = reinterpret_cast<std::int32_t*>(scratch.take(groups));
    splitRow(x.x, groups, row);
    const std::int64_t half = (last - first + 1) / 2;
    for (std::int64_t panel = first; panel < first + half; ++panel) {
        const std::int64_t panels[2] = {panel, panel + half < last ? panel + half : panel};
        float out[2][kPackedPanel];
        rowOfFour(r.weight, row, x.steps, panels, out);
        for (int i = 0; i < 2; ++i) {
            const std::int64_t begin = panels[i] * kPackedPanel, width = smaller(kPackedPanel, r.weight.outs - begin);
            for (std::int64_t n = 0; n < width; ++n)
                r.out[begin + n] = out[i][n] + (r.bias ? r.bias[begin + n] : 0.0F);
        }
    }
}

static void linearOfRounded(const PackedRows& r, const RoundedRows& x, std::int64_t first, std::int64_t last)
{
    if (r.rows == 1 && r.weight.bits == 4)
        return rowOfRounded(r, x, first, last);
    const std::int64_t blocks = (x.xStride + kRoundedBlock - 1) / kRoundedBlock;
    Scratch scratch((x.xStride / 2 + blocks + kRows16) * kPackedPanel + 3 * kLanes);
    Panel16 panel = {};
    panel.pairs = reinterpret_cast<std::int32_t*>(scratch.take(x.xStride / 2 * kPackedPanel));
    panel.blockScales = scratch.take(blocks * kPackedPanel);
    float* const sums = scratch.take(kRows16 * kPackedPanel);
    for (std::int64_t p = first; p < last; ++p) {
        panel.unpack(r, p);
        for (std::int64_t row = 0; row < r.rows; row += kRows16) {
            const std::int64_t rows = smaller(kRows16, r.rows - row);
            for (std::int64_t i = 0; i < rows * kPackedPanel; i += kLanes)
                at(sums + i) = Vector{};
            for (std::int64_t begin = 0; begin < x.xStride; begin += kRoundedBlock) {
                const Tile16 tile = {x, panel, row, begin, smaller(kRoundedBlock, x.xStride - begin), sums};
                r.weight.bits == 8 ? addRows<false>(tile, rows) : addRows<true>(tile, rows);
            }
            for (std::int64_t i = 0; i < rows; ++i)
                panel.finish(sums + i * kPackedPanel, r.out + (row + i) * r.outStride);
        }
    }
}
#endif

} // namespace

static const PackedKernels& packedKernelsOfThisSet()
{
#ifdef HEADSCOPE_VNNI
    static const PackedKernels all{pack, packedLinear, unpack, roundRows,
                                   __builtin_cpu_supports("avx512vnni") ? linearOfRounded : nullptr};
#else
    static const PackedKernels all{pack, packedLinear, unpack, roundRows, nullptr};
#endif
    return all;
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The implementation of packing, included once per instruction set. Lanes are outputs, so that sums over inputs have
// the same order in every set, and every set packs to the same bits.

#include "core/lm/kernels/cpupackedimpl.h"

namespace headscope::lm {

namespace {

using HalfDoubles = double __attribute__((vector_size(4 * kLanes), aligned(8), may_alias));

constexpr int kHalfLanes = kLanes / 2;

// The lower and the upper lanes.
HEADSCOPE_INLINE void toDoubles(Vector x, HalfDoubles& low, HalfDoubles& high)
{
#if defined(__AVX512F__)
    const auto all = reinterpret_cast<__m512>(x);
    low = reinterpret_cast<HalfDoubles>(_mm512_cvtps_pd(_mm512_castps512_ps256(all)));
    high = reinterpret_cast<HalfDoubles>(_mm512_cvtps_pd(_mm512_extractf32x8_ps(all, 1)));
#elif defined(__AVX2__)
    const auto all = reinterpret_cast<__m256>(x);
    low = reinterpret_cast<HalfDoubles>(_mm256_cvtps_pd(_mm256_castps256_ps128(all)));
    high = reinterpret_cast<HalfDoubles>(_mm256_cvtps_pd(_mm256_extractf128_ps(all, 1)));
#else
    for (int i = 0; i < kHalfLanes; ++i) {
        low[i] = x[i];
        high[i] = x[i + kHalfLanes];
    }
#endif
}

HEADSCOPE_INLINE Vector toFloats(HalfDoubles low, HalfDoubles high)
{
    Vector x = {};
    for (int i = 0; i < kHalfLanes; ++i) {
        x[i] = static_cast<float>(low[i]);
        x[i + kHalfLanes] = static_cast<float>(high[i]);
    }
    return x;
}

// kLanes whole numbers of one byte each.
HEADSCOPE_INLINE void storeBytes(std::uint8_t* to, Integers whole)
{
#if defined(__AVX512F__)
    _mm_storeu_si128(reinterpret_cast<__m128i_u*>(to), _mm512_cvtepi32_epi8(reinterpret_cast<__m512i>(whole)));
#elif defined(__AVX2__)
    const auto all = reinterpret_cast<__m256i>(whole);
    const __m128i pairs = _mm_packs_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    _mm_storeu_si64(to, _mm_packs_epi16(pairs, pairs));
#else
    for (int i = 0; i < kLanes; ++i)
        to[i] = static_cast<std::uint8_t>(whole[i]);
#endif
}

// Rounds to fp16, ties to even, for values in range.
HEADSCOPE_INLINE Integers toHalves(Vector x)
{
    const Integers sign = bitsOf(x) & static_cast<std::int32_t>(0x80000000U), size = bitsOf(x) ^ sign;
    const Vector small = magnitude(x) + 0.5F; // steps of 2^-24, the smallest fp16 number
    const Integers odd = size >> 13 & 1, large = (size + (odd - (112 << 23) + 0xFFF)) >> 13;
    return (size < (113 << 23) ? bitsOf(small) - (126 << 23) : large) | ((sign >> 16) & 0x8000);
}

// Returns whether magnitudes, as bits, are below a number in every lane.
HEADSCOPE_INLINE bool below(Integers sizes, std::int32_t limit)
{
    bool all = true;
    for (int lane = 0; lane < kLanes; ++lane)
        all &= sizes[lane] < limit;
    return all;
}

template <StoredNumber kStored> struct Stored;
template <> struct Stored<StoredNumber::Float> {
    using Type = float;
    static constexpr std::int32_t kNotFinite = 0x7F800000;
    HEADSCOPE_INLINE Vector read(const float* p) { return at(p); }
};
template <> struct Stored<StoredNumber::Bfloat> {
    using Type = std::uint16_t;
    static constexpr std::int32_t kNotFinite = 0x7F800000;
    HEADSCOPE_INLINE Vector read(const std::uint16_t* p) { return numbers(p); }
};
template <> struct Stored<StoredNumber::Half> {
    using Type = std::uint16_t;
    static constexpr std::int32_t kNotFinite = 143 << 23; // 65536: result of fromHalves() for infinity
    HEADSCOPE_INLINE Vector read(const std::uint16_t* p) { return fromHalves(p); }
};

// kLanes rows of a panel. Missing rows are zeros, and so is the padding of the last group.
template <StoredNumber kStored> struct PanelLanes {
    using Type = typename Stored<kStored>::Type;
    const Type* rows[kLanes];
    std::int64_t in, count; // rows that exist
};

template <StoredNumber kStored>
HEADSCOPE_INLINE PanelLanes<kStored> lanesOf(const PanelToPack& panel, std::int64_t from)
{
    PanelLanes<kStored> lanes;
    lanes.in = panel.in;
    lanes.count = larger(smaller(kLanes, panel.count - from), 0);
    for (std::int64_t lane = 0; lane < lanes.count; ++lane)
        lanes.rows[lane] =
            static_cast<const typename Stored<kStored>::Type*>(panel.numbers) + (from + lane) * panel.stride;
    return lanes;
}

// Fills inputs[i] with input k + i of each row, for i < kPackedGroup.
template <StoredNumber kStored>
HEADSCOPE_INLINE void readPackGroup(const PanelLanes<kStored>& lanes, std::int64_t k, Vector (&inputs)[kPackedGroup])
{
    using Type = typename Stored<kStored>::Type;
    const std::int64_t known = smaller(kPackedGroup, lanes.in - k);
    const Type* rows[kLanes];
    Type filled[kLanes][kPackedGroup];
    const bool whole = known == kPackedGroup && lanes.count == kLanes;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        rows[lane] = whole ? lanes.rows[lane] + k : filled[lane];
        for (std::int64_t i = 0; !whole && i < kPackedGroup; ++i)
            filled[lane][i] = lane < lanes.count && i < known ? lanes.rows[lane][k + i] : Type{};
    }
    for (std::int64_t i = 0; i < kPackedGroup; i += kLanes) {
        Vector square[kLanes];
#pragma GCC unroll 16
        for (int lane = 0; lane < kLanes; ++lane)
            square[lane] = Stored<kStored>::read(rows[lane] + i);
        turn(square);
#pragma GCC unroll 16
        for (int lane = 0; lane < kLanes; ++lane)
            inputs[i + lane] = square[lane];
    }
}

constexpr float kPackRounds = 12582912.0F; // adding 1.5 * 2^23 rounds to a whole number

// Returns the integer number of steps nearest to x, from -8 to 7. `step`: infinity if there is none.
HEADSCOPE_INLINE Vector inSteps(Vector x, Vector step)
{
    const Vector zero = {}, lowest = zero - 8.0F, highest = zero + 7.0F;
    Vector steps = x / step;
    steps = steps < lowest ? lowest : steps;
    return steps > highest ? highest : steps;
}

HEADSCOPE_INLINE Vector unlessZero(Vector step)
{
    return step != 0 ? step : Vector{} - kMinusInfinity;
}

// Packs a group of kLanes outputs in four bits: the number farthest from 0 becomes -8 steps; then finds the step that
// fits the codes best, and its codes. `to`: the group's words, from the first of these outputs on.
HEADSCOPE_INLINE Integers packGroup(const Vector (&inputs)[kPackedGroup], std::uint16_t* scales, std::uint32_t* to)
{
    const Vector zero = {};
    Vector farthest = inputs[0];
    Integers most = bitsOf(inputs[0]) & 0x7FFFFFFF;
    for (int i = 1; i < kPackedGroup; ++i) {
        const Integers size = bitsOf(inputs[i]) & 0x7FFFFFFF;
        farthest = size > most ? inputs[i] : farthest;
        most = size > most ? size : most;
    }
    const Vector first = unlessZero(farthest * -0.125F);
    HalfDoubles low = {}, high = {};
    Vector squares = {}; // integers: exact
    for (int i = 0; i < kPackedGroup; ++i) {
        const Vector code = (inSteps(inputs[i], first) + kPackRounds) - kPackRounds;
        HalfDoubles lowProduct, highProduct;
        toDoubles(code * inputs[i], lowProduct, highProduct);
        low += lowProduct;
        high += highProduct;
        squares += code * code;
    }
    HalfDoubles lowSquares, highSquares;
    toDoubles(squares > 0 ? squares : zero + 1.0F, lowSquares, highSquares);
    Vector fitted = toFloats(low / lowSquares, high / highSquares);
    constexpr float kMostHalf = 65504.0F;
    fitted = fitted < -kMostHalf ? zero - kMostHalf : fitted;
    fitted = fitted > kMostHalf ? zero + kMostHalf : fitted;
    const Integers halves = toHalves(fitted);
    for (int lane = 0; lane < kLanes; ++lane)
        scales[lane] = static_cast<std::uint16_t>(halves[lane]);
    const Vector step = unlessZero(fromHalves(scales));
    for (int word = 0; word < kPackedGroup / kPackedWord; ++word) {
        Integers codes = {};
        for (int i = 0; i < kPackedWord; ++i) // 8 more than the steps
            codes |= (bitsOf(inSteps(inputs[word * kPackedWord + i], step) + (kPackRounds + 8.0F)) & 15) << (4 * i);
        at(reinterpret_cast<std::int32_t*>(to) + word * kPackedPanel) = codes;
    }
    return most;
}

template <StoredNumber kStored> static bool packInFour(const PanelToPack& panel)
{
    Integers most = {};
    const std::int64_t groups = (panel.in + kPackedGroup - 1) / kPackedGroup;
    for (std::int64_t n = 0; n < kPackedPanel; n += kLanes) {
        const PanelLanes<kStored> lanes = lanesOf<kStored>(panel, n);
        for (std::int64_t group = 0; group < groups; ++group) {
            Vector inputs[kPackedGroup];
            readPackGroup(lanes, group * kPackedGroup, inputs);
            std::uint32_t* const words = panel.words + group * kPackedGroupWords;
            const Integers size =
                packGroup(inputs, reinterpret_cast<std::uint16_t*>(words) + n, words + kPackedScaleWords + n);
            most = size > most ? size : most;
        }
    }
    return below(most, Stored<kStored>::kNotFinite);
}

// Packs outputs in eight bits: the largest of each is 127 steps.
template <StoredNumber kStored> static bool packInEight(const PanelToPack& panel)
{
    bool finite = true;
    const Vector zero = {}, end = zero + 127.0F;
    for (std::int64_t n = 0; n < kPackedPanel; n += kLanes) {
        const PanelLanes<kStored> lanes = lanesOf<kStored>(panel, n);
        Vector inputs[kPackedGroup];
        Integers most = {};
        for (std::int64_t k = 0; k < panel.in; k += kPackedGroup) {
            readPackGroup(lanes, k, inputs);
            for (const Vector& input : inputs) {
                const Integers size = bitsOf(input) & 0x7FFFFFFF;
                most = size > most ? size : most;
            }
        }
        finite &= below(most, Stored<kStored>::kNotFinite);
        const Vector top = reinterpret_cast<const Vector&>(most);
        at(panel.scales + n) = top / 127.0F;
        Vector inverse = 127.0F / unlessZero(top);
        inverse = inverse < -kMinusInfinity ? inverse : zero; // too small for a step
        for (std::int64_t k = 0; k < panel.in; k += kPackedGroup) {
            readPackGroup(lanes, k, inputs);
            for (std::int64_t i = 0; i < smaller(kPackedGroup, panel.in - k); ++i) {
                Vector steps = inputs[i] * inverse; // bounded, which also keeps it from being fused with the sum
                steps = steps < -end ? -end : steps;
                steps = steps > end ? end : steps;
                storeBytes(panel.codes + (k + i) * kPackedPanel + n,
                           __builtin_convertvector((steps + kPackRounds) - kPackRounds, Integers));
            }
        }
    }
    return finite;
}

template <StoredNumber kStored> static bool packFrom(const PanelToPack& panel)
{
    return panel.bits == 8 ? packInEight<kStored>(panel) : packInFour<kStored>(panel);
}

static bool pack(const PanelToPack& panel)
{
    return panel.stored == StoredNumber::Float    ? packFrom<StoredNumber::Float>(panel)
           : panel.stored == StoredNumber::Bfloat ? packFrom<StoredNumber::Bfloat>(panel)
                                                  : packFrom<StoredNumber::Half>(panel);
}

} // namespace

} // namespace headscope::lm

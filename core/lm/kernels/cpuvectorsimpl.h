// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Building blocks of the kernels: vectors, scratch memory, small matrix products. Included once per instruction set
// with kLanes (floats per vector), kRows and kVectors (the register tile of a matrix product) set to fit it. No
// standard headers with code: their inline functions would be built for that set too.

#include <cstddef>
#include <cstdint>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace headscope::lm {

namespace {

using Vector = float __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));
using Integers = std::int32_t __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));
using Halves = std::uint16_t __attribute__((vector_size(2 * kLanes), aligned(2), may_alias));

constexpr float kMinusInfinity = -__builtin_inff();

#define HEADSCOPE_INLINE static inline __attribute__((always_inline))

HEADSCOPE_INLINE Vector& at(float* p)
{
    return *reinterpret_cast<Vector*>(p);
}
HEADSCOPE_INLINE const Vector& at(const float* p)
{
    return *reinterpret_cast<const Vector*>(p);
}

HEADSCOPE_INLINE Integers fromUnsigned(const std::uint16_t* p)
{
#if defined(__AVX512F__)
    return reinterpret_cast<Integers>(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(p))));
#elif defined(__AVX2__)
    return reinterpret_cast<Integers>(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(p))));
#else
    return __builtin_convertvector(*reinterpret_cast<const Halves*>(p), Integers);
#endif
}

HEADSCOPE_INLINE Integers bitsOf(Vector x)
{
    return reinterpret_cast<const Integers&>(x);
}

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
    const Integers bits = fromUnsigned(p) << 16;
    return reinterpret_cast<const Vector&>(bits);
}
HEADSCOPE_INLINE float number(const std::uint16_t* p)
{
    return __builtin_bit_cast(float, std::uint32_t{*p} << 16);
}

HEADSCOPE_INLINE std::int64_t smaller(std::int64_t a, std::int64_t b)
{
    return a < b ? a : b;
}
HEADSCOPE_INLINE std::int64_t larger(std::int64_t a, std::int64_t b)
{
    return a > b ? a : b;
}
HEADSCOPE_INLINE std::int64_t padded(std::int64_t n)
{
    return (n + kLanes - 1) / kLanes * kLanes;
}

/// Replaces x by e^x with a relative error of about 1e-7; exactly 0 below -87.
HEADSCOPE_INLINE void exponential(Vector& x)
{
    const Vector zero = {};
    const Integers tiny = x < zero - 87.0F;
    Vector t = tiny ? zero - 87.0F : x;
    t = t > zero + 88.0F ? zero + 88.0F : t;
    const Vector magic = zero + 12582912.0F; // adding 1.5 * 2^23 rounds to a whole number
    const Vector whole = (t * 1.44269504088896F + magic) - magic;
    const Vector r = (t - whole * 0.693359375F) + whole * 2.12194440e-4F;
    Vector p = zero + 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * r * r + r + 1.0F;
    const Integers power = (__builtin_convertvector(whole, Integers) + 127) << 23;
    const Vector scaled = p * reinterpret_cast<const Vector&>(power);
    x = tiny ? zero : scaled;
}

HEADSCOPE_INLINE float exponential(float x)
{
    Vector v = {};
    v += x;
    exponential(v);
    return v[0];
}

HEADSCOPE_INLINE Vector magnitude(Vector x)
{
    const Integers bits = reinterpret_cast<const Integers&>(x) & 0x7FFFFFFF;
    return reinterpret_cast<const Vector&>(bits);
}

/// Returns ln x for x >= 0 with errors of about 1e-7, relative and absolute; x below 2^-126 counts as 2^-126.
HEADSCOPE_INLINE Vector logarithm(Vector x)
{
    const Vector zero = {}, least = zero + 1.17549435e-38F;
    x = x < least ? least : x;
    // x = m 2^e with m from sqrt(1/2) to sqrt(2)
    const Integers bits = reinterpret_cast<const Integers&>(x), shifted = bits - 0x3F3504F3;
    const Integers exponent = shifted >> 23, mantissa = (shifted & 0x7FFFFF) + 0x3F3504F3;
    const Vector t = reinterpret_cast<const Vector&>(mantissa) - 1.0F;
    const Vector e = __builtin_convertvector(exponent, Vector);
    Vector p = zero + 7.0376836292e-2F;
    p = p * t - 1.1514610310e-1F;
    p = p * t + 1.1676998740e-1F;
    p = p * t - 1.2420140846e-1F;
    p = p * t + 1.4249322787e-1F;
    p = p * t - 1.6668057665e-1F;
    p = p * t + 2.0000714765e-1F;
    p = p * t - 2.4999993993e-1F;
    p = p * t + 3.3333331174e-1F;
    const Vector square = t * t;
    return (p * t * square + e * -2.12194440e-4F) - square * 0.5F + t + e * 0.693359375F;
}

/// Returns a vector whose lane i is lane lanes[i] of `v`. Clang has no shuffle by variable lanes.
HEADSCOPE_INLINE Vector shuffled(Vector v, Integers lanes)
{
#ifdef __clang__
    Vector out = {};
    for (int i = 0; i < kLanes; ++i)
        out[i] = v[lanes[i]];
    return out;
#else
    return __builtin_shuffle(v, lanes);
#endif
}

/// Returns the same from `a` and, for lanes from kLanes on, `b`.
HEADSCOPE_INLINE Vector shuffled(Vector a, Vector b, Integers lanes)
{
#ifdef __clang__
    Vector out = {};
    for (int i = 0; i < kLanes; ++i)
        out[i] = lanes[i] < kLanes ? a[lanes[i]] : b[lanes[i] - kLanes];
    return out;
#else
    return __builtin_shuffle(a, b, lanes);
#endif
}

/// For each power of two, the lanes exchanged at that distance.
struct Exchanges {
    std::int32_t lane[5][kLanes] = {};
    constexpr Exchanges()
    {
        for (int power = 0; power < 5; ++power)
            for (int i = 0; i < kLanes; ++i)
                lane[power][i] = (i ^ (1 << power)) % kLanes;
    }
};
alignas(64) constexpr Exchanges kExchanges;

HEADSCOPE_INLINE void exchange(Vector& v, int power)
{
    v = shuffled(v, *reinterpret_cast<const Integers*>(kExchanges.lane[power]));
}

HEADSCOPE_INLINE float sum(Vector v)
{
#pragma GCC unroll 8
    for (int power = 0; 1 << power < kLanes; ++power) {
        Vector other = v;
        exchange(other, power);
        v += other;
    }
    return v[0];
}

HEADSCOPE_INLINE float maximum(Vector v)
{
#pragma GCC unroll 8
    for (int power = 0; 1 << power < kLanes; ++power) {
        Vector other = v;
        exchange(other, power);
        v = other > v ? other : v;
    }
    return v[0];
}

/// Scratch memory of one call, aligned to a cache line.
class Scratch
{
public:
    explicit Scratch(std::int64_t floats)
        : m_all(static_cast<float*>(__builtin_malloc(static_cast<std::size_t>(floats) * sizeof(float) + 64)))
    {
        const auto address = reinterpret_cast<std::uintptr_t>(m_all);
        m_next = m_all + (64 - address % 64) % 64 / sizeof(float);
    }
    ~Scratch() { __builtin_free(m_all); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    float* take(std::int64_t floats)
    {
        float* const begin = m_next;
        m_next += padded(floats);
        return begin;
    }

private:
    float* m_all;
    float* m_next;
};

// ---- Small matrix products, all row-major: c [m, n] (+)= a [m, k] b [k, n].

template <int M, int N>
HEADSCOPE_INLINE void productTile(const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float* c,
                                  std::int64_t ldc, std::int64_t k, bool add)
{
    Vector sums[M][N];
#pragma GCC unroll 16
    for (int i = 0; i < M; ++i)
#pragma GCC unroll 8
        for (int j = 0; j < N; ++j)
            sums[i][j] = add ? at(c + i * ldc + j * kLanes) : Vector{};
    for (std::int64_t p = 0; p < k; ++p) {
        Vector right[N];
#pragma GCC unroll 8
        for (int j = 0; j < N; ++j)
            right[j] = at(b + p * ldb + j * kLanes);
#pragma GCC unroll 16
        for (int i = 0; i < M; ++i) {
            const Vector left =
                a[i * lda + p] - Vector{}; // minus 0 is a plain broadcast; 0 plus x is an addition (-0 becomes 0)
#pragma GCC unroll 8
            for (int j = 0; j < N; ++j)
                sums[i][j] += left * right[j];
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < M; ++i)
#pragma GCC unroll 8
        for (int j = 0; j < N; ++j)
            at(c + i * ldc + j * kLanes) = sums[i][j];
}

template <int N>
HEADSCOPE_INLINE void productColumns(const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float* c,
                                     std::int64_t ldc, std::int64_t m, std::int64_t k, bool add)
{
    std::int64_t i = 0;
    for (; i + kRows <= m; i += kRows)
        productTile<kRows, N>(a + i * lda, lda, b, ldb, c + i * ldc, ldc, k, add);
    for (; i + 2 <= m; i += 2)
        productTile<2, N>(a + i * lda, lda, b, ldb, c + i * ldc, ldc, k, add);
    for (; i < m; ++i)
        productTile<1, N>(a + i * lda, lda, b, ldb, c + i * ldc, ldc, k, add);
}

static void product(const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float* c, std::int64_t ldc,
                    std::int64_t m, std::int64_t n, std::int64_t k, bool add)
{
    std::int64_t j = 0;
    for (; j + kVectors * kLanes <= n; j += kVectors * kLanes)
        productColumns<kVectors>(a, lda, b + j, ldb, c + j, ldc, m, k, add);
    for (; j + kLanes <= n; j += kLanes)
        productColumns<1>(a, lda, b + j, ldb, c + j, ldc, m, k, add);
    for (; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i) {
            float s = add ? c[i * ldc + j] : 0.0F;
            for (std::int64_t p = 0; p < k; ++p)
                s += a[i * lda + p] * b[p * ldb + j];
            c[i * ldc + j] = s;
        }
}

/// Transposes kLanes vectors of kLanes numbers in place.
HEADSCOPE_INLINE void turn(Vector (&v)[kLanes])
{
#if defined(__AVX2__) && !defined(__AVX512F__) // a fifth of the instructions
    __m256 pairs[kLanes], fours[kLanes];
#pragma GCC unroll 4
    for (int i = 0; i < kLanes; i += 2) {
        pairs[i] = _mm256_unpacklo_ps(reinterpret_cast<__m256>(v[i]), reinterpret_cast<__m256>(v[i + 1]));
        pairs[i + 1] = _mm256_unpackhi_ps(reinterpret_cast<__m256>(v[i]), reinterpret_cast<__m256>(v[i + 1]));
    }
#pragma GCC unroll 4
    for (int i = 0; i < kLanes; i += 4)
#pragma GCC unroll 2
        for (int j = 0; j < 2; ++j) {
            fours[i + 2 * j] = _mm256_shuffle_ps(pairs[i + j], pairs[i + j + 2], 0x44);
            fours[i + 2 * j + 1] = _mm256_shuffle_ps(pairs[i + j], pairs[i + j + 2], 0xEE);
        }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        v[i] = reinterpret_cast<Vector>(_mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20));
        v[i + 4] = reinterpret_cast<Vector>(_mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31));
    }
#else
#pragma GCC unroll 8
    for (int step = 1; step < kLanes; step *= 2) {
        Integers low, high;
        for (int lane = 0; lane < kLanes; ++lane) {
            low[lane] = (lane & step) != 0 ? kLanes + lane - step : lane;
            high[lane] = (lane & step) != 0 ? kLanes + lane : lane + step;
        }
#pragma GCC unroll 16
        for (int i = 0; i < kLanes; ++i)
            if ((i & step) == 0) {
                const Vector a = v[i], b = v[i + step];
                v[i] = shuffled(a, b, low);
                v[i + step] = shuffled(a, b, high);
            }
    }
#endif
}

// to[p][first + i] = from[i][p] for i < count, p < width.
static void transposeInto(const float* from, std::int64_t stride, std::int64_t count, std::int64_t width, float* to,
                          std::int64_t toStride, std::int64_t first)
{
    for (std::int64_t i = 0; i < count; i += kLanes) {
        const std::int64_t n = smaller(kLanes, count - i);
        const float* const block = from + i * stride;
        std::int64_t p = 0;
        for (; n == kLanes && p + kLanes <= width; p += kLanes) {
            Vector rows[kLanes];
#pragma GCC unroll 16
            for (int lane = 0; lane < kLanes; ++lane)
                rows[lane] = at(block + lane * stride + p);
            turn(rows);
#pragma GCC unroll 16
            for (int lane = 0; lane < kLanes; ++lane)
                at(to + (p + lane) * toStride + first + i) = rows[lane];
        }
        for (; p < width; ++p) {
            float* const out = to + p * toStride + first + i;
            for (std::int64_t lane = 0; lane < n; ++lane)
                out[lane] = block[lane * stride + p];
        }
    }
}

} // namespace

} // namespace headscope::lm

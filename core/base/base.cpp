// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace headscope {

namespace {
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#ifdef __x86_64__
// Whether the processor has instructions for SHA-256 (and those for the order of bytes): checkpoints are read at ten
// times the speed.
bool hasInstructions()
{
    static const bool known = [] {
        unsigned a = 0, b = 0, c = 0, d = 0;
        return __builtin_cpu_supports("sse4.1") != 0 && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0
               && (b & bit_SHA) != 0;
    }();
    return known;
}

// One block of 64 bytes; the instructions hold the state as (a, b, e, f) and (c, d, g, h), the first in the highest
// place.
__attribute__((target("sha,sse4.1"))) void blockByInstructions(std::array<std::uint32_t, 8>& s, const unsigned char* p)
{
    const __m128i swap = _mm_set_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);
    const auto word = [&](std::size_t i) __attribute__((target("sha,sse4.1")))
    {
        return static_cast<int>(s[i]);
    };
    const __m128i abef = _mm_set_epi32(word(0), word(1), word(4), word(5)),
                  cdgh = _mm_set_epi32(word(2), word(3), word(6), word(7));
    __m128i first = abef, second = cdgh, w[4];
    for (int i = 0; i < 4; ++i)
        w[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + i), swap);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
        const __m128i sum = _mm_add_epi32(w[0], _mm_loadu_si128(reinterpret_cast<const __m128i*>(kRound.data()) + i));
        second = _mm_sha256rnds2_epu32(second, first, sum);
        first = _mm_sha256rnds2_epu32(first, second, _mm_shuffle_epi32(sum, 0x0e));
        const __m128i next = _mm_add_epi32(_mm_sha256msg1_epu32(w[0], w[1]), _mm_alignr_epi8(w[3], w[2], 4));
        const __m128i newest = _mm_sha256msg2_epu32(next, w[3]);
        w[0] = w[1];
        w[1] = w[2];
        w[2] = w[3];
        w[3] = newest;
    }
    first = _mm_add_epi32(first, abef);
    second = _mm_add_epi32(second, cdgh);
    const auto put = [&](std::size_t i, int value) { s[i] = static_cast<std::uint32_t>(value); };
    put(0, _mm_extract_epi32(first, 3));
    put(1, _mm_extract_epi32(first, 2));
    put(4, _mm_extract_epi32(first, 1));
    put(5, _mm_extract_epi32(first, 0));
    put(2, _mm_extract_epi32(second, 3));
    put(3, _mm_extract_epi32(second, 2));
    put(6, _mm_extract_epi32(second, 1));
    put(7, _mm_extract_epi32(second, 0));
}
#endif
} // namespace

Sha256::Sha256()
    : m_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
      m_buffer{}
{
}

void Sha256::block(const unsigned char* p)
{
#ifdef __x86_64__
    if (hasInstructions())
        return blockByInstructions(m_state, p);
#endif
    std::array<std::uint32_t, 64> w;
    for (std::size_t i = 0; i < 16; ++i)
        w[i] = (std::uint32_t(p[4 * i]) << 24) | (std::uint32_t(p[4 * i + 1]) << 16)
               | (std::uint32_t(p[4 * i + 2]) << 8) | p[4 * i + 3];
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
        const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto s = m_state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t e1 = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
        const std::uint32_t t1 = s[7] + e1 + ((s[4] & s[5]) ^ (~s[4] & s[6])) + kRound[i] + w[i];
        const std::uint32_t e0 = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
        const std::uint32_t t2 = e0 + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i)
        m_state[i] += s[i];
}

void Sha256::add(const void* bytes, std::size_t size)
{
    auto p = static_cast<const unsigned char*>(bytes);
    while (size > 0) {
        const std::size_t fill = m_total % 64;
        if (fill == 0 && size >= 64) {
            block(p);
            m_total += 64;
            p += 64;
            size -= 64;
            continue;
        }
        const std::size_t n = std::min<std::size_t>(64 - fill, size);
        std::memcpy(m_buffer.data() + fill, p, n);
        m_total += n;
        p += n;
        size -= n;
        if (m_total % 64 == 0)
            block(m_buffer.data());
    }
}

std::string Sha256::hex()
{
    const std::uint64_t bits = m_total * 8;
    const unsigned char one = 0x80, zero = 0;
    add(&one, 1);
    while (m_total % 64 != 56)
        add(&zero, 1);
    std::array<unsigned char, 8> length;
    for (std::size_t i = 0; i < 8; ++i)
        length[i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
    add(length.data(), length.size());
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const std::uint32_t word : m_state)
        for (int shift = 28; shift >= 0; shift -= 4)
            text += kDigits[(word >> shift) & 15];
    return text;
}

std::string sha256Hex(std::string_view text)
{
    Sha256 hash;
    hash.add(text);
    return hash.hex();
}

} // namespace headscope

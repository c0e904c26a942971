// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/python/pyrandom.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>
#include <unordered_set>

namespace headscope::tasks {

PyRandom::PyRandom(std::uint64_t seed)
{
    // 1. init_genrand(19650218), 2. init_by_array with the seed's 32-bit words, least significant first.
    const std::size_t n = m_state.size();
    m_state[0] = 19650218U;
    for (std::size_t i = 1; i < n; ++i)
        m_state[i] = 1812433253U * (m_state[i - 1] ^ (m_state[i - 1] >> 30)) + static_cast<std::uint32_t>(i);
    const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    const std::size_t length = key[1] != 0 ? 2 : 1;

    std::size_t i = 1;
    const auto advance = [&] {
        if (++i == n) {
            m_state[0] = m_state[n - 1];
            i = 1;
        }
    };
    for (std::size_t step = 0, j = 0; step < n; ++step) {
        m_state[i] = (m_state[i] ^ ((m_state[i - 1] ^ (m_state[i - 1] >> 30)) * 1664525U)) + key[j]
                     + static_cast<std::uint32_t>(j);
        advance();
        j = (j + 1) % length;
    }
    for (std::size_t step = 1; step < n; ++step) {
        m_state[i] =
            (m_state[i] ^ ((m_state[i - 1] ^ (m_state[i - 1] >> 30)) * 1566083941U)) - static_cast<std::uint32_t>(i);
        advance();
    }
    m_state[0] = 0x80000000U;
}

void PyRandom::refill()
{
    const std::size_t n = m_state.size();
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t y = (m_state[i] & 0x80000000U) | (m_state[(i + 1) % n] & 0x7FFFFFFFU);
        m_state[i] = m_state[(i + 397) % n] ^ (y >> 1) ^ ((y & 1U) ? 0x9908B0DFU : 0U);
    }
    m_index = 0;
}

std::uint32_t PyRandom::next32()
{
    if (m_index == m_state.size())
        refill();
    std::uint32_t y = m_state[m_index++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9D2C5680U;
    y ^= (y << 15) & 0xEFC60000U;
    return y ^ (y >> 18);
}

double PyRandom::uniform()
{
    const std::uint32_t high = next32() >> 5;
    const std::uint32_t low = next32() >> 6;
    return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0);
}

std::size_t PyRandom::below(std::size_t n)
{
    assert(n > 0 && n <= 0xFFFFFFFFU);
    const int bits = static_cast<int>(std::bit_width(n));
    std::size_t value = next32() >> (32 - bits);
    while (value >= n)
        value = next32() >> (32 - bits);
    return value;
}

std::vector<std::size_t> PyRandom::sample(std::size_t n, std::size_t k)
{
    assert(k <= n);
    // The size of a small set less the size of an empty list, in CPython's accounting; decides the method.
    std::size_t setSize = 21;
    if (k > 5) {
        std::size_t power = 1; // 4 ** ceil(log(3 k, 4))
        while (power < 3 * k)
            power *= 4;
        setSize += power;
    }
    std::vector<std::size_t> result(k);
    if (n <= setSize) {
        std::vector<std::size_t> pool(n);
        std::iota(pool.begin(), pool.end(), std::size_t{0});
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t j = below(n - i);
            result[i] = pool[j];
            pool[j] = pool[n - i - 1];
        }
    } else {
        std::unordered_set<std::size_t> taken;
        for (std::size_t& index : result) {
            do
                index = below(n);
            while (!taken.insert(index).second);
        }
    }
    return result;
}

} // namespace headscope::tasks

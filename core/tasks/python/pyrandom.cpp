// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/python/pyrandom.h"

#include <array>
#include <bit>
#include <cassert>
#include <numeric>
#include <unordered_set>

namespace headscope::tasks {

namespace {

/// CPython's state for a seed: 1. init_genrand(19650218), 2. init_by_array with the seed's 32-bit words, least
/// significant first.
struct PythonSeed {
    using result_type = std::uint32_t;
    std::uint64_t seed;

    void generate(std::uint32_t* const state, const std::uint32_t* const end) const
    {
        const auto n = static_cast<std::size_t>(end - state);
        state[0] = 19650218U;
        for (std::size_t i = 1; i < n; ++i)
            state[i] = 1812433253U * (state[i - 1] ^ (state[i - 1] >> 30)) + static_cast<std::uint32_t>(i);
        const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(seed),
                                               static_cast<std::uint32_t>(seed >> 32)};
        const std::size_t length = key[1] != 0 ? 2 : 1;

        std::size_t i = 1;
        const auto advance = [&] {
            if (++i == n) {
                state[0] = state[n - 1];
                i = 1;
            }
        };
        for (std::size_t step = 0, j = 0; step < n; ++step) {
            state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1664525U)) + key[j]
                       + static_cast<std::uint32_t>(j);
            advance();
            j = (j + 1) % length;
        }
        for (std::size_t step = 1; step < n; ++step) {
            state[i] =
                (state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1566083941U)) - static_cast<std::uint32_t>(i);
            advance();
        }
        state[0] = 0x80000000U;
    }
};

} // namespace

PyRandom::PyRandom(std::uint64_t seed)
{
    PythonSeed state{seed};
    m_engine.seed(state);
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

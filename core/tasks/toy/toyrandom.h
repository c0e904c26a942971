// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Random draws that are the same with every compiler and standard library: the engine is specified by the C++ standard,
// the distributions are implemented here. Values only; any thread.

#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace headscope::tasks {

class ToyRandom
{
public:
    explicit ToyRandom(std::uint64_t seed = 0) : m_engine(seed) {}

    /// Returns a uniform number in [0, count); count >= 1.
    [[nodiscard]] int below(int count)
    {
        const std::uint64_t range = static_cast<std::uint64_t>(count);
        const std::uint64_t limit = UINT64_MAX - UINT64_MAX % range; // a multiple of range: the rest would be uneven
        std::uint64_t draw = m_engine();
        while (draw >= limit)
            draw = m_engine();
        return static_cast<int>(draw % range);
    }

    /// Returns a uniform number in [0, 1).
    [[nodiscard]] double uniform() { return static_cast<double>(m_engine() >> 11) * 0x1p-53; }

    /// Returns a standard normal number (Box and Muller).
    [[nodiscard]] double normal()
    {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
        return radius * std::cos(6.283185307179586 * uniform());
    }

    /// Returns `count` different numbers of [0, pool), in random order.
    [[nodiscard]] std::vector<int> distinct(int pool, int count)
    {
        std::vector<int> all(static_cast<std::size_t>(pool));
        std::iota(all.begin(), all.end(), 0);
        for (int i = 0; i < count; ++i)
            std::swap(all[i], all[i + below(pool - i)]);
        all.resize(static_cast<std::size_t>(count));
        return all;
    }

    /// Returns the engine itself, for saving and restoring its state.
    [[nodiscard]] std::mt19937_64& engine() { return m_engine; }

private:
    std::mt19937_64 m_engine;
};

} // namespace headscope::tasks

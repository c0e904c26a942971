// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A seeded shuffle that is the same everywhere: std::shuffle and its distributions differ between standard libraries.
// Any thread.

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace headscope {

template <typename T> void shuffle(std::vector<T>& values, std::mt19937_64& random)
{
    for (std::size_t i = values.size(); i > 1; --i)
        std::swap(values[i - 1], values[random() % i]);
}

template <typename T> void shuffle(std::vector<T>& values, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    shuffle(values, random);
}

} // namespace headscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// CPython's random.Random for integer seeds: few-shot examples and bootstrap errors must equal the reference's draws.

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace headscope::tasks {

/// Mersenne Twister MT19937 (Matsumoto and Nishimura 1998) seeded with init_by_array, and the methods of CPython's
/// random.Random that the benchmarks use. Not thread-safe; a copyable value.
class PyRandom
{
public:
    /// random.Random(seed) for a seed of up to 64 bits.
    explicit PyRandom(std::uint64_t seed);

    /// Equals getrandbits(32).
    [[nodiscard]] std::uint32_t next32() { return static_cast<std::uint32_t>(m_engine()); }
    /// Equals random(): uniform on [0, 1) with 53 bits.
    [[nodiscard]] double uniform();
    /// Equals _randbelow(n), n > 0.
    [[nodiscard]] std::size_t below(std::size_t n);
    /// Equals sample(range(n), k), k <= n: indices without replacement, in the order drawn.
    [[nodiscard]] std::vector<std::size_t> sample(std::size_t n, std::size_t k);

private:
    std::mt19937 m_engine;
};

} // namespace headscope::tasks

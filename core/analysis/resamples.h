// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How often each row is drawn in each resample of a bootstrap. The draws depend on the seed and the number of rows
// alone, so those of the last few are kept: a benchmark is compared again and again. Any thread.

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

namespace headscope::analysis {

/// A uniform index below n from one 64-bit draw (Lemire 2019, without the rejection step: the bias is below n / 2^64).
[[nodiscard]] std::size_t uniformIndex(std::mt19937_64& random, std::size_t n);

class Resamples
{
public:
    /// Null where keeping them would take more than 32 MB.
    [[nodiscard]] static std::shared_ptr<const Resamples> of(std::uint64_t seed, std::size_t rows, int resamples);

    /// Of each resample the sum of the values of its rows, each -1, 0 or 1.
    [[nodiscard]] std::vector<std::int32_t> sums(std::span<const std::int32_t> values) const;

private:
    Resamples(std::uint64_t seed, std::size_t rows, int resamples);
    std::uint64_t m_seed;
    std::size_t m_rows, m_resamples;
    bool m_fits = true;                 ///< no row was drawn more often than a byte can tell
    std::vector<std::uint8_t> m_counts; ///< [rows, resamples]
};

} // namespace headscope::analysis

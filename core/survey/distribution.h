// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mean, deviation and quantiles of values that are seen once and not kept. Memory does not grow with their number. Any
// thread.

#include "core/survey/texts/textpacking.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace headscope::survey {

/// Values from 0 on. Quantiles come from counts in buckets of equal width within each power of two from 2^-20 to 2^12:
/// they are right to 1/32 of themselves (DDSketch by exponent and mantissa; Masson, Rim and Lee 2019, arXiv
/// 1908.10693).
class Distribution
{
public:
    /// NaN is not counted.
    void add(float value);
    /// Ends a block of texts.
    void close();
    /// Adds the next block, which was measured separately. The blocks of this distribution are closed.
    void take(const Distribution& block);

    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] double mean() const;      ///< 0 of none
    [[nodiscard]] double deviation() const; ///< of the sample, n - 1; 0 of fewer than two
    [[nodiscard]] double smallest() const { return m_count > 0 ? m_smallest : 0; }
    [[nodiscard]] double largest() const { return m_count > 0 ? m_largest : 0; }
    /// q in [0, 1]; 0 of none.
    [[nodiscard]] double quantile(double q) const;

    void write(Packer& out) const;
    /// False where the bytes are none that write() makes.
    [[nodiscard]] bool read(Unpacker& in, std::uint32_t form);
    bool operator==(const Distribution&) const = default;

private:
    std::int64_t m_count = 0;
    BlockSum m_sum, m_squares;
    float m_smallest = std::numeric_limits<float>::max(), m_largest = 0;
    std::vector<std::uint32_t> m_buckets; ///< empty until the first value
};

} // namespace headscope::survey

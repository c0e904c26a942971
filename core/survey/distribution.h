// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mean, deviation and quantiles of a stream of values, in constant memory. Any
// thread.

#include "core/survey/texts/textpacking.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace headscope::survey {

/// Statistics of values from 0 on. Quantiles come from counts in buckets of equal width within each power of two from
/// 2^-20 to 2^12: their relative error is at most 1/32 (DDSketch by exponent and mantissa; Masson, Rim and Lee 2019,
/// arXiv 1908.10693).
class Distribution
{
public:
    /// Adds a value; NaN is ignored.
    void add(float value);
    /// Ends a block of texts.
    void close();
    /// Appends the next block, which was measured separately. Closes the blocks of this distribution.
    void take(const Distribution& block);

    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] double mean() const;      ///< 0 without values
    [[nodiscard]] double deviation() const; ///< of the sample, n - 1; 0 for fewer than two
    [[nodiscard]] double largest() const { return m_count > 0 ? m_largest : 0; }
    /// Returns a quantile, q in [0, 1]; 0 without values.
    [[nodiscard]] double quantile(double q) const;

    void write(Packer& out) const;
    /// Reads the state; false for bytes not written by write().
    [[nodiscard]] bool read(Unpacker& in, std::uint32_t form);
    bool operator==(const Distribution&) const = default;

private:
    std::int64_t m_count = 0;
    BlockSum m_sum, m_squares;
    float m_smallest = std::numeric_limits<float>::max(), m_largest = 0;
    std::vector<std::uint32_t> m_buckets; ///< empty until the first value
};

} // namespace headscope::survey

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All metrics of a row of a head's matrix, in one pass over it. Any thread.

#include "core/analysis/patternscores.h"
#include "core/survey/metric.h"
#include "core/survey/texts/places.h"

#include <array>
#include <bit>
#include <span>
#include <vector>

namespace headscope::survey {

/// A window's tokens and their properties known before any model reads them.
struct WindowFacts {
    std::vector<int> ids;
    std::vector<int> earlier;      ///< last earlier position of the same token; -1: none
    std::vector<int> segmentBegin; ///< begin of the segment that ends with this token; -1: none ends here
    std::vector<int> closing;      ///< the last tokens of segments, ascending
    std::vector<int> closedBefore; ///< number of these before a token

    /// Computes them for segments (sentences, lines, parts of a task's prompt) as tokens [begin, end).
    [[nodiscard]] static WindowFacts of(std::vector<int> ids, std::span<const analysis::TokenSegment> segments);
};

/// Number of distance bands 0, 1, 2-3, 4-7 ...: the band of a distance is its number of bits.
inline constexpr std::size_t kDistances = 21;
[[nodiscard]] inline std::size_t distancePlace(int distance)
{
    return std::min<std::size_t>(std::bit_width(static_cast<unsigned>(distance)), kDistances - 1);
}
/// Shares of |row| by distance from the query.
using DistanceProfile = std::array<float, kDistances>;

/// Fills all metrics that depend on the row alone (not Norm and StreamShare) and the profile. row: at least up to the
/// query; query > 0. The shares of an all-zero row are 0.
void measureRow(std::span<const float> row, int query, const WindowFacts& facts, MetricValues& values,
                DistanceProfile& profile);

/// Returns the largest entries of a row up to the query.
[[nodiscard]] std::array<Read, kReads> readsOf(std::span<const float> row, int query);

} // namespace headscope::survey

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a row of a head's matrix says, in one pass over it. Any thread.

#include "core/analysis/patternscores.h"
#include "core/survey/metric.h"
#include "core/survey/texts/places.h"

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace headscope::survey {

/// A window's tokens and what is known of them before any model sees them.
struct WindowFacts {
    std::vector<int> ids;
    std::vector<int> earlier;      ///< the last earlier place of the same token; -1: none
    std::vector<int> segmentBegin; ///< where the segment begins whose last token this is; -1: it is none's last
    std::vector<int> closing;      ///< the last tokens of segments, ascending
    std::vector<int> closedBefore; ///< how many of them precede a token

    /// Segments (sentences, lines, pieces of a task's prompt) as tokens [begin, end).
    [[nodiscard]] static WindowFacts of(std::vector<int> ids, std::span<const analysis::TokenSegment> segments);
};

/// Distances 0, 1, 2-3, 4-7 ...: the place of a distance is its number of bits.
inline constexpr std::size_t kDistances = 21;
[[nodiscard]] inline std::size_t distancePlace(int distance)
{
    return std::min<std::size_t>(std::bit_width(static_cast<unsigned>(distance)), kDistances - 1);
}
/// By distance from the query, shares of |row|.
using DistanceProfile = std::array<float, kDistances>;

/// Fills all metrics that the row alone decides (not Norm and StreamShare) and the profile. row: up to the query at
/// least; query > 0. An all-zero row reads nothing: its shares are 0.
void measureRow(std::span<const float> row, int query, const WindowFacts& facts, MetricValues& values,
                DistanceProfile& profile);

/// The largest entries of a row up to the query.
[[nodiscard]] std::array<Read, kReads> readsOf(std::span<const float> row, int query);

} // namespace headscope::survey

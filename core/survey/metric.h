// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is measured of a head at every position of a text. Any thread.

#include <array>
#include <optional>
#include <string_view>

namespace headscope::survey {

/// Shares are of |row|, so that SSM heads are measured like attention.
enum class Metric {
    Entropy,         ///< nats
    EffectiveTokens, ///< exp(entropy)
    Previous,        ///< share on the token before
    Duplicate,       ///< share on earlier places of the same token; where there is one
    Induction,       ///< share on the tokens behind those; where there is one
    First,           ///< share on the window's first token
    Diagonal,        ///< share on the token itself
    Gather,          ///< at the last token of a segment: share on the segment's other tokens
    Aggregate,       ///< share on the last tokens of the segments before; where there is one
    Norm,            ///< of the head's slice of what the output projection reads
    StreamShare,     ///< norm of what the head writes, over that of the stream that it is added to
};

inline constexpr int kMetricCount = 11;
inline constexpr std::array<const char*, kMetricCount> kMetricNames = {
    "entropy",  "effective_tokens", "previous",  "duplicate", "induction",   "first",
    "diagonal", "gather",           "aggregate", "norm",      "stream_share"};

/// "entropy", "stream_share": as files and the command line spell it.
[[nodiscard]] constexpr const char* name(Metric metric)
{
    return kMetricNames[static_cast<std::size_t>(metric)];
}
[[nodiscard]] std::optional<Metric> parseMetric(std::string_view text);

/// One value a metric; NaN where the metric says nothing of the position.
using MetricValues = std::array<float, kMetricCount>;

[[nodiscard]] constexpr std::size_t indexOf(Metric metric)
{
    return static_cast<std::size_t>(metric);
}

} // namespace headscope::survey

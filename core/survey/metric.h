// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Metrics of a head at every position of a text. Any thread.

#include <array>
#include <optional>
#include <string_view>

namespace headscope::survey {

/// Shares are of |row|, so that SSM heads are measured like attention.
enum class Metric {
    Entropy,         ///< nats
    EffectiveTokens, ///< exp(entropy)
    Previous,        ///< share on the previous token
    Duplicate,       ///< share on earlier occurrences of the same token, if any
    Induction,       ///< share on the tokens after those, if any
    First,           ///< share on the window's first token
    Diagonal,        ///< share on the token itself
    Gather,          ///< at the last token of a segment: share on its other tokens
    Aggregate,       ///< share on the last tokens of earlier segments, if any
    Norm,            ///< norm of the head's slice of the output projection's input
    StreamShare,     ///< norm of the head's output, relative to that of the stream it is added to
};

inline constexpr int kMetricCount = 11;
inline constexpr std::array<const char*, kMetricCount> kMetricNames = {
    "entropy",  "effective_tokens", "previous",  "duplicate", "induction",   "first",
    "diagonal", "gather",           "aggregate", "norm",      "stream_share"};

/// Returns the spelling in files and on the command line: "entropy", "stream_share".
[[nodiscard]] constexpr const char* name(Metric metric)
{
    return kMetricNames[static_cast<std::size_t>(metric)];
}
[[nodiscard]] std::optional<Metric> parseMetric(std::string_view text);

/// One value per metric; NaN if the metric is undefined at the position.
using MetricValues = std::array<float, kMetricCount>;

[[nodiscard]] constexpr std::size_t indexOf(Metric metric)
{
    return static_cast<std::size_t>(metric);
}

} // namespace headscope::survey

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What one head did on all texts so far. Its size does not depend on how many there were. Any thread.

#include "core/base/result.h"
#include "core/survey/distribution.h"
#include "core/survey/rowvalues.h"
#include "core/survey/texts/places.h"

namespace headscope::survey {

/// How many places are kept of each metric.
struct PlaceCounts {
    int top = 5;
    int sample = 24;
    bool operator==(const PlaceCounts&) const = default;
};

/// Where a row is in the texts.
struct RowPlace {
    std::uint32_t piece = 0, window = 0, position = 0;
    std::uint64_t draw = 0;
};

class HeadSurvey
{
public:
    explicit HeadSurvey(PlaceCounts counts = {});

    /// Counts a row.
    void add(const MetricValues& values, const DistanceProfile& profile);
    /// Whether a row comes among the places that are kept.
    [[nodiscard]] bool wants(const MetricValues& values, const RowPlace& at) const;
    void keep(const MetricValues& values, const RowPlace& at, const std::array<Read, kReads>& reads);
    /// Ends a block of texts.
    void close();
    /// Takes in the next block, measured by itself: to the last bit what add() and keep() of its rows make.
    void take(const HeadSurvey& block);

    [[nodiscard]] const Distribution& of(Metric metric) const { return m_values[indexOf(metric)]; }
    [[nodiscard]] const TopPlaces& top(Metric metric) const { return m_top[indexOf(metric)]; }
    [[nodiscard]] const SampledPlaces& sample(Metric metric) const { return m_sample[indexOf(metric)]; }
    /// Mean share by distance, 0, 1, 2-3, 4-7 ...
    [[nodiscard]] std::array<double, kDistances> profile() const;
    [[nodiscard]] std::int64_t rows() const { return m_rows; }

    [[nodiscard]] std::string pack() const;
    /// Fails for bytes that pack() does not make with the same counts.
    [[nodiscard]] static Result<HeadSurvey> unpack(std::string_view bytes, PlaceCounts counts);
    bool operator==(const HeadSurvey&) const = default;

private:
    std::int64_t m_rows = 0;
    std::array<Distribution, kMetricCount> m_values;
    std::array<TopPlaces, kMetricCount> m_top;
    std::array<SampledPlaces, kMetricCount> m_sample;
    std::array<BlockSum, kDistances> m_profile{};
};

/// Bytes that a head takes at the most.
[[nodiscard]] std::int64_t headBytes(PlaceCounts counts);

} // namespace headscope::survey

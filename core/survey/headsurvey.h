// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Statistics of one head over all texts so far. The size does not depend on their number. Any thread.

#include "core/base/result.h"
#include "core/survey/distribution.h"
#include "core/survey/rowvalues.h"
#include "core/survey/texts/places.h"

namespace headscope::survey {

/// How many places are stored per metric.
struct PlaceCounts {
    int top = 5;
    int sample = 24;
    bool operator==(const PlaceCounts&) const = default;
};

/// Position of a row in the texts.
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
    /// Returns whether a row would be among the stored places.
    [[nodiscard]] bool wants(const MetricValues& values, const RowPlace& at) const;
    void keep(const MetricValues& values, const RowPlace& at, const std::array<Read, kReads>& reads);
    /// Ends a block of texts.
    void close();
    /// Appends the next block, measured separately: identical to the last bit to calling add() and keep() for its rows.
    void take(const HeadSurvey& block);

    [[nodiscard]] const Distribution& of(Metric metric) const { return m_values[indexOf(metric)]; }
    [[nodiscard]] const TopPlaces& top(Metric metric) const { return m_top[indexOf(metric)]; }
    [[nodiscard]] const SampledPlaces& sample(Metric metric) const { return m_sample[indexOf(metric)]; }
    /// Returns the mean share by distance, 0, 1, 2-3, 4-7 ...
    [[nodiscard]] std::array<double, kDistances> profile() const;
    [[nodiscard]] std::int64_t rows() const { return m_rows; }

    [[nodiscard]] std::string pack() const;
    /// Restores a survey. Fails for bytes not written by pack() with the same counts.
    [[nodiscard]] static Result<HeadSurvey> unpack(std::string_view bytes, PlaceCounts counts);
    bool operator==(const HeadSurvey&) const = default;

private:
    std::int64_t m_rows = 0;
    std::array<Distribution, kMetricCount> m_values;
    std::array<TopPlaces, kMetricCount> m_top;
    std::array<SampledPlaces, kMetricCount> m_sample;
    std::array<BlockSum, kDistances> m_profile{};
};

/// Returns the maximum bytes of one head.
[[nodiscard]] std::int64_t headBytes(PlaceCounts counts);

} // namespace headscope::survey

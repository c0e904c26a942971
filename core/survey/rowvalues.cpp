// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/survey/rowvalues.h"

#include "core/lm/kernels/cpukernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace headscope::survey {

WindowFacts WindowFacts::of(std::vector<int> ids, std::span<const analysis::TokenSegment> segments)
{
    WindowFacts facts;
    const std::size_t length = ids.size();
    facts.earlier.resize(length);
    facts.segmentBegin.assign(length, -1);
    facts.closedBefore.resize(length);
    for (const analysis::TokenSegment& segment : segments)
        if (segment.end > segment.begin && segment.begin >= 0 && std::cmp_less_equal(segment.end, length))
            facts.segmentBegin[static_cast<std::size_t>(segment.end - 1)] = segment.begin;
    std::unordered_map<int, int> last;
    for (std::size_t t = 0; t < length; ++t) {
        const auto [it, fresh] = last.try_emplace(ids[t], static_cast<int>(t));
        facts.earlier[t] = fresh ? -1 : it->second;
        it->second = static_cast<int>(t);
        facts.closedBefore[t] = static_cast<int>(facts.closing.size());
        if (facts.segmentBegin[t] >= 0)
            facts.closing.push_back(static_cast<int>(t));
    }
    facts.ids = std::move(ids);
    return facts;
}

namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

// Magnitudes of a row and their sums by distance.
class Row
{
public:
    Row(std::span<const float> row, int query) : m_row(row), m_query(query)
    {
        lm::cpuKernels().distanceBands(row.data(), query, m_bands.data(), std::ssize(m_bands), &m_logs);
        m_total = std::accumulate(m_bands.begin(), m_bands.end(), 0.0);
    }
    [[nodiscard]] double total() const { return m_total; }
    [[nodiscard]] double band(std::size_t place) const { return m_bands[place]; }
    /// -sum p log p = log(total) - sum a log a / total.
    [[nodiscard]] double entropy() const
    {
        return m_total > 0 ? std::max(std::log(m_total) - m_logs / m_total, 0.0) : 0;
    }
    [[nodiscard]] float share(double mass) const { return m_total > 0 ? static_cast<float>(mass / m_total) : 0.0F; }
    [[nodiscard]] double size(int token) const
    {
        return std::abs(static_cast<double>(m_row[static_cast<std::size_t>(token)]));
    }

private:
    std::span<const float> m_row;
    int m_query;
    std::array<double, kDistances> m_bands{};
    double m_total = 0, m_logs = 0;
};

void repeats(const Row& row, int query, const WindowFacts& facts, MetricValues& values)
{
    const auto t = static_cast<std::size_t>(query);
    if (facts.earlier[t] < 0) {
        values[indexOf(Metric::Duplicate)] = values[indexOf(Metric::Induction)] = kNothing;
        return;
    }
    double duplicate = 0, induction = 0;
    for (int s = facts.earlier[t]; s >= 0; s = facts.earlier[static_cast<std::size_t>(s)]) {
        duplicate += row.size(s);
        if (s + 1 < query) // the token itself is not behind an earlier one
            induction += row.size(s + 1);
    }
    values[indexOf(Metric::Duplicate)] = row.share(duplicate);
    values[indexOf(Metric::Induction)] = row.share(induction);
}

void segments(const Row& row, int query, const WindowFacts& facts, MetricValues& values)
{
    const auto t = static_cast<std::size_t>(query);
    values[indexOf(Metric::Gather)] = values[indexOf(Metric::Aggregate)] = kNothing;
    if (facts.segmentBegin[t] >= 0 && facts.segmentBegin[t] < query) {
        double gathered = 0;
        for (int s = facts.segmentBegin[t]; s < query; ++s)
            gathered += row.size(s);
        values[indexOf(Metric::Gather)] = row.share(gathered);
    }
    if (facts.closedBefore[t] > 0) {
        double aggregated = 0;
        for (int i = 0; i < facts.closedBefore[t]; ++i)
            aggregated += row.size(facts.closing[static_cast<std::size_t>(i)]);
        values[indexOf(Metric::Aggregate)] = row.share(aggregated);
    }
}

} // namespace

void measureRow(std::span<const float> row, int query, const WindowFacts& facts, MetricValues& values,
                DistanceProfile& profile)
{
    const Row sums(row, query);
    const double entropy = sums.entropy();
    values[indexOf(Metric::Entropy)] = static_cast<float>(entropy);
    values[indexOf(Metric::EffectiveTokens)] = static_cast<float>(std::exp(entropy));
    values[indexOf(Metric::Previous)] = sums.share(sums.size(query - 1));
    values[indexOf(Metric::First)] = sums.share(sums.size(0));
    values[indexOf(Metric::Diagonal)] = sums.share(sums.size(query));
    repeats(sums, query, facts, values);
    segments(sums, query, facts, values);
    profile.fill(0);
    for (std::size_t place = 0; place <= distancePlace(query); ++place)
        profile[place] = sums.share(sums.band(place));
}

std::array<Read, kReads> readsOf(std::span<const float> row, int query)
{
    std::array<Read, kReads> reads{};
    double total = 0;
    for (int s = 0; s <= query; ++s) {
        const float size = std::abs(row[static_cast<std::size_t>(s)]);
        total += static_cast<double>(size);
        if (size <= reads.back().share)
            continue;
        // Places are seen from the left, so that of equal entries the first stays in front.
        auto at = std::upper_bound(reads.begin(), reads.end(), size,
                                   [](float one, const Read& other) { return one > other.share; });
        std::move_backward(at, reads.end() - 1, reads.end());
        *at = {static_cast<std::uint32_t>(s), size};
    }
    for (Read& read : reads)
        read.share = total > 0 ? static_cast<float>(static_cast<double>(read.share) / total) : 0.0F;
    return reads;
}

} // namespace headscope::survey

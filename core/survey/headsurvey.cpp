// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/survey/headsurvey.h"

#include <algorithm>
#include <cmath>

namespace headscope::survey {

namespace {

constexpr std::uint32_t kForm = 2; // of packed bytes; 1: sums were not kept by block

} // namespace

HeadSurvey::HeadSurvey(PlaceCounts counts)
{
    m_top.fill(TopPlaces(counts.top));
    m_sample.fill(SampledPlaces(counts.sample));
}

bool HeadSurvey::wants(const MetricValues& values, const RowPlace& at) const
{
    Place place{0, at.piece, at.window, at.position, {}};
    for (std::size_t m = 0; m < kMetricCount; ++m) {
        place.value = values[m];
        if (!std::isnan(place.value) && (m_top[m].wants(place) || m_sample[m].wants(at.draw)))
            return true;
    }
    return false;
}

void HeadSurvey::add(const MetricValues& values, const DistanceProfile& profile)
{
    for (std::size_t m = 0; m < kMetricCount; ++m)
        m_values[m].add(values[m]);
    ++m_rows;
    for (std::size_t d = 0; d < kDistances; ++d)
        m_profile[d].add(static_cast<double>(profile[d]));
}

void HeadSurvey::close()
{
    for (Distribution& values : m_values)
        values.close();
    for (BlockSum& share : m_profile)
        share.close();
}

void HeadSurvey::take(const HeadSurvey& block)
{
    m_rows += block.m_rows;
    for (std::size_t m = 0; m < kMetricCount; ++m) {
        m_values[m].take(block.m_values[m]);
        m_top[m].take(block.m_top[m]);
        m_sample[m].take(block.m_sample[m]);
    }
    for (std::size_t d = 0; d < kDistances; ++d)
        m_profile[d].add(block.m_profile[d].value());
}

void HeadSurvey::keep(const MetricValues& values, const RowPlace& at, const std::array<Read, kReads>& reads)
{
    Place place{0, at.piece, at.window, at.position, reads};
    for (std::size_t m = 0; m < kMetricCount; ++m) {
        place.value = values[m];
        if (std::isnan(place.value))
            continue;
        if (m_top[m].wants(place))
            m_top[m].add(place);
        if (m_sample[m].wants(at.draw))
            m_sample[m].add(place, at.draw);
    }
}

std::array<double, kDistances> HeadSurvey::profile() const
{
    std::array<double, kDistances> mean{};
    for (std::size_t d = 0; d < kDistances; ++d)
        mean[d] = m_profile[d].value() / static_cast<double>(std::max<std::int64_t>(m_rows, 1));
    return mean;
}

std::string HeadSurvey::pack() const
{
    Packer out;
    out.add(kForm);
    out.add(m_rows);
    for (const BlockSum& share : m_profile)
        out.add(share);
    for (std::size_t m = 0; m < kMetricCount; ++m) {
        m_values[m].write(out);
        m_top[m].write(out);
        m_sample[m].write(out);
    }
    return out.take();
}

Result<HeadSurvey> HeadSurvey::unpack(std::string_view bytes, PlaceCounts counts)
{
    Unpacker in(bytes);
    HeadSurvey head(counts);
    std::uint32_t form = 0;
    bool good = in.read(form) && form >= 1 && form <= kForm && in.read(head.m_rows) && head.m_rows >= 0;
    for (BlockSum& share : head.m_profile)
        good = good && in.read(share, form);
    for (std::size_t m = 0; m < kMetricCount && good; ++m)
        good = head.m_values[m].read(in, form) && head.m_top[m].read(in) && head.m_sample[m].read(in);
    if (!good || !in.atEnd())
        return inputError("A stored measurement of a head cannot be read: it is of another version or damaged.");
    return head;
}

std::int64_t headBytes(PlaceCounts counts)
{
    constexpr std::int64_t kBuckets = 1024 * sizeof(std::uint32_t);
    return kMetricCount * (kBuckets + (counts.top + counts.sample) * static_cast<std::int64_t>(sizeof(Place) + 8));
}

} // namespace headscope::survey

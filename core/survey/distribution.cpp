// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/survey/distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace headscope::survey {

namespace {

constexpr int kMantissaBits = 5;
constexpr int kShift = 23 - kMantissaBits;
constexpr std::int64_t kFirst = std::int64_t{127 - 20} << kMantissaBits; // of 2^-20
constexpr std::int64_t kBuckets = std::int64_t{32} << kMantissaBits;     // 32 powers of two

std::size_t bucketOf(float value)
{
    const auto place = static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(value) >> kShift) - kFirst;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(place, 0, kBuckets - 1));
}

double lowerEdge(std::size_t bucket)
{
    return static_cast<double>(
        std::bit_cast<float>((static_cast<std::uint32_t>(bucket) + static_cast<std::uint32_t>(kFirst)) << kShift));
}

} // namespace

void Distribution::add(float value)
{
    if (std::isnan(value))
        return;
    value = std::max(value, 0.0F);
    if (m_buckets.empty())
        m_buckets.resize(static_cast<std::size_t>(kBuckets));
    ++m_count;
    const auto wide = static_cast<double>(value);
    m_sum.add(wide);
    m_squares.add(wide * wide);
    m_smallest = std::min(m_smallest, value);
    m_largest = std::max(m_largest, value);
    ++m_buckets[bucketOf(value)];
}

void Distribution::close()
{
    m_sum.close();
    m_squares.close();
}

void Distribution::take(const Distribution& block)
{
    if (block.m_count == 0)
        return;
    m_buckets.resize(static_cast<std::size_t>(kBuckets));
    for (std::size_t i = 0; i < m_buckets.size(); ++i)
        m_buckets[i] += block.m_buckets[i];
    m_count += block.m_count;
    m_sum.add(block.m_sum.value());
    m_squares.add(block.m_squares.value());
    m_smallest = std::min(m_smallest, block.m_smallest);
    m_largest = std::max(m_largest, block.m_largest);
}

double Distribution::mean() const
{
    return m_count > 0 ? m_sum.value() / static_cast<double>(m_count) : 0;
}

double Distribution::deviation() const
{
    if (m_count < 2)
        return 0;
    const auto n = static_cast<double>(m_count);
    return std::sqrt(std::max(m_squares.value() - m_sum.value() * m_sum.value() / n, 0.0) / (n - 1));
}

double Distribution::quantile(double q) const
{
    if (m_count == 0)
        return 0;
    const double rank = std::clamp(q, 0.0, 1.0) * static_cast<double>(m_count - 1);
    double before = 0;
    for (std::size_t i = 0; i < m_buckets.size(); ++i) {
        const double here = m_buckets[i];
        if (here > 0 && rank < before + here) {
            // Values of a bucket are taken to lie evenly; none lies outside of what was seen.
            const double low = i == 0 ? 0.0 : lowerEdge(i), high = lowerEdge(i + 1);
            const double inside = low + (high - low) * (rank - before + 0.5) / here;
            return std::clamp<double>(inside, m_smallest, m_largest);
        }
        before += here;
    }
    return m_largest;
}

void Distribution::write(Packer& out) const
{
    out.add(m_count);
    out.add(m_sum);
    out.add(m_squares);
    out.add(m_smallest);
    out.add(m_largest);
    // Most buckets are empty, and those that are not stand together.
    const auto filled = [](std::uint32_t n) { return n > 0; };
    const auto first = std::find_if(m_buckets.begin(), m_buckets.end(), filled);
    const auto last = std::find_if(m_buckets.rbegin(), std::make_reverse_iterator(first), filled).base();
    out.add(static_cast<std::uint32_t>(first - m_buckets.begin()));
    out.add(static_cast<std::uint32_t>(last - first));
    if (first != last)
        out.add(std::span<const std::uint32_t>(&*first, static_cast<std::size_t>(last - first)));
}

bool Distribution::read(Unpacker& in, std::uint32_t form)
{
    std::uint32_t first = 0, filled = 0;
    std::vector<std::uint32_t> counts;
    if (!in.read(m_count) || !in.read(m_sum, form) || !in.read(m_squares, form) || !in.read(m_smallest)
        || !in.read(m_largest) || !in.read(first) || !in.read(filled) || first > kBuckets || filled > kBuckets - first
        || !in.read(counts, filled))
        return false;
    m_buckets.clear();
    std::int64_t sum = 0;
    for (const std::uint32_t n : counts)
        sum += n;
    if (sum != m_count)
        return false;
    if (m_count > 0) {
        m_buckets.resize(static_cast<std::size_t>(kBuckets));
        std::copy(counts.begin(), counts.end(), m_buckets.begin() + first);
    }
    return true;
}

} // namespace headscope::survey

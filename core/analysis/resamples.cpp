// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/resamples.h"

#include <algorithm>
#include <limits>
#include <mutex>

namespace headscope::analysis {

namespace {

constexpr std::size_t kMostBytes = std::size_t{32} << 20;

} // namespace

std::size_t uniformIndex(std::mt19937_64& random, std::size_t n)
{
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>((static_cast<Wide>(random()) * n) >> 64);
}

std::shared_ptr<const Resamples> Resamples::of(std::uint64_t seed, std::size_t rows, int resamples)
{
    static std::mutex lock;
    static std::vector<std::shared_ptr<const Resamples>> kept; // those asked for last come last
    const auto count = static_cast<std::size_t>(resamples);
    if (rows > kMostBytes / count)
        return nullptr;
    const std::scoped_lock locked(lock);
    const auto found = std::ranges::find_if(
        kept, [&](const auto& one) { return one->m_seed == seed && one->m_rows == rows && one->m_resamples == count; });
    std::shared_ptr<const Resamples> made =
        found != kept.end() ? *found : std::shared_ptr<const Resamples>(new Resamples(seed, rows, resamples));
    if (found != kept.end())
        kept.erase(found);
    kept.push_back(made);
    std::size_t bytes = 0;
    for (auto one = kept.rbegin(); one != kept.rend(); ++one)
        if ((bytes += (*one)->m_counts.size()) > kMostBytes) {
            kept.erase(kept.begin(), one.base());
            break;
        }
    return made->m_fits ? made : nullptr;
}

Resamples::Resamples(std::uint64_t seed, std::size_t rows, int resamples)
    : m_seed(seed), m_rows(rows), m_resamples(static_cast<std::size_t>(resamples)), m_counts(rows * m_resamples)
{
    std::mt19937_64 random(seed);
    for (std::size_t resample = 0; resample < m_resamples; ++resample)
        for (std::size_t i = 0; i < rows; ++i) {
            std::uint8_t& count = m_counts[uniformIndex(random, rows) * m_resamples + resample];
            m_fits = m_fits && count < std::numeric_limits<std::uint8_t>::max();
            ++count;
        }
}

std::vector<std::int32_t> Resamples::sums(std::span<const std::int32_t> values) const
{
    std::vector<std::int32_t> sums(m_resamples);
    for (std::size_t row = 0; row < m_rows; ++row)
        if (const std::int32_t value = values[row]; value != 0)
            for (std::size_t resample = 0; resample < m_resamples; ++resample)
                sums[resample] += value * m_counts[row * m_resamples + resample];
    return sums;
}

} // namespace headscope::analysis

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/pattern/rowcache.h"

#include <algorithm>

namespace headscope::app {

std::shared_ptr<KnownRows> RowCache::of(const std::shared_ptr<const engine::Benchmark>& benchmark,
                                        const std::string& set)
{
    auto& place = m_states[{benchmark.get(), set}];
    const bool added = !place;
    if (added)
        place = std::make_shared<KnownRows>(KnownRows{.benchmark = benchmark, .rows = benchmark->emptyRows()});
    place->used = ++m_clock;
    const std::shared_ptr<KnownRows> known = place;
    if (added)
        makeRoom();
    return known;
}

void RowCache::makeRoom()
{
    for (std::size_t kept = rows(); kept > m_most;) {
        const auto free = [](const auto& models) { return models.second.use_count() == 1; };
        const auto longest = std::ranges::min_element(
            m_states, {}, [&](const auto& models) { return std::pair(!free(models), models.second->used); });
        if (!free(*longest))
            return;
        kept -= longest->second->rows.outcomes.size();
        m_states.erase(longest);
    }
}

std::size_t RowCache::rows() const
{
    std::size_t sum = 0;
    for (const auto& [key, known] : m_states)
        sum += known->rows.outcomes.size();
    return sum;
}

} // namespace headscope::app

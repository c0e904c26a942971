// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ranking/manyheads.h"

#include "core/analysis/multiplicity.h"

#include <algorithm>

namespace headscope::engine {

namespace {

double pairedP(const std::vector<bool>& one, const std::vector<bool>& other)
{
    analysis::PairedCounts counts;
    for (std::size_t i = 0; i < one.size(); ++i)
        counts.add(one[i], other[i]);
    return analysis::mcnemarExact(counts);
}

// Each head against the first of the group before it. Which pairs are tested hangs on the data, so all pairs count.
std::vector<int> groupsOf(const std::vector<RankedHead>& ranked, double level)
{
    const auto count = static_cast<double>(ranked.size());
    const double pairs = std::max(1.0, count * (count - 1) / 2);
    std::vector<int> groups(ranked.size(), -1);
    const RankedHead* leader = nullptr;
    int group = -1;
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        const RankedHead& head = ranked[i];
        if (head.right.empty() || (leader && head.right.size() != leader->right.size()))
            continue;
        if (!leader || pairedP(leader->right, head.right) * pairs < level) {
            leader = &head;
            ++group;
        }
        groups[i] = group;
    }
    return groups;
}

} // namespace

ManyHeads testedTogether(const std::vector<RankedHead>& ranked, double level)
{
    std::vector<double> p;
    for (const RankedHead& head : ranked)
        if (head.fault.empty())
            p.push_back(head.p);
    const std::vector<double> holm = analysis::holm(p), discovery = analysis::benjaminiHochberg(p);
    ManyHeads together{.holm = {}, .falseDiscovery = {}, .group = groupsOf(ranked, level)};
    std::size_t tested = 0;
    for (const RankedHead& head : ranked) {
        const bool counts = head.fault.empty();
        together.holm.push_back(counts ? holm[tested] : 1);
        together.falseDiscovery.push_back(counts ? discovery[tested] : 1);
        tested += counts ? 1 : 0;
    }
    return together;
}

} // namespace headscope::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/pattern/streamstore.h"

#include <algorithm>
#include <limits>

namespace headscope::engine {

using namespace interventions;

namespace {

struct LowestLayer {
    int operator()(const EditHead& edit) const { return edit.shared ? 0 : edit.head.layer; }
    int operator()(const KeepHeads& keep) const { return keep.layer; }
    int operator()(const MinimalModel& /*model*/) const { return std::numeric_limits<int>::max(); } // runs fewer layers
    int operator()(const SkipLayer& skip) const { return skip.layer; }
    int operator()(const MaskLastRow& mask) const { return mask.layer.value_or(0); }
    int operator()(const MaskEntry& mask) const { return mask.head.layer; }
    int operator()(const SwapLayer& swap) const { return swap.layer; }
    int operator()(const MaskSpan& mask) const { return mask.layer; }
    int operator()(const ExchangeWords& exchange) const { return exchange.layer; }
    int operator()(const Steer& steer) const { return steer.layer; } // added as the layer begins
};

std::int64_t streamBytes(const at::Tensor& stream)
{
    return static_cast<std::int64_t>(stream.nbytes());
}

} // namespace

std::string actingBelow(const InterventionSet& set, int layer)
{
    std::vector<Intervention> items;
    std::ranges::copy_if(set.items(), std::back_inserter(items),
                         [&](const Intervention& item) { return std::visit(LowestLayer(), item) < layer; });
    return InterventionSet(std::move(items)).canonical();
}

std::string StreamStore::doneBelow(const InterventionSet& set, int layer) const
{
    const std::string acting = actingBelow(set, layer);
    return acting.empty() || !m_contentOf ? acting : acting + m_contentOf(set);
}

StreamStore::Place StreamStore::nearest(const std::vector<int>& ids, const InterventionSet& set, int layer)
{
    for (Key key{ids, layer, {}}; key.layer > 0; --key.layer) {
        key.below = doneBelow(set, key.layer);
        const auto found = m_index.find(key);
        if (found == m_index.end())
            continue;
        m_entries.splice(m_entries.end(), m_entries, found->second);
        return {key.layer, found->second->stream};
    }
    return {};
}

void StreamStore::keep(const std::vector<int>& ids, const InterventionSet& set, int layer, const at::Tensor& stream)
{
    Key key{ids, layer, doneBelow(set, layer)};
    if (layer == 0 || streamBytes(stream) > m_budget || m_index.contains(key))
        return;
    m_bytes += streamBytes(stream);
    m_entries.push_back({key, stream});
    m_index[std::move(key)] = std::prev(m_entries.end());
    for (; m_bytes > m_budget; m_entries.pop_front()) {
        m_bytes -= streamBytes(m_entries.front().stream);
        m_index.erase(m_entries.front().key);
    }
}

} // namespace headscope::engine

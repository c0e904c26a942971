// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/unreadheads.h"

#include "core/engine/pattern/headnorms.h"

#include <algorithm>
#include <vector>

namespace headscope::engine {

namespace {

std::vector<int> touched(const lm::SiteEdits& site, int heads)
{
    std::vector<int> found;
    for (int head = 0; head < heads; ++head)
        if ((site.scale.defined() && site.scale[head].item<float>() != 1.0F)
            || std::ranges::any_of(site.replace, [head](const lm::ReplaceHead& r) { return r.head == head; }))
            found.push_back(head);
    return found;
}

} // namespace

bool UnreadHeads::changesNothing(int layer, const lm::LayerEdits& edits)
{
    const std::vector<lm::MixerSpec>& mixers = m_model.spec().layers[static_cast<std::size_t>(layer)].mixers;
    if (edits.expertScale.defined() || mixers.size() != 1 || !m_model.canResume(layer, &edits))
        return false;
    const lm::Site site = mixers.front().site();
    return std::ranges::all_of(touched(edits.site(site), mixers.front().heads), [&](int head) {
        const auto [unread, fresh] = m_unread.try_emplace({layer, head});
        if (fresh)
            unread->second = isPruned(m_model, {layer, site, head});
        return unread->second;
    });
}

lm::Edits UnreadHeads::withoutUnreadHeads(lm::Edits edits)
{
    std::erase_if(edits.layers, [&](const auto& layer) {
        return layer.first < edits.layerCount && changesNothing(layer.first, layer.second);
    });
    return edits;
}

} // namespace headscope::engine

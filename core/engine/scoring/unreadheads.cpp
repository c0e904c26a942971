// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/unreadheads.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

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

// By row of z [1, R, heads * headDim]: whether the layer behind it is the same when `off` is set.
std::vector<bool> unchanged(const lm::Model& model, int layer, const at::Tensor& z, const lm::LayerEdits& off)
{
    const auto stream = z.options().dtype(model.parts().streamInFp32 ? at::kFloat : model.dtype());
    const auto behind = [&](const lm::LayerEdits* edits) { // resume() may write into the stream
        return model.resume(layer, {at::zeros({1, z.size(1), std::int64_t{model.spec().hidden}}, stream), z}, edits);
    };
    const at::Tensor same = behind(nullptr).eq(behind(&off)).all(-1)[0].to(at::kCPU);
    std::vector<bool> rows(static_cast<std::size_t>(z.size(1)));
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = same[static_cast<std::int64_t>(i)].item<bool>();
    return rows;
}

} // namespace

// What is added to the stream is linear in z, so what each unit vector of a head does is what the head can do at all.
// Most heads are read, which one row of ones shows.
void UnreadHeads::lookAt(int layer, const std::vector<int>& heads)
{
    const lm::MixerSpec& mixer = m_model.spec().layers[static_cast<std::size_t>(layer)].mixers.front();
    const std::int64_t width = mixer.headDim;
    const auto options = at::TensorOptions(m_model.dtype()).device(m_model.device());
    const auto zeros = [&](std::size_t rows) {
        return at::zeros({1, static_cast<std::int64_t>(rows), mixer.heads * width}, options);
    };
    lm::LayerEdits off;
    at::Tensor& scale = off.site(mixer.site()).scale;
    scale = at::ones({mixer.heads});
    at::Tensor ones = zeros(heads.size());
    for (std::size_t i = 0; i < heads.size(); ++i) {
        ones[0][static_cast<std::int64_t>(i)].narrow(0, heads[i] * width, width).fill_(1);
        scale[heads[i]] = 0;
    }
    const std::vector<bool> same = unchanged(m_model, layer, ones, off);
    for (std::size_t i = 0; i < heads.size(); ++i) {
        bool unread = same[i];
        if (unread) {
            at::Tensor units = zeros(static_cast<std::size_t>(width));
            units[0].narrow(1, heads[i] * width, width).fill_diagonal_(1);
            unread = std::ranges::count(unchanged(m_model, layer, units, off), false) == 0;
        }
        m_unread[{layer, heads[i]}] = unread;
    }
}

bool UnreadHeads::changesNothing(int layer, const lm::LayerEdits& edits)
{
    const std::vector<lm::MixerSpec>& mixers = m_model.spec().layers[static_cast<std::size_t>(layer)].mixers;
    if (edits.expertScale.defined() || mixers.size() != 1 || !m_model.canResume(layer, &edits))
        return false;
    const std::vector<int> heads = touched(edits.site(mixers.front().site()), mixers.front().heads);
    std::vector<int> fresh;
    std::ranges::copy_if(heads, std::back_inserter(fresh), [&](int head) { return !m_unread.contains({layer, head}); });
    if (!fresh.empty())
        lookAt(layer, fresh);
    return std::ranges::all_of(heads, [&](int head) { return m_unread.at({layer, head}); });
}

lm::Edits UnreadHeads::withoutThem(lm::Edits edits, const std::stop_token& stop)
{
    std::erase_if(edits.layers, [&](const auto& layer) {
        return layer.first < edits.layerCount && !stop.stop_requested() && changesNothing(layer.first, layer.second);
    });
    return edits;
}

} // namespace headscope::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/paths/paths.h"

#include "core/lm/device/transfer.h"
#include "core/why/cost.h"

#include <algorithm>

namespace headscope::why {

namespace {

/// Routes side by side, [C, T, D]. The stream that is carried never has the changes in it; readers see them added.
class RoutedBatch
{
public:
    RoutedBatch(const LayerRun& run, const Recording& into, std::span<const Route> routes)
        : m_run(run), m_into(into), m_routes(routes)
    {
        std::vector<at::Tensor> changes;
        for (const Route& route : routes)
            changes.push_back(route.change);
        m_changes = at::cat(changes);
    }

    at::Tensor logits(const std::stop_token& stop) const
    {
        int first = m_into.layers(), last = -1;
        for (const Route& route : m_routes)
            for (const Receiver& receiver : route.receivers) {
                first = std::min(first, receiver.layer);
                last = std::max(last, receiver.layer);
            }
        const auto cells = static_cast<std::int64_t>(m_routes.size());
        at::Tensor stream = m_into.streams[static_cast<std::size_t>(first)].expand({cells, -1, -1}).contiguous();
        int layer = first;
        for (; layer <= std::min(last, m_into.layers() - 1); ++layer) {
            if (stop.stop_requested())
                return {};
            stream = behind(stream, layer);
        }
        const at::Tensor here = cellsWith(m_into.layers(), [](const Receiver&) { return true; });
        if (here.defined()) { // the norm, which reads the last position alone
            const at::Tensor end = stream.narrow(1, stream.size(1) - 1, 1);
            stream = at::where(here, end + m_changes.narrow(1, m_changes.size(1) - 1, 1), end);
        }
        return m_run.toLogits(stream, layer, stop);
    }

private:
    // bool [C, 1, 1]: which routes have such a receiver in the layer; undefined: none.
    template <typename Is> at::Tensor cellsWith(int layer, const Is& is) const
    {
        at::Tensor mask = at::zeros({static_cast<std::int64_t>(m_routes.size())}, at::kBool);
        bool any = false;
        for (std::size_t i = 0; i < m_routes.size(); ++i)
            for (const Receiver& receiver : m_routes[i].receivers)
                if (receiver.layer == layer && is(receiver)) {
                    mask[static_cast<std::int64_t>(i)] = true;
                    any = true;
                }
        return any ? lm::onDevice(mask.view({-1, 1, 1}), m_changes.device()) : at::Tensor();
    }

    // Heads of a site whose parts read the change: their z from a run in which these parts do.
    void reroute(const at::Tensor& stream, int layer, Site site, lm::LayerEdits& edits) const
    {
        const std::int64_t heads = m_run.mixer(layer, site).heads;
        std::map<unsigned, at::Tensor> wanted; // parts to bool [C, 1, H]
        for (std::size_t i = 0; i < m_routes.size(); ++i)
            for (const Receiver& receiver : m_routes[i].receivers) {
                if (receiver.layer != layer || receiver.site != site || receiver.parts == 0)
                    continue;
                at::Tensor& mask = wanted[receiver.parts];
                if (!mask.defined())
                    mask = at::zeros({static_cast<std::int64_t>(m_routes.size()), 1, heads}, at::kBool);
                mask[static_cast<std::int64_t>(i)][0][receiver.head] = true;
            }
        lm::HeadPatch patch;
        for (const auto& [parts, mask] : wanted) {
            const at::Tensor where = lm::onDevice(mask, stream.device());
            const at::Tensor z = m_run.rerouted(stream, layer, edits, {stream + m_changes, site, parts});
            const at::Tensor mine = where.repeat_interleave(z.size(2) / heads, 2);
            patch.value = patch.value.defined() ? at::where(mine, z, patch.value) : z;
            patch.where = patch.where.defined() ? patch.where.logical_or(where) : where;
        }
        if (patch.value.defined())
            edits.site(site).patch = patch;
    }

    at::Tensor behind(const at::Tensor& stream, int layer) const
    {
        lm::LayerEdits edits = m_run.edits(layer);
        if (edits.skip)
            return m_run.step(stream, layer, edits);
        for (const Site site : interventions::kMixerSites)
            if (m_into.z.contains({layer, site}))
                reroute(stream, layer, site, edits);
        const at::Tensor after = m_run.step(stream, layer, edits);
        const at::Tensor mlp = cellsWith(layer, [](const Receiver& one) { return one.parts == 0; });
        if (!mlp.defined())
            return after;
        const at::Tensor read = m_run.block(layer).mlpBesideMixer() ? stream : m_run.behindMixer(stream, layer, edits);
        const at::Tensor moved = m_run.mlpOf(read + m_changes, layer) - m_run.mlpOf(read, layer);
        return at::where(mlp, after + moved, after);
    }

    const LayerRun& m_run;
    const Recording& m_into;
    std::span<const Route> m_routes;
    at::Tensor m_changes; ///< [C, T, D]
};

Result<void> checkReceiver(const lm::Model& model, const lm::Edits& base, const Receiver& receiver)
{
    if (receiver.layer == base.layerCount)
        return {};
    const std::string name = "L" + std::to_string(receiver.layer);
    if (receiver.layer < 0 || receiver.layer > base.layerCount)
        return inputError("There is no layer " + name + " to send to; expected L0 to L"
                          + std::to_string(base.layerCount - 1) + " or the logits.");
    const lm::LayerEdits* edits = base.find(receiver.layer);
    if (edits && edits->skip)
        return inputError("Layer " + name + " is skipped by the ablation; expected a reader in a layer that runs.");
    if (edits && receiver.parts == 0 && edits->skipMlp)
        return inputError("The MLP of layer " + name + " is skipped by the ablation; expected a reader that runs.");
    if (edits && receiver.parts != 0 && (receiver.site == Site::Attention ? edits->skipAttention : edits->skipSsm))
        return inputError("The mixer of layer " + name + " is skipped by the ablation; expected a reader that runs.");
    if (receiver.parts == 0)
        return LayerRun(model, base, {}).block(receiver.layer).mlpWrites()
                   ? Result<void>()
                   : inputError("Layer " + name + " has no MLP that reads the stream and writes into it.");
    const lm::MixerSpec* mixer = model.spec().layers[static_cast<std::size_t>(receiver.layer)].find(receiver.site);
    if (!mixer || receiver.head < 0 || receiver.head >= mixer->heads)
        return inputError("Layer " + name + " has no such head to send to.");
    return {};
}

// Whether a block reads the embedding besides the stream (Zamba2, and RWKV-7 behind its first layer).
bool readsEmbedding(const lm::Model& model)
{
    for (std::size_t layer = 0; layer < model.spec().layers.size(); ++layer)
        for (const lm::MixerSpec& mixer : model.spec().layers[layer].mixers)
            if (!model.parts().blocks[layer]->reader(mixer.site()).mixer
                || (layer > 0 && mixer.kind == lm::MixerKind::Rwkv7))
                return true;
    return false;
}

// What one part writes has to reach the readers as it is: Gemma 4 scales the stream, MiniMax goes on with a norm of it.
Result<void> checkAdds(const lm::Model& model, const lm::Edits& base)
{
    for (const auto& [layer, edits] : base.layers)
        if (!edits.exchanges.empty())
            return inputError("An exchange of words before layer L" + std::to_string(layer)
                              + " changes what earlier parts wrote, so no reader gets it unchanged; expected an "
                                "ablation without 'swap:'.");

    for (const auto& block : model.parts().blocks)
        if (!block->addsToStream())
            return inputError(
                "Layers of this model do more to the stream than to add to it, so that no reader gets what "
                "one part wrote by itself; ablation, patching and the lens can be used.");
    return lm::checkSameHeads(base, model.spec());
}

} // namespace

std::vector<Sender> sendersBefore(const lm::Model& model, const lm::Edits& base, int layer)
{
    std::vector<Sender> senders;
    if (!readsEmbedding(model))
        senders.push_back({});
    const LayerRun run(model, base, {});
    for (int at = 0; at < std::min(layer, base.layerCount); ++at) {
        const lm::LayerEdits edits = run.edits(at);
        if (edits.skip)
            continue;
        for (const Site site : interventions::kMixerSites) {
            const lm::MixerSpec* mixer = model.spec().layers[static_cast<std::size_t>(at)].find(site);
            if (!mixer || !run.block(at).writes(site)
                || (site == Site::Attention ? edits.skipAttention : edits.skipSsm))
                continue;
            for (int head = 0; head < mixer->heads; ++head)
                senders.push_back({at, site, head});
        }
        if (run.block(at).mlpWrites() && !edits.skipMlp)
            senders.push_back({at, Site::Any, -1});
    }
    return senders;
}

std::vector<Receiver> receiversBehind(const lm::Model& model, const lm::Edits& base, const Sender& sender)
{
    std::vector<Receiver> receivers;
    const LayerRun run(model, base, {});
    for (int layer = std::max(sender.layer, 0); layer < base.layerCount; ++layer) {
        const lm::LayerEdits edits = run.edits(layer);
        if (edits.skip)
            continue;
        const bool same = layer == sender.layer;
        for (const Site site : interventions::kMixerSites) {
            const lm::MixerSpec* mixer = model.spec().layers[static_cast<std::size_t>(layer)].find(site);
            if (!mixer || same || (site == Site::Attention ? edits.skipAttention : edits.skipSsm))
                continue;
            for (int head = 0; head < mixer->heads; ++head)
                for (const auto& [name, part] : partsRead(model, layer, site))
                    receivers.push_back({layer, site, head, part});
        }
        const bool reads = !same || (sender.head >= 0 && !run.block(layer).mlpBesideMixer());
        if (run.block(layer).mlpWrites() && !edits.skipMlp && reads)
            receivers.push_back({layer, Site::Any, -1, 0});
    }
    receivers.push_back({base.layerCount, Site::Any, -1, 0});
    return receivers;
}

std::vector<std::pair<std::string, unsigned>> partsOf(lm::MixerKind kind)
{
    if (kind == lm::MixerKind::Attention)
        return {{"q", lm::kQuery}, {"k", lm::kKey}, {"v", lm::kValue}, {"gate", lm::kGate}};
    return {{"c", lm::kQuery}, {"b", lm::kKey}, {"x", lm::kValue}, {"dt", lm::kStep}, {"gate", lm::kGate}};
}

std::vector<std::pair<std::string, unsigned>> partsRead(const lm::Model& model, int layer, Site site)
{
    const auto at = static_cast<std::size_t>(layer);
    const unsigned read = model.parts().blocks[at]->inputParts(site);
    auto parts = partsOf(model.spec().layers[at].find(site)->kind);
    std::erase_if(parts, [&](const auto& part) { return (part.second & read) == 0; });
    return parts;
}

Result<std::vector<at::Tensor>> changesOf(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                          const Recording& from, std::span<const Sender> senders,
                                          const Control& control)
{
    if (const auto alike = checkPair(into, from); !alike.has_value())
        return alike.error();
    if (const auto adds = checkAdds(model, base); !adds.has_value())
        return adds.error();
    const LayerRun run(model, base, into.embedding);
    std::vector<at::Tensor> changes;
    for (const Sender& sender : senders) {
        if (control.stopped())
            return cancelledError();
        const auto layer = static_cast<std::size_t>(std::max(sender.layer, 0));
        if (sender.layer < 0 && readsEmbedding(model))
            return inputError(
                "Blocks of this model read the embedding besides the stream, so that what it writes is not all "
                "that they get of it; expected a head or an MLP as the sender.");
        if (sender.layer < 0) {
            changes.push_back(from.embedding - into.embedding);
            continue;
        }
        const PatchPoint point{sender.head < 0 ? PatchPart::Mlp : PatchPart::Head, sender.layer, sender.site,
                               sender.head};
        if (const auto fits = check(point, model, base, into.length()); !fits.has_value())
            return fits.error();
        if (sender.head >= 0 && !run.block(sender.layer).writes(sender.site))
            return inputError("The heads of layer L" + std::to_string(sender.layer)
                              + " write nothing into the stream themselves: they feed the layer's other mixer.");
        lm::LayerEdits edits = run.edits(sender.layer);
        if (sender.head < 0) {
            const auto write = [&](const Recording& of) {
                return run.with(of.embedding).mlpWrite(of.streams[layer], sender.layer, edits);
            };
            changes.push_back(write(from) - write(into));
            continue;
        }
        at::Tensor where = at::zeros({1, 1, run.mixer(sender.layer, sender.site).heads}, at::kBool);
        where[0][0][sender.head] = true;
        const at::Tensor plain = run.behindMixer(into.streams[layer], sender.layer, edits);
        edits.site(sender.site).patch = {from.z.at({sender.layer, sender.site}),
                                         lm::onDevice(where, into.ids.device())};
        changes.push_back(run.behindMixer(into.streams[layer], sender.layer, edits) - plain);
    }
    return changes;
}

Result<std::vector<double>> routedDifferences(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                              const Metric& metric, std::span<const Route> routes,
                                              const Control& control)
{
    for (const Route& route : routes)
        for (const Receiver& receiver : route.receivers)
            if (const auto fits = checkReceiver(model, base, receiver); !fits.has_value())
                return fits.error();
    const LayerRun run(model, base, into.embedding);
    const auto atOnce = static_cast<std::size_t>(cellsAtOnce(model, into.length()));
    std::vector<Route> changing; // a route that changes nothing is the run itself, bit for bit
    std::vector<std::size_t> place;
    std::vector<double> values(routes.size(), into.difference(metric));
    for (std::size_t i = 0; i < routes.size(); ++i)
        if (!routes[i].receivers.empty() && routes[i].change.any().item<bool>()) {
            changing.push_back(routes[i]);
            place.push_back(i);
        }
    for (std::size_t begin = 0; begin < changing.size(); begin += atOnce) {
        const auto some = std::span(changing).subspan(begin, std::min(atOnce, changing.size() - begin));
        const at::Tensor logits = RoutedBatch(run, into, some).logits(control.stop);
        if (!logits.defined())
            return cancelledError();
        for (std::size_t i = 0; i < some.size(); ++i) {
            const at::Tensor own = logits[static_cast<std::int64_t>(i)];
            values[place[begin + i]] = own[metric.answer].item<double>() - own[metric.distractor].item<double>();
        }
        control.progress("tracing edges", static_cast<std::int64_t>(begin + some.size()),
                         static_cast<std::int64_t>(changing.size()));
    }
    return values;
}

} // namespace headscope::why

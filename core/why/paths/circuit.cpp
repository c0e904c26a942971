// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/paths/circuit.h"

#include "core/lm/device/transfer.h"

namespace headscope::why {

namespace {

/// What each sender writes in this run less what it writes in `into`, layer by layer.
class CircuitRun
{
public:
    CircuitRun(const lm::Model& model, const lm::Edits& base, const Recording& into, const Recording& from,
               const Circuit& kept)
        : m_run(model, base, into.embedding), m_into(into)
    {
        m_changes[Sender()] = from.embedding - into.embedding;
        for (const auto& [sender, receiver] : kept)
            m_heard[receiver].push_back(sender);
    }

    void pass(int layer)
    {
        const lm::LayerEdits edits = m_run.edits(layer);
        if (edits.skip)
            return;
        for (const Site site : interventions::kMixerSites)
            if (m_into.z.contains({layer, site}) && m_run.block(layer).writes(site))
                passHeads(layer, site, edits);
        const at::Tensor change = heardBy({layer, Site::Any, -1, 0});
        if (!change.defined() || edits.skipMlp || !m_run.block(layer).mlpWrites())
            return;
        const at::Tensor& stream = m_into.streams[static_cast<std::size_t>(layer)];
        const at::Tensor read = m_run.block(layer).mlpBesideMixer() ? stream : m_run.behindMixer(stream, layer, edits);
        m_changes[{layer, Site::Any, -1}] = m_run.mlpOf(read + change, layer) - m_run.mlpOf(read, layer);
    }

    // What the norm reads of the last position, [1, 1, D].
    at::Tensor last() const
    {
        const auto end = [](const at::Tensor& x) { return x.narrow(1, x.size(1) - 1, 1); };
        const at::Tensor change = heardBy({m_into.layers(), Site::Any, -1, 0});
        const at::Tensor own = end(m_into.streams.back());
        return change.defined() ? own + end(change) : own;
    }

private:
    // The sum of what a receiver hears changed, [1, T, D]; undefined: nothing.
    at::Tensor heardBy(const Receiver& receiver) const
    {
        at::Tensor sum;
        const auto heard = m_heard.find(receiver);
        for (std::size_t i = 0; heard != m_heard.end() && i < heard->second.size(); ++i)
            if (const auto change = m_changes.find(heard->second[i]); change != m_changes.end())
                sum = sum.defined() ? sum + change->second : change->second;
        return sum;
    }

    // The heads that hear something, side by side: head i of the batch reads its own stream.
    void passHeads(int layer, Site site, const lm::LayerEdits& edits)
    {
        const std::int64_t count = m_run.mixer(layer, site).heads;
        std::vector<int> heads;
        std::vector<at::Tensor> heard;
        for (int head = 0; head < count; ++head)
            if (const at::Tensor change = heardBy({layer, site, head, lm::kEveryPart}); change.defined()) {
                heads.push_back(head);
                heard.push_back(change);
            }
        if (heads.empty())
            return;
        const auto size = static_cast<std::int64_t>(heads.size());
        const at::Tensor stream = m_into.streams[static_cast<std::size_t>(layer)].expand({size, -1, -1}).contiguous();
        const at::Tensor z = m_run.rerouted(stream, layer, edits, {stream + at::cat(heard), site, lm::kEveryPart});
        at::Tensor own = at::zeros({size, 1, count}, at::kBool);
        for (std::int64_t i = 0; i < size; ++i)
            own[i][0][heads[static_cast<std::size_t>(i)]] = true;
        lm::LayerEdits patched = edits;
        patched.site(site).patch = {z, lm::onDevice(own, stream.device())};
        const at::Tensor plain = m_run.behindMixer(stream.narrow(0, 0, 1), layer, edits); // the same in every row
        const at::Tensor written = m_run.behindMixer(stream, layer, patched) - plain;
        for (std::int64_t i = 0; i < size; ++i)
            m_changes[{layer, site, heads[static_cast<std::size_t>(i)]}] = written.narrow(0, i, 1);
    }

    LayerRun m_run;
    const Recording& m_into;
    std::map<Receiver, std::vector<Sender>> m_heard;
    std::map<Sender, at::Tensor> m_changes;
};

} // namespace

Circuit everyEdge(const lm::Model& model, const lm::Edits& base, const std::set<Sender>& heads)
{
    Circuit all;
    const auto left = [&](const Sender& one) { return one.head >= 0 && !heads.empty() && !heads.contains(one); };
    for (const Sender& sender : sendersBefore(model, base, base.layerCount)) {
        if (left(sender))
            continue;
        for (Receiver receiver : receiversBehind(model, base, sender)) {
            if (left({receiver.layer, receiver.site, receiver.head}))
                continue;
            receiver.parts = receiver.parts == 0 ? 0 : unsigned{lm::kEveryPart};
            all.emplace(sender, receiver);
        }
    }
    return all;
}

Result<at::Tensor> circuitLogits(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                 const Recording& from, const Circuit& kept, const Control& control)
{
    if (const auto alike = checkPair(into, from); !alike.has_value())
        return alike.error();
    CircuitRun run(model, base, into, from, kept);
    for (int layer = 0; layer < base.layerCount; ++layer) {
        if (control.stopped())
            return cancelledError();
        run.pass(layer);
    }
    return model.unembed(run.last().contiguous())[0][0];
}

} // namespace headscope::why

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/questions/edgerun.h"

#include "core/why/names.h"

#include <algorithm>

namespace headscope::engine {

namespace {

/// What a part reads by.
std::vector<why::Receiver> receiversOf(const lm::Model& model, const lm::Edits& base, const why::Sender& part)
{
    if (part.layer < 0)
        return {};
    if (part.layer >= base.layerCount || part.head < 0)
        return {{std::min(part.layer, base.layerCount), why::Site::Any, -1, 0}};
    std::vector<why::Receiver> receivers;
    for (const auto& [name, bits] : why::partsRead(model, part.layer, part.site))
        receivers.push_back({part.layer, part.site, part.head, bits});
    return receivers;
}

bool writesNothing(const lm::Model& model, const lm::Edits& base, const why::Sender& part)
{
    const auto senders = why::sendersBefore(model, base, part.layer + 1);
    return part.layer >= 0 && part.layer < base.layerCount && std::ranges::find(senders, part) == senders.end();
}

} // namespace

std::vector<why::Edge> possibleEdges(const lm::Model& model, const lm::Edits& base, const EdgeRequest& asked)
{
    std::vector<why::Edge> edges;
    if (asked.feeding)
        for (const why::Receiver& receiver : receiversOf(model, base, asked.part))
            for (const why::Sender& sender : why::sendersTo(model, base, receiver))
                edges.push_back({sender, receiver, 0});
    // Edges of one sender together: what it writes is computed once.
    std::ranges::stable_sort(edges, {}, &why::Edge::sender);
    if (asked.listening && asked.part.layer < base.layerCount && !writesNothing(model, base, asked.part))
        for (const why::Receiver& receiver : why::receiversBehind(model, base, asked.part))
            edges.push_back({asked.part, receiver, 0});
    return edges;
}

Error EdgeRun::noEdges() const
{
    const bool logits = m_asked.part.layer >= base().layerCount;
    const std::string name = logits ? "logits" : why::nameOf(model().spec(), m_asked.part);
    if (m_asked.listening && logits)
        return inputError(
            "Nothing reads the logits; expected a head, an MLP or the embedding, or ask what feeds them.");
    if (m_silent)
        return inputError(name
                          + " writes nothing into the stream itself, so that nobody listens to it; expected a "
                            "part that does, or ask what feeds it.");
    return why::nothingBefore(name);
}

Result<std::size_t> EdgeRun::begin(const why::Recording& /*into*/, const why::Recording& /*from*/)
{
    m_change.reset();
    m_edges = possibleEdges(model(), base(), m_asked);
    m_silent = writesNothing(model(), base(), m_asked.part);
    return m_edges.empty() ? Result<std::size_t>(noEdges()) : Result<std::size_t>(m_edges.size());
}

Result<std::vector<double>> EdgeRun::measure(const why::Recording& into, const why::Recording& from,
                                             const why::Metric& metric, std::size_t first, const Control& control)
{
    const auto some = std::span(m_edges).subspan(first, std::min(m_atOnce, m_edges.size() - first));
    std::vector<why::Route> routes;
    for (const why::Edge& edge : some) {
        if (!m_change || m_change->first != edge.sender) {
            const auto change = why::changesOf(model(), base(), into, from, std::span(&edge.sender, 1), control);
            if (!change.has_value())
                return change.error();
            m_change.emplace(edge.sender, change->front());
        }
        routes.push_back({m_change->second, {edge.receiver}});
    }
    return why::routedDifferences(model(), base(), into, metric, routes, control);
}

} // namespace headscope::engine

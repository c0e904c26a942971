// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/paths/edges.h"

#include "core/why/cost.h"
#include "core/why/names.h"

#include <algorithm>

namespace headscope::why {

Error nothingBefore(const std::string& name)
{
    return inputError("Nothing that can be traced writes before " + name
                      + "; expected a part of a later layer, or ask who listens to it.");
}

std::vector<Sender> sendersTo(const lm::Model& model, const lm::Edits& base, const Receiver& receiver)
{
    std::vector<Sender> senders = sendersBefore(model, base, receiver.layer);
    // An MLP behind its layer's mixer reads what the heads of its own layer write.
    if (receiver.parts == 0 && receiver.layer < base.layerCount)
        for (const Sender& one : sendersBefore(model, base, receiver.layer + 1))
            if (const auto heard = receiversBehind(model, base, one);
                one.layer == receiver.layer && std::find(heard.begin(), heard.end(), receiver) != heard.end())
                senders.push_back(one);
    return senders;
}

Result<std::vector<Edge>> edgesInto(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                    const Recording& from, const Metric& metric, const Receiver& receiver,
                                    const Control& control)
{
    const std::vector<Sender> senders = sendersTo(model, base, receiver);
    if (senders.empty())
        return nothingBefore(nameOf(model.spec(), receiver));
    std::vector<Edge> edges;
    const auto atOnce = static_cast<std::size_t>(cellsAtOnce(model, into.length())); // the writes are kept meanwhile
    for (std::size_t begin = 0; begin < senders.size(); begin += atOnce) {
        const auto some = std::span(senders).subspan(begin, std::min(atOnce, senders.size() - begin));
        const auto changes = changesOf(model, base, into, from, some, control);
        if (!changes.has_value())
            return changes.error();
        std::vector<Route> routes;
        for (const at::Tensor& change : *changes)
            routes.push_back({change, {receiver}});
        const auto values = routedDifferences(model, base, into, metric, routes, {control.stop, {}});
        if (!values.has_value())
            return values.error();
        for (std::size_t i = 0; i < some.size(); ++i)
            edges.push_back({some[i], receiver, (*values)[i]});
        control.progress("tracing edges", static_cast<std::int64_t>(edges.size()),
                         static_cast<std::int64_t>(senders.size()));
    }
    return edges;
}

Result<std::vector<Edge>> edgesFrom(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                    const Recording& from, const Metric& metric, const Sender& sender,
                                    const Control& control)
{
    const auto changes = changesOf(model, base, into, from, std::span(&sender, 1), control);
    if (!changes.has_value())
        return changes.error();
    std::vector<Route> routes;
    std::vector<Edge> edges;
    for (const Receiver& receiver : receiversBehind(model, base, sender)) {
        routes.push_back({changes->front(), {receiver}});
        edges.push_back({sender, receiver, 0});
    }
    const auto values = routedDifferences(model, base, into, metric, routes, control);
    if (!values.has_value())
        return values.error();
    for (std::size_t i = 0; i < edges.size(); ++i)
        edges[i].value = (*values)[i];
    return edges;
}

} // namespace headscope::why

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/why/edgesearch.h"

#include <algorithm>
#include <cmath>

namespace headscope::experiments {

namespace {

using Edge = std::pair<why::Sender, why::Receiver>;

constexpr std::size_t kTraced = 2; // pairs of a kind: tracing each edge alone costs as much as the search itself

// Mean of clean less corrupt.
double spanOf(const RecordedPairs& pairs)
{
    double span = 0;
    for (const engine::PairRuns& pair : pairs)
        span += pair.clean.difference(pair.metric) - pair.corrupt.difference(pair.metric);
    return span / static_cast<double>(pairs.size());
}

// What each edge alone adds to the corrupt run, in the order of the edges.
Result<std::vector<double>> effectsOn(const EdgeSearch& search, const engine::PairRuns& pair,
                                      const std::vector<Edge>& edges)
{
    std::vector<why::Sender> senders;
    for (const Edge& edge : edges)
        if (senders.empty() || senders.back() != edge.first)
            senders.push_back(edge.first);
    const auto changes =
        why::changesOf(search.model, search.base, pair.corrupt, pair.clean, senders, {search.control.stop, {}});
    if (!changes.has_value())
        return changes.error();
    std::vector<why::Route> routes;
    std::size_t sender = 0;
    for (const Edge& edge : edges) {
        if (senders[sender] != edge.first)
            ++sender;
        routes.push_back({(*changes)[sender], {edge.second}});
    }
    auto values =
        why::routedDifferences(search.model, search.base, pair.corrupt, pair.metric, routes, {search.control.stop, {}});
    if (values.has_value())
        for (double& value : *values)
            value -= pair.corrupt.difference(pair.metric);
    return values;
}

} // namespace

Result<Kept> EdgeSearch::measure(const RecordedPairs& pairs, const why::Circuit& circuit) const
{
    Kept kept;
    std::vector<double> shares;
    const double span = spanOf(pairs);
    for (const engine::PairRuns& pair : pairs) {
        const auto logits = why::circuitLogits(model, base, pair.corrupt, pair.clean, circuit, control);
        if (!logits.has_value())
            return logits.error();
        const auto at = [&](int token) { return (*logits)[token].item<double>(); };
        shares.push_back((at(pair.metric.answer) - at(pair.metric.distractor) - pair.corrupt.difference(pair.metric))
                         / span);
        kept.answered += logits->argmax().item<std::int64_t>() == pair.metric.answer ? 1 : 0;
    }
    kept.share = analysis::meanOf(shares);
    kept.pairs = static_cast<int>(pairs.size());
    return kept;
}

Result<std::map<Edge, double>> EdgeSearch::strengths(const std::vector<RecordedPairs>& kinds,
                                                     const why::Circuit& among) const
{
    const std::vector<Edge> edges(among.begin(), among.end());
    std::map<Edge, double> strongest;
    for (const RecordedPairs& all : kinds) {
        const RecordedPairs pairs(all.begin(),
                                  all.begin() + static_cast<std::ptrdiff_t>(std::min(kTraced, all.size())));
        std::vector<double> mean(edges.size(), 0.0);
        const double whole = spanOf(pairs) * static_cast<double>(pairs.size());
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const auto effects = effectsOn(*this, pairs[i], edges);
            if (!effects.has_value())
                return effects.error();
            for (std::size_t e = 0; e < edges.size(); ++e)
                mean[e] += (*effects)[e] / whole;
            control.progress("tracing edges", static_cast<std::int64_t>(i + 1),
                             static_cast<std::int64_t>(pairs.size()));
        }
        for (std::size_t e = 0; e < edges.size(); ++e)
            strongest[edges[e]] = std::max(strongest[edges[e]], std::abs(mean[e]));
    }
    return strongest;
}

Result<bool> EdgeSearch::reaches(const std::vector<RecordedPairs>& kinds, const why::Circuit& circuit,
                                 double wanted) const
{
    for (const RecordedPairs& pairs : kinds) {
        const auto kept = measure(pairs, circuit);
        if (!kept.has_value())
            return kept.error();
        if (kept->share.value < wanted)
            return false;
    }
    return true;
}

Result<why::Circuit> EdgeSearch::find(const std::vector<RecordedPairs>& kinds, const std::map<Edge, double>& strengths,
                                      double wanted) const
{
    std::vector<std::pair<double, Edge>> order;
    for (const auto& [edge, strength] : strengths)
        order.emplace_back(strength, edge);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    const auto firstOf = [&](std::size_t count) {
        why::Circuit circuit;
        for (std::size_t i = 0; i < count; ++i)
            circuit.insert(order[i].second);
        return circuit;
    };
    // 1. Enough of the strongest, doubling.
    std::size_t count = 1;
    for (;; count = std::min(2 * count, order.size())) {
        const auto enough = reaches(kinds, firstOf(count), wanted);
        if (!enough.has_value())
            return enough.error();
        if (*enough || count == order.size())
            break;
    }
    // 2. Without those that are not needed.
    why::Circuit circuit = firstOf(count);
    for (std::size_t i = count; i-- > 0;) {
        why::Circuit less = circuit;
        less.erase(order[i].second);
        const auto enough = reaches(kinds, less, wanted);
        if (!enough.has_value())
            return enough.error();
        if (*enough)
            circuit = std::move(less);
        control.progress("leaving edges out", static_cast<std::int64_t>(count - i), static_cast<std::int64_t>(count));
    }
    return circuit;
}

} // namespace headscope::experiments

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/why/edgesearch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

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

Result<FoundEdge> EdgeSearch::measure(const RecordedPairs& pairs, const why::Circuit& circuit) const
{
    FoundEdge kept;
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

Result<std::size_t> EdgeSearch::enough(const std::vector<RecordedPairs>& kinds, const std::vector<Edge>& order,
                                       double wanted) const
{
    std::size_t few = 0, many = 1;
    const auto suffices = [&](std::size_t count) {
        control.progress("looking for the strongest edges", static_cast<std::int64_t>(count),
                         static_cast<std::int64_t>(order.size()));
        return reaches(kinds, {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count)}, wanted);
    };
    for (; many < order.size(); many = std::min(2 * many, order.size())) {
        const auto reached = suffices(many);
        if (!reached.has_value())
            return reached.error();
        if (*reached)
            break;
        few = many;
    }
    while (many - few > 1 + many / 16) { // what is too many is left out again one by one
        const std::size_t middle = few + (many - few) / 2;
        const auto reached = suffices(middle);
        if (!reached.has_value())
            return reached.error();
        (*reached ? many : few) = middle;
    }
    return many;
}

Result<why::Circuit> EdgeSearch::find(const std::vector<RecordedPairs>& kinds, const std::map<Edge, double>& strengths,
                                      double wanted) const
{
    std::vector<Edge> kept;
    for (const auto& [edge, strength] : strengths)
        kept.push_back(edge);
    std::ranges::stable_sort(kept, std::greater(), [&](const Edge& edge) { return strengths.at(edge); });
    const auto count = enough(kinds, kept, wanted);
    if (!count.has_value())
        return count.error();
    kept.resize(*count);
    // In blocks that halve: most edges are not needed, and a block of those is told by one run.
    for (std::size_t block = std::max<std::size_t>(1, std::bit_floor(*count) / 2); block > 0; block /= 2)
        for (std::size_t end = kept.size(); end > 0;) {
            const std::size_t begin = end > block ? end - block : 0;
            std::vector<Edge> less = kept;
            less.erase(less.begin() + static_cast<std::ptrdiff_t>(begin),
                       less.begin() + static_cast<std::ptrdiff_t>(end));
            const auto reached = reaches(kinds, {less.begin(), less.end()}, wanted);
            if (!reached.has_value())
                return reached.error();
            if (*reached)
                kept = std::move(less);
            end = begin;
            control.progress("leaving edges out", static_cast<std::int64_t>(*count - kept.size()),
                             static_cast<std::int64_t>(*count));
        }
    return why::Circuit(kept.begin(), kept.end());
}

} // namespace headscope::experiments

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bench/rankbench.h"

#include "core/engine/bench/benchclock.h"
#include "core/engine/ranking/attribution.h"
#include "core/engine/ranking/race.h"
#include "core/tasks/task.h"

#include <nlohmann/json.hpp>

namespace headscope::engine {

using interventions::HeadRef;
using interventions::InterventionSet;
using nlohmann::json;

namespace {

/// The request's items as a task of multiple choice without texts.
tasks::TaskSet taskOf(const BenchRequest& request)
{
    tasks::TaskSet set{.name = request.workload};
    for (std::size_t i = 0; i < request.items.size(); ++i) {
        tasks::Example example;
        example.task = request.workload;
        example.row = static_cast<int>(i);
        example.gold = request.gold[i];
        example.continuations.resize(static_cast<std::size_t>(request.items[i].choices));
        set.examples.push_back(std::move(example));
    }
    tasks::LeafTask leaf{.name = request.workload};
    leaf.metrics = {tasks::Metric{}};
    leaf.end = set.examples.size();
    set.leaves = {leaf};
    return set;
}

/// One model and one set of items, each ranking with a scorer of its own.
class Ranker
{
public:
    Ranker(const BenchRequest& request, const std::shared_ptr<const lm::Model>& model, const RankBenchOptions& options,
           const Control& control)
        : m_request(request), m_options(options), m_control(control),
          m_scorer(model, nullptr, {.cacheBytes = options.cacheBytes})
    {
    }

    [[nodiscard]] Result<std::shared_ptr<const Benchmark>> part(tasks::TaskSet set) const
    {
        std::vector<EncodedExample> encoded;
        for (const tasks::Example& example : set.examples)
            encoded.push_back(m_request.items[static_cast<std::size_t>(example.row)]);
        return Benchmark::ofEncoded(std::move(set), std::move(encoded), m_scorer);
    }

    [[nodiscard]] Result<Rows> measure(const Benchmark& benchmark, const InterventionSet& set)
    {
        Rows rows = benchmark.emptyRows();
        const auto done = benchmark.run(m_scorer, set, {}, rows, {}, {m_control.stop, {}});
        return done.has_value() ? Result<Rows>(std::move(rows)) : Result<Rows>(done.error());
    }

    [[nodiscard]] Result<std::vector<RankedHead>> exact()
    {
        const auto whole = part(taskOf(m_request));
        if (!whole.has_value())
            return whole.error();
        auto ranking = RemovalRanking::start(**whole, {}, m_request.ablations,
                                             [&](const InterventionSet& set) { return measure(**whole, set); });
        while (ranking.has_value() && !ranking->done())
            if (const auto stepped = ranking->step(); !stepped.has_value())
                return stepped.error();
        return ranking.has_value() ? Result<std::vector<RankedHead>>(ranking->sorted())
                                   : Result<std::vector<RankedHead>>(ranking.error());
    }

    [[nodiscard]] Result<std::vector<RankedHead>> race(json& line)
    {
        const auto whole = part(taskOf(m_request));
        if (!whole.has_value())
            return whole.error();
        auto race = Race::start(**whole, {}, m_request.ablations, m_scorer,
                                [&](const Benchmark& some, const InterventionSet& set) { return measure(some, set); },
                                {.top = m_options.top, .work = m_options.work});
        while (race.has_value() && !race->done())
            if (const auto stepped = race->step(); !stepped.has_value())
                return stepped.error();
        if (!race.has_value())
            return race.error();
        line["examples"] = race->examplesUsed();
        line["work"] = static_cast<double>(race->runsDone()) / static_cast<double>(race->runsOfAll());
        line["top"] = m_options.top;
        line["certain"] = race->certain();
        return race->sorted();
    }

    [[nodiscard]] Result<std::vector<RankedHead>> estimate(json& line)
    {
        const auto whole = part(taskOf(m_request));
        if (!whole.has_value())
            return whole.error();
        auto estimate = estimateRemovals(**whole, m_scorer.model(), {}, {}, {m_control.stop, {}},
                                         {.agreement = m_options.agreement});
        if (!estimate.has_value())
            return estimate.error();
        line["examples"] = estimate->heads.front().n;
        line["agreement"] = estimate->agreement ? json(*estimate->agreement) : json();
        return std::move(estimate->heads);
    }

private:
    const BenchRequest& m_request;
    const RankBenchOptions& m_options;
    const Control& m_control;
    Scorer m_scorer;
};

json rankCorrelation(const std::vector<RankedHead>& one, const std::vector<RankedHead>& other)
{
    std::vector<double> a, b;
    for (const auto& [head, same] : sameHeads(one, other)) {
        a.push_back(head->margin);
        b.push_back(same->margin);
    }
    const auto found = analysis::spearman(a, b);
    return found.has_value() ? json(found->rho) : json();
}

} // namespace

Result<void> benchRanking(const BenchRequest& request, const std::shared_ptr<const lm::Model>& model,
                          const RankBenchOptions& options, const Control& control, json& line)
{
    const Clock sweeping;
    const auto exact = Ranker(request, model, options, control).exact();
    if (!exact.has_value())
        return exact.error();
    const Span all = sweeping.read();
    Ranker ranker(request, model, options, control);
    const Clock ranking;
    const auto heads = options.race ? ranker.race(line) : ranker.estimate(line);
    if (!heads.has_value())
        return heads.error();
    const Span some = ranking.read();
    putTimes(line, {some});
    line["exact_seconds"] = all.wall;
    line["exact_cpu_seconds"] = all.cpu;
    line["ratio"] = all.cpu / some.cpu;
    line["tokens"] = 0;
    line["spearman_margin"] = rankCorrelation(*heads, *exact);
    if (options.race)
        line["same_top"] = sameTop(*heads, *exact, options.top);
    json answers = json::array();
    for (const RankedHead& head : *heads)
        answers.push_back({{"layer", head.head.layer},
                           {"head", head.head.head},
                           {"margin", head.margin},
                           {"delta", head.estimate ? json() : json(head.delta)},
                           {"estimate", head.estimate}});
    line["answers"] = std::move(answers);
    return {};
}

} // namespace headscope::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/rankrun.h"

#include "app/cli/runs/promptrun.h"
#include "app/cli/runs/sharedrun.h"
#include "app/notebook/analysisquestion.h"
#include "core/base/elapsed.h"
#include "core/base/hash.h"
#include "core/engine/scoring/pairs/boundaryrule.h"
#include "core/engine/scoring/rankedtask.h"

#include <nlohmann/json.hpp>

#include <chrono>

namespace headscope::cli {

using interventions::HeadRef;
using interventions::InterventionSet;

namespace {

using Clock = std::chrono::steady_clock;

Result<void> drive(app::HeadRanking& ranking, OpenModel& open, const Control& control)
{
    for (bool more = true; more;) {
        const auto stepped = ranking.step(open.store(), control);
        if (!stepped.has_value())
            return stepped.error();
        more = *stepped;
    }
    return {};
}

/// Hash of everything that decides the gradients of an estimate; how many of them it takes is left to who asks.
std::string estimateKey(const Context& context, const OpenModel& open, const engine::Benchmark& benchmark,
                        const app::RankOptions& options)
{
    const app::QuestionState state{open.subject, open.spec(), *open.tokenizer, options.fixed};
    const nlohmann::json how = {{"points", options.steps}, {"seed", context.settings.seed}};
    return app::workKey(state, "estimate 1", app::rankingQuestion(state, benchmark, how.dump()));
}

} // namespace

Result<void> estimatePart(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                          app::RankOptions options, const app::WorkPart& part)
{
    const std::string key = estimateKey(context, open, benchmark, options);
    options.pieces = app::sharedPieces(sharingOf(context, open, part), key);
    return measurePart(context, *open.store(), part,
                       {{sha256Hex(key + ' ' + std::to_string(part.count)),
                         "estimate on " + benchmark.set().name + ", " + std::to_string(benchmark.set().examples.size())
                             + " examples of " + open.provenance(),
                         [&] {
                             app::HeadRanking run(open, context.settings, benchmark, options);
                             return run.measurePieces(context.control());
                         }}});
}

Result<Ranking> rankHeads(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                          app::RankOptions options)
{
    const auto started = Clock::now();
    if (options.method == app::RankMethod::Estimate && open.store())
        options.pieces = app::sharedPieces(sharingOf(context, open), estimateKey(context, open, benchmark, options));
    if (options.method == app::RankMethod::Race)
        options.prepare = sharedRound(context, open, "racing");
    app::HeadRanking run(open, context.settings, benchmark, options);
    if (const auto driven = drive(run, open, context.control()); !driven.has_value())
        return driven.error();
    return Ranking{.method = app::name(options.method),
                   .baseline = run.baseline(),
                   .heads = run.sorted(),
                   .seconds = secondsSince(started),
                   .race = run.race(),
                   .uniform = run.uniform(),
                   .agreement = run.agreement(),
                   .forecast = run.forecast()};
}

Result<Ranking> rankByRemoval(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                              const InterventionSet& fixed, const std::vector<interventions::HeadRef>& heads)
{
    const auto started = Clock::now();
    if (const auto shared = shareStates(context, open, benchmark, engine::removalStates(fixed, heads),
                                        "removing one head after the other");
        !shared.has_value())
        return shared.error();
    auto ranking = rankHeads(context, open, benchmark, {.fixed = fixed, .heads = heads});
    if (ranking.has_value())
        ranking->seconds = secondsSince(started);
    return ranking;
}

Result<void> rememberRanking(OpenModel& open, const engine::Benchmark& benchmark, const InterventionSet& fixed,
                             const Ranking& ranking)
{
    std::vector<sessions::RankedHead> list;
    for (const engine::RankedHead& head : ranking.heads)
        if (head.fault.empty())
            list.push_back(
                {headName(open.spec(), head.head), head.value, head.delta, head.interval.low, head.interval.high});
    return rememberList(open, benchmark, fixed, ranking.method, ranking.how, list);
}

Result<void> rememberList(OpenModel& open, const engine::Benchmark& benchmark, const InterventionSet& fixed,
                          const std::string& method, const std::string& how,
                          const std::vector<sessions::RankedHead>& list)
{
    if (!open.session)
        return {};
    if (const auto stored = open.remember(fixed); !stored.has_value())
        return stored;
    const sessions::RankingRecord record{
        .modelHash = open.subject.model.hash,
        .dtype = open.subject.dtype,
        .device = open.subject.device,
        .task = engine::rankedTask(benchmark.set().name,
                                   engine::isFromCommonPrefix(benchmark.set().leaves.front().version)),
        .method = method,
        .ablation = fixed.canonical(),
        .n = static_cast<int>(benchmark.set().examples.size()),
        .questionJson = app::rankingQuestion({open.subject, open.spec(), *open.tokenizer, fixed}, benchmark, how),
        .heads = list};
    const auto stored = open.session->addRanking(record);
    return stored.has_value() ? Result<void>() : Result<void>(stored.error());
}

} // namespace headscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/sharedrun.h"

#include "core/engine/processes/parts.h"
#include "core/lm/device/device.h"

#include <algorithm>
#include <cstdlib>

namespace headscope::cli {

namespace {

// Whole batches, so that no row's numbers hang on how many processes there are.
std::vector<bool> shareOf(const engine::Benchmark& benchmark, int rank, int size)
{
    const engine::Workload& workload = benchmark.workload();
    std::vector<bool> mine(workload.examples().size());
    for (std::size_t i = 0; i < mine.size(); ++i)
        mine[i] = static_cast<int>(i) % size == rank; // generated answers run one by one
    std::vector<bool> placed(mine.size());
    for (std::size_t b = 0; b < workload.batches().size(); ++b)
        for (const auto& member : workload.batches()[b].members) {
            const auto example = static_cast<std::size_t>(member.example);
            if (!placed[example])
                mine[example] = static_cast<int>(b) % size == rank;
            placed[example] = true;
        }
    return mine;
}

Error strangePart(int rank)
{
    return inputError("Process " + std::to_string(rank)
                      + " handed over a part that is not its share; are all of them given the same arguments?");
}

/// Whether an outcome can be one of this example.
bool fits(const tasks::Example& example, const tasks::Outcome& outcome)
{
    if (!outcome.rejected.empty() || example.scoring == tasks::Scoring::Generation)
        return outcome.logLikelihoods.size() == outcome.greedy.size();
    return outcome.logLikelihoods.size() == example.continuations.size()
           && outcome.greedy.size() == outcome.logLikelihoods.size();
}

Result<void> put(const engine::Benchmark& benchmark, engine::Rows& rows, const std::string& part, int rank, int size)
{
    const auto unpacked = engine::unpackRows(part);
    if (!unpacked.has_value())
        return unpacked.error();
    const std::vector<bool> share = shareOf(benchmark, rank, size);
    for (const auto& [example, outcome] : *unpacked) {
        if (example >= share.size() || !share[example] || !fits(benchmark.set().examples[example], outcome))
            return strangePart(rank);
        benchmark.put(rows, static_cast<int>(example), outcome);
    }
    return {};
}

} // namespace

Result<std::unique_ptr<engine::Processes>> joinProcesses(Context& context)
{
    const auto options = engine::ProcessOptions::fromEnvironment();
    if (!options.has_value())
        return options.error();
    context.quiet = context.quiet || options->rank > 0;
    const char* local = std::getenv("LOCAL_RANK");
    if (options->size > 1 && local
        && (context.settings.device == "cuda" || (context.settings.device == "auto" && lm::cudaAvailable())))
        context.settings.device = std::string("cuda:") + local;
    return engine::Processes::join(*options);
}

Result<void> evaluateShared(engine::Processes* processes, OpenModel& open, const engine::Benchmark& benchmark,
                            const interventions::InterventionSet& set, engine::Rows& rows, const Control& control)
{
    const auto evaluate = [&] {
        return app::evaluate(open.store(), open.subject, *open.scorer, benchmark, set, open.donors, rows, {}, control);
    };
    if (!processes || !processes->shared())
        return evaluate();

    // 1. The own part: rows of the others look done meanwhile.
    const std::vector<bool> mine = shareOf(benchmark, processes->rank(), processes->size());
    for (std::size_t i = 0; i < mine.size(); ++i)
        if (!mine[i])
            rows.outcomes[i].emplace();
    const auto done = evaluate();
    std::vector<engine::OutcomeRow> part;
    for (std::size_t i = 0; i < mine.size(); ++i) {
        if (!mine[i])
            rows.outcomes[i].reset();
        else if (rows.outcomes[i])
            part.emplace_back(i, *rows.outcomes[i]);
    }
    if (!done.has_value())
        return done;

    // 2. All parts, and what is still missing then.
    const auto parts = processes->gather(engine::packRows(part), control.stop);
    if (!parts.has_value())
        return parts.error();
    if (!processes->first())
        return {};
    for (std::size_t rank = 1; rank < parts->size(); ++rank)
        if ((*parts)[rank])
            if (const auto taken = put(benchmark, rows, *(*parts)[rank], static_cast<int>(rank), processes->size());
                !taken.has_value())
                return taken;
    return evaluate();
}

} // namespace headscope::cli

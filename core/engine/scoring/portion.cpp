// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/portion.h"

#include <algorithm>

namespace headscope::engine {

Portion nextPortion(const Benchmark& benchmark, const Rows& rows, std::int64_t tokens, const std::vector<bool>& among)
{
    Portion portion;
    const Workload& workload = benchmark.workload();
    const auto missing = [&](int example) {
        const auto index = static_cast<std::size_t>(example);
        return !rows.outcomes[index] && (among.empty() || among[index]);
    };
    const auto take = [&](int example) {
        portion.rows.resize(rows.outcomes.size());
        portion.rows[static_cast<std::size_t>(example)] = true;
    };
    for (const Workload::Batch& batch : workload.batches()) {
        if (std::ranges::none_of(batch.members, [&](const Workload::Member& m) { return missing(m.example); }))
            continue;
        if (portion.tokens > 0 && portion.tokens + batch.tree->rows() > tokens)
            return portion;
        portion.tokens += batch.tree->rows();
        for (const Workload::Member& member : batch.members)
            if (missing(member.example))
                take(member.example);
    }
    // What is in no batch is written by the model, a text at a time, or cannot be scored and costs nothing.
    for (std::size_t i = 0; i < rows.outcomes.size(); ++i) {
        const EncodedExample& example = workload.examples()[i];
        if (!missing(static_cast<int>(i)) || !example.sequences.empty())
            continue;
        const auto own = static_cast<std::int64_t>(example.prompt.size());
        if (portion.tokens > 0 && portion.tokens + own > tokens)
            return portion;
        portion.tokens += own;
        take(static_cast<int>(i));
    }
    return portion;
}

namespace {

/// What is never cut: the examples of a batch, or one that is in none.
struct Unit {
    std::vector<int> examples;
    std::int64_t tokens = 0;
};

// Batches that have an example in common are one unit, unless `apart`: then the example is the first one's.
std::vector<Unit> unitsOf(const Benchmark& benchmark, bool apart)
{
    const Workload& workload = benchmark.workload();
    const auto& batches = workload.batches();
    std::vector<std::size_t> last(workload.examples().size()); // batch of each example
    for (std::size_t b = 0; b < batches.size(); ++b)
        for (const Workload::Member& member : batches[b].members)
            last[static_cast<std::size_t>(member.example)] = b;
    std::vector<Unit> units;
    std::vector<bool> placed(workload.examples().size());
    std::size_t end = 0; // batch before which no cut may be made
    for (std::size_t b = 0; b < batches.size(); ++b) {
        if (apart || b >= end)
            units.emplace_back();
        units.back().tokens += batches[b].tree->rows();
        for (const Workload::Member& member : batches[b].members) {
            const auto example = static_cast<std::size_t>(member.example);
            end = std::max(end, last[example] + 1);
            if (!placed[example])
                units.back().examples.push_back(member.example);
            placed[example] = true;
        }
    }
    for (std::size_t i = 0; i < placed.size(); ++i)
        if (!placed[i]) {
            const auto own = static_cast<std::int64_t>(workload.examples()[i].prompt.size());
            units.push_back({{static_cast<int>(i)}, std::max<std::int64_t>(own, 1)});
        }
    return units;
}

} // namespace

std::vector<Portion> portionsOf(const Benchmark& benchmark, int most, int least)
{
    std::vector<Unit> units = unitsOf(benchmark, false);
    if (static_cast<int>(units.size()) < least)
        units = unitsOf(benchmark, true);
    std::int64_t left = 0;
    for (const Unit& unit : units)
        left += unit.tokens;
    std::vector<Portion> portions;
    for (const Unit& unit : units) {
        const std::int64_t wanted = most - static_cast<std::int64_t>(portions.size()) + 1; // this portion's and later
        if (portions.empty() || (wanted > 1 && portions.back().tokens * wanted >= left + portions.back().tokens)) {
            portions.push_back({std::vector<bool>(benchmark.workload().examples().size()), 0});
        }
        for (const int example : unit.examples)
            portions.back().rows[static_cast<std::size_t>(example)] = true;
        portions.back().tokens += unit.tokens;
        left -= unit.tokens;
    }
    return portions;
}

WorkCut cutWork(const Benchmark& benchmark, const WorkSize& size)
{
    constexpr int kTurns = 64, kPortions = 8;
    constexpr double kLeastProducts = 2e8;
    const int pieces = std::max(size.pieces, 1), processes = size.processes;
    const double products = static_cast<double>(pieces) * static_cast<double>(benchmark.workload().rows())
                            * static_cast<double>(size.parameters),
                 most = static_cast<double>(kTurns) * processes;
    const auto chunks = static_cast<std::int64_t>(std::clamp<double>(products / kLeastProducts, processes, most));
    const std::int64_t wanted = size.alone
                                    ? std::max<std::int64_t>(kPortions * std::int64_t{processes}, chunks / pieces)
                                : pieces > processes ? 1
                                                     : processes;
    WorkCut cut{portionsOf(benchmark, static_cast<int>(std::min(wanted, chunks)),
                           size.everyPart && size.alone ? (processes + pieces - 1) / pieces : 1),
                pieces};
    cut.each =
        static_cast<int>(std::clamp<std::int64_t>(std::int64_t{pieces} * std::ssize(cut.portions) / chunks, 1, pieces));
    return cut;
}

Result<void> runOnly(const std::vector<bool>& only, const Benchmark& benchmark, Scorer& scorer,
                     const interventions::InterventionSet& set, const lm::DonorLoader& donors, Rows& rows,
                     const Benchmark::RowSink& sink, const Control& control)
{
    if (only.empty())
        return benchmark.run(scorer, set, donors, rows, sink, control);
    Rows wanted = benchmark.emptyRows();
    for (std::size_t i = 0; i < only.size(); ++i)
        if (!only[i] || rows.outcomes[i])
            wanted.outcomes[i].emplace(); // counts as known
    const auto take = [&](int example, const tasks::Outcome& outcome, const tasks::RowResult& result) {
        const auto index = static_cast<std::size_t>(example);
        rows.outcomes[index] = outcome;
        rows.results[index] = result;
        if (sink)
            sink(example, outcome, result);
    };
    return benchmark.run(scorer, set, donors, wanted, take, control);
}

} // namespace headscope::engine

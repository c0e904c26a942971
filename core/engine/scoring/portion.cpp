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
    // What is in no batch is written by the model, a text at a time, or can not be scored and costs nothing.
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

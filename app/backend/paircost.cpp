// SPDX-License-Identifier: GPL-3.0-or-later
// What patching and edges would take, told before they are begun.

#include "app/backend/values/paircost.h"

#include "app/backend/edgejob.h"
#include "app/backend/patchjob.h"
#include "app/workbench/measuredspeed.h"
#include "core/why/cost.h"

#include <algorithm>

namespace headscope::app {

namespace {

constexpr int kRecorded = 2; // runs of a pair

PairCost costOf(const AskedPairs& asked, std::size_t cells, int threads)
{
    PairCost cost{.pairs = static_cast<int>(asked.pairs.size())};
    double operations = 0; // of a run of every pair
    for (const engine::PromptPair& pair : asked.pairs) {
        const auto length = static_cast<std::int64_t>(pair.clean.size());
        cost.tokens = std::max(cost.tokens, length);
        operations += passOperations(asked.model->spec(), length);
    }
    const why::Cost needed = why::costOf(*asked.model->loaded.model, cost.tokens, kRecorded,
                                         static_cast<std::int64_t>(cells), std::int64_t{cost.pairs});
    cost.runs = needed.runs;
    cost.bytes = needed.bytes;
    if (asked.model->loaded.model->parts().embedding.is_cpu())
        cost.seconds = operations * static_cast<double>(kRecorded + cells)
                       / operationsASecond(asked.model->loaded.dtype, threads, cacheFolder());
    return cost;
}

} // namespace

Ticket Backend::cost(const CostQuestion& question, Reply<PairCost> done, Failed failed)
{
    State* state = m_state.get();
    const auto step = [=](const engine::Turn&) -> Result<engine::Next> {
        const auto asked = askedPairs(*state, std::visit([](const auto& one) { return one.of; }, question));
        if (!asked.has_value())
            return asked.error();
        const auto count = std::visit([&](const auto& one) { return countOf(*asked, one); }, question);
        if (!count.has_value())
            return count.error();
        done(std::make_shared<const PairCost>(costOf(*asked, *count, state->options().threads)));
        return engine::Next::End;
    };
    return state->postSteps(engine::Urgency::Score, step, std::move(failed));
}

} // namespace headscope::app

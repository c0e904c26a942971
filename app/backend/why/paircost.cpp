// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/values/paircost.h"
#include "app/backend/why/edgejob.h"
#include "app/backend/why/patchjob.h"
#include "app/workbench/models/measuredspeed.h"
#include "core/io/pathlist.h"
#include "core/why/cost.h"

#include <algorithm>

namespace headscope::app {

namespace {

constexpr int kRecorded = 2; // runs of a pair

PairCost costOf(const PairedPrompts& asked, std::size_t cells, int threads)
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
                       / operationsASecond(asked.model->loaded.dtype, threads, io::cacheFolder());
    return cost;
}

template <typename Question> Result<PairCost> readCost(Models& models, const Question& question)
{
    const auto asked = pairedPrompts(models, question.of);
    if (!asked.has_value())
        return asked.error();
    const auto count = countOf(*asked, question);
    if (!count.has_value())
        return count.error();
    return costOf(*asked, *count, models.options().threads);
}

template <typename Request> Job<PairCost> costJob(const Request& request)
{
    return {.urgency = engine::Urgency::Score,
            .work = [request](Models& models, const Control&) { return readCost(models, request.of); }};
}

} // namespace

Job<PairCost> jobOf(const PatchCostRequest& request)
{
    return costJob(request);
}

Job<PairCost> jobOf(const EdgeCostRequest& request)
{
    return costJob(request);
}

} // namespace headscope::app

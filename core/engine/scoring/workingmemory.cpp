// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/workingmemory.h"

#include "core/engine/activationcache.h"
#include "core/engine/scoring/scoringpass.h"
#include "core/lm/device/forecast.h"
#include "core/lm/device/memorymeter.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <limits>
#include <span>

namespace headscope::engine {

namespace {

using interventions::EditHead;
using interventions::InterventionSet;

constexpr int kTries = 2;

bool sameKind(const lm::LayerSpec& a, const lm::LayerSpec& b)
{
    return a.mlp == b.mlp && a.experts == b.experts
           && std::equal(a.mixers.begin(), a.mixers.end(), b.mixers.begin(), b.mixers.end(),
                         [](const lm::MixerSpec& x, const lm::MixerSpec& y) {
                             return x.kind == y.kind && x.heads == y.heads && x.kvHeads == y.kvHeads
                                    && x.headDim == y.headDim && x.state == y.state && x.convWidth == y.convWidth;
                         });
}

bool widens(const lm::Model& model)
{
    return std::ranges::any_of(model.streamColumns(), [&](auto columns) { return columns != model.spec().hidden; });
}

/// The first three layers of each kind from `first` on, with the same weights: one whose input is the embedding, one in
/// the middle, and a last one that only makes the rows that are read. Of a model with a wider stream in some layers
/// none is left out.
std::shared_ptr<const lm::Model> abridged(const lm::Model& model, int first)
{
    lm::ModelParts parts = model.parts();
    if (widens(model))
        return std::make_shared<const lm::Model>(std::move(parts));
    parts.blocks.clear();
    parts.spec.layers.clear();
    for (auto i = static_cast<std::size_t>(first); i < model.spec().layers.size(); ++i) {
        const lm::LayerSpec& layer = model.spec().layers[i];
        if (std::count_if(parts.spec.layers.begin(), parts.spec.layers.end(),
                          [&](const lm::LayerSpec& other) { return sameKind(layer, other); })
            >= 3)
            continue;
        parts.spec.layers.push_back(layer);
        parts.blocks.push_back(model.parts().blocks[i]);
    }
    return std::make_shared<const lm::Model>(std::move(parts));
}

// From layer `first` on.
InterventionSet oneHeadOff(const lm::ModelSpec& spec, int first)
{
    std::vector<interventions::Intervention> items;
    for (auto layer = static_cast<std::size_t>(first); layer < spec.layers.size(); ++layer)
        if (!spec.layers[layer].mixers.empty())
            items.push_back(EditHead{.head = {static_cast<int>(layer), spec.layers[layer].mixers.front().site(), 0}});
    return InterventionSet(std::move(items));
}

// Of texts that are written on, one at a time.
std::int64_t generating(const lm::Model& model, const Workload& workload)
{
    std::size_t longest = 0;
    for (const EncodedExample& example : workload.examples())
        longest = std::max(longest, example.prompt.size());
    return longest > 0 ? lm::forecast(model.spec(), 0, static_cast<std::int64_t>(longest), model.dtype()).total() : 0;
}

/// Some layers of a model, through which batches are run to see what they take.
struct Trial {
    std::shared_ptr<const lm::Model> few;
    int first = 0; ///< of the few: from which on a head of each is off
    const Workload& workload;
    LogSoftmax logSoftmax;
    bool keeping = false;

    /// Of these batches, side by side, once.
    [[nodiscard]] WorkingMemory run(std::span<const std::size_t> batches) const
    {
        ActivationCache cache(keeping ? std::numeric_limits<std::int64_t>::max() : 0);
        const OutcomeSink nobody = [](int, const tasks::Outcome&) {};
        const Control control;
        const auto peakOf = [&](const InterventionSet& set) {
            const lm::Edits edits = *lm::resolve(set, few->spec(), {}, lm::Others::Examples); // its own heads
            const std::int64_t before = cache.bytes();
            const lm::MemoryMeter meter(few->device());
            ScoringPass pass({*few, cache, nullptr, logSoftmax, workload, edits, nobody, control});
            static_cast<void>(pass.run(batches));
            pass.settle(0);
            return meter.peak() - (cache.bytes() - before);
        };
        const std::int64_t clean = keeping ? peakOf({}) : 0;
        return {clean, peakOf(oneHeadOff(few->spec(), first))};
    }
};

// Zeros of no batch. Batches side by side take their most at the same moment in some of many runs only: between what is
// seen in a few and the sum of what each takes alone.
WorkingMemory measured(const Trial& trial, const Workload::Turn& turn)
{
    if (turn.batches.empty())
        return {};
    const at::NoGradGuard noGrad;
    const auto rowsOf = [&](std::size_t batch) { return trial.workload.batches()[batch].tree->rows(); };
    const std::size_t largest = *std::ranges::max_element(turn.batches, {}, rowsOf);
    const WorkingMemory alone = trial.run(std::span(&largest, 1));
    if (turn.batches.size() < 2)
        return alone;
    WorkingMemory most;
    for (int i = 0; i < kTries; ++i) {
        const WorkingMemory now = trial.run(turn.batches);
        most.clean = std::max(most.clean, now.clean);
        most.changed = std::max(most.changed, now.changed);
    }
    const double times = static_cast<double>(turn.rows) / static_cast<double>(rowsOf(largest));
    const auto middle = [times](std::int64_t one, std::int64_t together) {
        return (static_cast<std::int64_t>(times * static_cast<double>(one)) + together) / 2;
    };
    return {middle(alone.clean, most.clean), middle(alone.changed, most.changed)};
}

} // namespace

std::int64_t workingBytes(const lm::Model& model, const Workload& workload, const Workload::Turn& turn,
                          LogSoftmax logSoftmax)
{
    const Trial trial{.few = abridged(model, 0), .workload = workload, .logSoftmax = logSoftmax};
    return std::max(measured(trial, turn).changed, generating(model, workload));
}

WorkingMemory workingWhenKept(const lm::Model& model, const Workload& workload, const Workload::Turn& turn,
                              LogSoftmax logSoftmax, int first)
{
    return measured({.few = abridged(model, first),
                     .first = widens(model) ? first : 0,
                     .workload = workload,
                     .logSoftmax = logSoftmax,
                     .keeping = true},
                    turn);
}

} // namespace headscope::engine

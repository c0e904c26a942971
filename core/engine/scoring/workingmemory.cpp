// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/workingmemory.h"

#include "core/lm/device/forecast.h"
#include "core/lm/device/memorymeter.h"

#include <algorithm>
#include <limits>

namespace headscope::engine {

namespace {

using interventions::EditHead;
using interventions::InterventionSet;

bool sameKind(const lm::LayerSpec& a, const lm::LayerSpec& b)
{
    return a.mlp == b.mlp && a.experts == b.experts
           && std::equal(a.mixers.begin(), a.mixers.end(), b.mixers.begin(), b.mixers.end(),
                         [](const lm::MixerSpec& x, const lm::MixerSpec& y) {
                             return x.kind == y.kind && x.heads == y.heads && x.kvHeads == y.kvHeads
                                    && x.headDim == y.headDim && x.state == y.state && x.convWidth == y.convWidth;
                         });
}

/// The first three layers of each kind from `first` on, with the same weights: one whose input is the embedding, one in
/// the middle, and a last one that only makes the rows that are read. Where layers hand more on than their stream
/// (Gemma 4) none of them can be left out.
std::shared_ptr<const lm::Model> abridged(const lm::Model& model, int first)
{
    lm::ModelParts parts = model.parts();
    if (model.spec().family == "gemma4_text")
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

InterventionSet oneHeadOffEverywhere(const lm::ModelSpec& spec)
{
    std::vector<interventions::Intervention> items;
    for (std::size_t layer = 0; layer < spec.layers.size(); ++layer)
        if (!spec.layers[layer].mixers.empty())
            items.push_back(EditHead{.head = {static_cast<int>(layer), spec.layers[layer].mixers.front().site(), 0}});
    return InterventionSet(std::move(items));
}

/// Each sequence of the batch as an example of its own.
std::vector<EncodedExample> oneAlone(const Workload& workload, const Workload::Batch& batch)
{
    std::vector<EncodedExample> examples;
    for (const Workload::Member& member : batch.members)
        examples.push_back({.choices = workload.examples()[static_cast<std::size_t>(member.example)].choices,
                            .sequences = {workload.sequence(member)}});
    return examples;
}

// Of texts that are written on, one at a time.
std::int64_t generating(const lm::Model& model, const Workload& workload)
{
    std::size_t longest = 0;
    for (const EncodedExample& example : workload.examples())
        longest = std::max(longest, example.prompt.size());
    return longest > 0 ? lm::forecast(model.spec(), 0, static_cast<std::int64_t>(longest), model.dtype()).total() : 0;
}

// Zeros where there is no batch.
WorkingMemory measured(const lm::Model& model, const Workload& workload, LogSoftmax logSoftmax, int first, bool keeping)
{
    const auto& batches = workload.batches();
    const auto largest = std::max_element(batches.begin(), batches.end(),
                                          [](const auto& a, const auto& b) { return a.tree->rows() < b.tree->rows(); });
    if (largest == batches.end())
        return {};
    const auto few = abridged(model, first);
    Scorer scorer(few, nullptr,
                  {.cacheBytes = keeping ? std::numeric_limits<std::int64_t>::max() : 0,
                   .batchTokens = largest->tree->rows(),
                   .firstChunk = static_cast<int>(largest->members.size()),
                   .logSoftmax = logSoftmax});
    const auto batch = scorer.prepare(oneAlone(workload, *largest));
    const auto peakOf = [&](const InterventionSet& set) {
        const std::int64_t before = scorer.keptBytes();
        const lm::MemoryMeter meter(model.device());
        static_cast<void>(scorer.score(batch, set, {}, [](int, const tasks::Outcome&) {}, {}));
        return meter.peak() - (scorer.keptBytes() - before);
    };
    const std::int64_t clean = keeping ? peakOf({}) : 0;
    return {clean, peakOf(oneHeadOffEverywhere(few->spec()))};
}

} // namespace

std::int64_t workingBytes(const lm::Model& model, const Workload& workload, LogSoftmax logSoftmax)
{
    return std::max(measured(model, workload, logSoftmax, 0, false).changed, generating(model, workload));
}

WorkingMemory workingWhenKept(const lm::Model& model, const Workload& workload, LogSoftmax logSoftmax, int first)
{
    return measured(model, workload, logSoftmax, first, true);
}

} // namespace headscope::engine

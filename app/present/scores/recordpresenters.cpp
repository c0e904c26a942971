// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/scores/recordpresenters.h"

#include "app/present/heads/headspans.h"
#include "app/state/modelheads.h"
#include "core/base/samplesource.h"
#include "core/engine/scoring/rankedtask.h"
#include "core/io/revision.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace headscope::gui {

sessions::ModelRecord modelRecord(const app::ModelSummary& model)
{
    nlohmann::json layers = nlohmann::json::array();
    for (const auto& layer : model.layers) {
        nlohmann::json mixers = nlohmann::json::array();
        for (const app::MixerSummary& mixer : layer)
            mixers.push_back({{"kind", mixer.kind},
                              {"heads", mixer.heads},
                              {"kv_heads", mixer.kvHeads},
                              {"head_dim", mixer.headDim}});
        layers.push_back(mixers);
    }
    return {.hash = model.hash,
            .name = model.name,
            .source = model.path,
            .revision = io::revisionOf(model.path),
            .family = model.family,
            .dtype = model.dtype,
            .device = model.device,
            .tokenizerHash = {},
            .layers = static_cast<int>(model.layers.size()),
            .headsJson = layers.dump(),
            .parameters = model.parameters};
}

sessions::PatternRecord patternRecord(const WindowState& state, Side side)
{
    const SideState& p = state.side(side);
    const app::PatternReply& shown = *p.pattern;
    sessions::PatternRecord record{.modelHash = p.model->hash,
                                   .dtype = p.model->dtype,
                                   .head = headName(*p.model, shown.request.head),
                                   .convention = shown.convention,
                                   .earlierWords = shown.earlierWords,
                                   .ablation = shown.request.ablation.canonical(),
                                   .prompt = shown.text,
                                   .tokens = shown.prompt.tokens,
                                   .values = shown.matrix,
                                   .maxError = 0,
                                   .segments = {},
                                   .source = {},
                                   .inputs = shown.inputs};
    if (const app::Prompt& prompt = state.promptOf(side); !prompt.task.empty())
        record.source = sampleSource(prompt.task, prompt.sample);
    for (const app::Span& span : shown.spans)
        record.segments.push_back({span.role, static_cast<int>(span.begin), static_cast<int>(span.end), span.target});
    return record;
}

namespace {

// What was scored without each head, and by which rule.
std::string exactTask(const SideState& side)
{
    const std::string task = retrievalTask(*side.model);
    const bool ruled = side.scores && std::ranges::any_of(side.scores->lines, [&](const app::BenchmarkScore& line) {
                           return line.task == task && line.commonPrefix;
                       });
    return engine::rankedTask(task, ruled);
}

} // namespace

std::vector<sessions::RankingRecord> rankingRecords(const WindowState& state, Side side)
{
    const SideState& p = state.side(side);
    std::vector<std::pair<std::string, const std::vector<app::HeadValue>*>> found;
    if (p.effectsMethod == app::RankMethod::Exact) // a race measures its heads on differing numbers of examples
        found.emplace_back("exact", p.effects.get());
    for (const char* method : {"gather", "aggregate"})
        if (p.headScores && p.headScores->scores.contains(method))
            found.emplace_back(method, &p.headScores->scores.at(method));
    std::vector<sessions::RankingRecord> records;
    for (const auto& [method, heads] : found) {
        if (!heads || heads->size() != headCount(*p.model))
            continue;
        const bool exact = method == "exact";
        sessions::RankingRecord record{.uid = {},
                                       .modelHash = p.model->hash,
                                       .dtype = p.model->dtype,
                                       .device = p.model->device.substr(0, p.model->device.find(':')),
                                       .task = exact ? exactTask(p) : state.promptOf(side).task,
                                       .method = method,
                                       .ablation = exact ? std::string() : p.headScores->ablation.canonical(),
                                       .created = {},
                                       .n = exact ? heads->front().n : 1,
                                       .questionJson = exact ? p.effectsIdentity : p.headScores->identity,
                                       .heads = {}};
        for (const app::HeadValue& head : *heads)
            record.heads.push_back({toText(head.head), head.value, head.delta, head.low, head.high});
        std::ranges::stable_sort(record.heads, [exact](const auto& a, const auto& b) {
            return exact ? a.delta < b.delta : a.value > b.value;
        });
        records.push_back(std::move(record));
    }
    return records;
}

std::vector<app::ShownRecords> shownRecords(const WindowState& state)
{
    std::vector<app::ShownRecords> all;
    for (const Side side : kSides) {
        const SideState& p = state.side(side);
        if (!p.model || p.model->stored)
            continue;
        app::ShownRecords shown{.model = modelRecord(*p.model), .rankings = rankingRecords(state, side)};
        if (p.pattern && p.pattern->pool == 1 && p.pattern->convention.shown == analysis::MatrixShown::Plain)
            shown.pattern = patternRecord(state, side);
        all.push_back(std::move(shown));
    }
    return all;
}

} // namespace headscope::gui

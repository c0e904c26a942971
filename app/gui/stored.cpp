// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/stored.h"

#include "app/state/modelheads.h"
#include "core/analysis/convention.h"
#include "core/analysis/statistics.h"
#include "core/interventions/intervention.h"
#include "sessions/bestseries.h"
#include "sessions/rows/examplerows.h"
#include "sessions/rows/modelheads.h"

#include <algorithm>

namespace headscope::gui {

namespace {

std::vector<std::vector<app::MixerSummary>> summaryOf(const std::vector<std::vector<sessions::StoredMixer>>& stored)
{
    std::vector<std::vector<app::MixerSummary>> layers;
    for (const std::vector<sessions::StoredMixer>& layer : stored) {
        layers.emplace_back();
        for (const sessions::StoredMixer& mixer : layer)
            layers.back().push_back({.kind = mixer.kind,
                                     .attention = mixer.kind == "attention",
                                     .channels = mixer.kind == "mamba1",
                                     .heads = mixer.heads,
                                     .kvHeads = mixer.kvHeads,
                                     .headDim = mixer.headDim});
    }
    return layers;
}

// The mixer of a head. A file from someone else may speak of heads that its own model does not have: null.
const app::MixerSummary* mixerIn(const std::vector<std::vector<app::MixerSummary>>& layers,
                                 const interventions::HeadRef& head)
{
    return head.head < 0 ? nullptr : mixerOf(layers, head);
}

Result<std::vector<std::vector<app::MixerSummary>>> layersOf(sessions::SessionStore& session, const std::string& hash)
{
    const auto record = session.model(hash);
    if (!record.has_value())
        return record.error();
    if (!*record)
        return std::vector<std::vector<app::MixerSummary>>();
    const auto heads = sessions::storedHeads(**record);
    if (!heads.has_value())
        return heads.error();
    return summaryOf(*heads);
}

int pairsOf(const std::string& task)
{
    const auto at = task.find("pairs=");
    return at == std::string::npos ? 0 : std::atoi(task.c_str() + at + 6);
}

double accuracy(const sessions::SeriesScore& row)
{
    return row.n > 0 ? static_cast<double>(row.correct) / static_cast<double>(row.n) : 0;
}

} // namespace

const sessions::SeriesScore* bestSeries(const std::vector<sessions::SeriesScore>& rows, const std::string& hash,
                                        const std::string& task, const std::string& ablation)
{
    return sessions::bestSeries(rows, std::string_view(hash), task, ablation);
}

Result<std::shared_ptr<const app::ModelSummary>> storedModel(sessions::SessionStore& session, const std::string& hash)
{
    const auto record = session.model(hash);
    if (!record.has_value())
        return record.error();
    if (!*record)
        return inputError("The session has no model with the hash '" + hash + "'.");
    const auto scores = session.scores();
    if (!scores.has_value())
        return scores.error();
    const sessions::ModelRecord& stored = **record;
    const auto heads = sessions::storedHeads(stored);
    if (!heads.has_value())
        return heads.error();
    app::ModelSummary model{.name = stored.name,
                            .path = stored.source,
                            .hash = stored.hash,
                            .family = stored.family,
                            .dtype = stored.dtype,
                            .device = stored.device,
                            .parameters = stored.parameters,
                            .layers = summaryOf(*heads)};
    model.stored = true;
    for (const sessions::SeriesScore& row : *scores)
        if (row.series.modelHash == hash
            && std::find(model.benchmarks.begin(), model.benchmarks.end(), row.series.task) == model.benchmarks.end()) {
            model.benchmarks.push_back(row.series.task);
            if (const int pairs = pairsOf(row.series.task); pairs > 0) {
                model.kvTask = row.series.task.substr(0, row.series.task.find(':'));
                model.kvSizes.push_back(pairs);
            }
        }
    std::sort(model.kvSizes.begin(), model.kvSizes.end());
    std::stable_sort(model.benchmarks.begin(), model.benchmarks.end(),
                     [](const std::string& a, const std::string& b) { return pairsOf(a) < pairsOf(b); });
    return std::make_shared<const app::ModelSummary>(std::move(model));
}

Result<std::optional<sessions::PatternInfo>> storedPatternInfo(sessions::SessionStore& session, const std::string& hash,
                                                               const std::optional<interventions::HeadRef>& head,
                                                               const interventions::InterventionSet& ablation,
                                                               const std::string& prompt)
{
    const auto all = session.patterns();
    const auto layers = layersOf(session, hash);
    if (!all.has_value() || !layers.has_value())
        return all.has_value() ? layers.error() : all.error();
    std::optional<sessions::PatternInfo> newest;
    for (const sessions::PatternInfo& info : *all)
        if (info.modelHash == hash && info.ablation == ablation.canonical()
            && (prompt.empty() || info.prompt == prompt))
            if (const auto ref = interventions::parseHead(info.head);
                ref.has_value() && mixerIn(*layers, *ref) && (!head || *head == *ref))
                newest = info;
    return newest;
}

Result<std::shared_ptr<const app::PatternReply>> storedPattern(sessions::SessionStore& session, std::int64_t id)
{
    auto pattern = session.pattern(id);
    if (!pattern.has_value())
        return pattern.error();
    const auto head = interventions::parseHead(pattern->head);
    const auto ablation = interventions::InterventionSet::parse(pattern->ablation);
    if (!head.has_value() || !ablation.has_value())
        return head.has_value() ? ablation.error() : head.error();
    app::PatternReply reply{.request = {.head = *head, .ablation = *ablation},
                            .probability = analysis::rowsSumToOne(pattern->convention),
                            .title = pattern->convention,
                            .text = pattern->prompt};
    reply.prompt.tokens = pattern->tokens;
    reply.prompt.ids.resize(pattern->tokens.size());
    for (const sessions::PatternSegment& segment : pattern->segments)
        reply.spans.push_back({segment.role, static_cast<std::size_t>(segment.begin),
                               static_cast<std::size_t>(segment.end), segment.target});
    reply.matrix = std::move(pattern->values);
    return std::make_shared<const app::PatternReply>(std::move(reply));
}

Result<std::shared_ptr<const app::ScoreReply>> storedScores(sessions::SessionStore& session, const std::string& hash,
                                                            const std::vector<std::string>& tasks,
                                                            const interventions::InterventionSet& set)
{
    const std::string ablation = set.canonical();
    const auto rows = session.scores();
    if (!rows.has_value())
        return rows.error();
    app::ScoreReply reply{.ablation = set, .lines = {}, .final = true};
    for (const std::string& task : tasks) {
        app::BenchmarkScore line{.task = task, .metric = "acc", .test = "exact McNemar", .final = true};
        const sessions::SeriesScore* now = bestSeries(*rows, hash, task, ablation);
        const sessions::SeriesScore* before = ablation.empty() ? now
                                              : now            ? sessions::baselineFor(*rows, *now)
                                                               : bestSeries(*rows, hash, task, {});
        line.hasBaseline = before != nullptr;
        line.hasNow = now != nullptr;
        if (before)
            line.baseline = line.now = accuracy(*before);
        if (now) {
            line.now = accuracy(*now);
            line.n = static_cast<int>(now->n);
            line.total = line.n;
            reply.examples += line.n;
        }
        if (now && before && !ablation.empty()) {
            const auto pairs = sessions::pairedTotals(session, before->series, now->series);
            if (!pairs.has_value())
                return pairs.error();
            const analysis::PairedCounts& counts = pairs->acc;
            const analysis::Interval interval = analysis::newcombePairedInterval(counts);
            line.delta = counts.difference();
            line.low = interval.low;
            line.high = interval.high;
            line.p = analysis::mcnemarExact(counts);
            line.broken = static_cast<int>(counts.lost);
            line.fixed = static_cast<int>(counts.gained);
        }
        reply.lines.push_back(std::move(line));
    }
    return std::make_shared<const app::ScoreReply>(std::move(reply));
}

Result<std::shared_ptr<const std::vector<app::HeadValue>>>
storedRanking(sessions::SessionStore& session, const std::string& hash, const std::string& method)
{
    const auto rankings = session.rankings();
    const auto layers = layersOf(session, hash);
    if (!rankings.has_value() || !layers.has_value())
        return rankings.has_value() ? layers.error() : rankings.error();
    const sessions::RankingRecord* chosen = nullptr;
    for (const sessions::RankingRecord& ranking : *rankings)
        if (ranking.modelHash == hash && ranking.method == method
            && (!chosen || ranking.heads.size() >= chosen->heads.size()))
            chosen = &ranking;
    if (!chosen)
        return std::shared_ptr<const std::vector<app::HeadValue>>();
    auto values = std::make_shared<std::vector<app::HeadValue>>();
    for (const sessions::RankedHead& head : chosen->heads)
        if (const auto ref = interventions::parseHead(head.head); ref.has_value())
            if (const app::MixerSummary* mixer = mixerIn(*layers, *ref))
                values->push_back({.head = *ref,
                                   .attention = mixer->attention,
                                   .value = head.value,
                                   .delta = head.delta,
                                   .low = head.low,
                                   .high = head.high});
    return std::shared_ptr<const std::vector<app::HeadValue>>(std::move(values));
}

} // namespace headscope::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/session/storedrequests.h"

#include "app/backend/values/mixers.h"
#include "core/analysis/statistics.h"
#include "core/engine/scoring/pairs/boundaryrule.h"
#include "core/tasks/registry.h"
#include "sessions/results/bestseries.h"
#include "sessions/rows/examplerows.h"
#include "sessions/rows/modelheadrows.h"
#include "sessions/sessionstore.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace headscope::app {

namespace {

using sessions::SeriesScore;
using sessions::SessionStore;
using Layers = std::vector<std::vector<MixerSummary>>;

Layers summaryOf(const std::vector<std::vector<sessions::StoredMixer>>& stored)
{
    Layers layers;
    for (const std::vector<sessions::StoredMixer>& layer : stored) {
        layers.emplace_back();
        for (const sessions::StoredMixer& mixer : layer)
            layers.back().push_back({.kind = mixer.kind,
                                     .attention = mixer.kind == "attention",
                                     .channels = mixer.headDim == 1 && mixer.kind != "attention",
                                     .heads = mixer.heads,
                                     .kvHeads = mixer.kvHeads,
                                     .headDim = mixer.headDim});
    }
    return layers;
}

int rowPairs(const std::string& task)
{
    const auto at = task.find("pairs=");
    return at == std::string::npos ? 0 : std::atoi(task.c_str() + at + 6);
}

double accuracy(const SeriesScore& row)
{
    return row.n > 0 ? static_cast<double>(row.correct) / static_cast<double>(row.n) : 0;
}

void addBenchmark(ModelSummary& model, const std::string& task)
{
    if (std::ranges::find(model.benchmarks, task) != model.benchmarks.end())
        return;
    model.benchmarks.push_back(task);
    if (const int pairs = rowPairs(task); pairs > 0) {
        model.kvTask = task.substr(0, task.find(':'));
        model.kvSizes.push_back(pairs);
    }
}

Result<ModelSummary> summaryIn(SessionStore& session, const std::string& hash)
{
    const auto record = session.model(hash);
    if (!record.has_value())
        return record.error();
    if (!*record)
        return inputError("The session has no model with the hash '" + hash + "'.");
    const sessions::ModelRecord& stored = **record;
    const auto heads = sessions::storedHeads(stored);
    if (!heads.has_value())
        return heads.error();
    const auto scores = session.scores();
    if (!scores.has_value())
        return scores.error();
    ModelSummary model{.name = stored.name,
                       .path = stored.source,
                       .hash = stored.hash,
                       .family = stored.family,
                       .dtype = stored.dtype,
                       .device = stored.device,
                       .parameters = stored.parameters,
                       .layers = summaryOf(*heads),
                       .stored = true};
    for (const SeriesScore& row : *scores)
        if (row.series.modelHash == hash)
            addBenchmark(model, row.series.task);
    std::ranges::sort(model.kvSizes);
    std::ranges::stable_sort(model.benchmarks, {}, rowPairs);
    return model;
}

// A file from someone else may speak of heads that its own model does not have: they are passed over.
std::vector<HeadValue> valuesOf(const sessions::RankingRecord& ranking, const Layers& layers)
{
    std::vector<HeadValue> values;
    for (const sessions::RankedHead& head : ranking.heads)
        if (const auto ref = interventions::parseHead(head.head); ref.has_value())
            if (const MixerSummary* mixer = mixerIn(layers, *ref))
                values.push_back({.head = *ref,
                                  .attention = mixer->attention,
                                  .value = head.value,
                                  .delta = head.delta,
                                  .low = head.low,
                                  .high = head.high});
    return values;
}

std::map<std::string, std::vector<HeadValue>> rankingsOf(const ModelSummary& model,
                                                         const std::vector<sessions::RankingRecord>& all)
{
    std::map<std::string, const sessions::RankingRecord*> chosen;
    for (const sessions::RankingRecord& ranking : all)
        if (ranking.modelHash == model.hash && ranking.ablation.empty()
            && ((ranking.method == "exact" && tasks::isDictionaryTask(ranking.task)) || ranking.method == "gather"
                || ranking.method == "aggregate"))
            if (const auto*& best = chosen[ranking.method]; !best || ranking.heads.size() >= best->heads.size())
                best = &ranking;
    std::map<std::string, std::vector<HeadValue>> rankings;
    for (const auto& [method, ranking] : chosen)
        rankings[method] = valuesOf(*ranking, model.layers);
    return rankings;
}

std::optional<sessions::PatternInfo> newestOf(const ModelSummary& model, const std::vector<sessions::PatternInfo>& all)
{
    std::optional<sessions::PatternInfo> newest;
    for (const sessions::PatternInfo& info : all)
        if (info.modelHash == model.hash && info.ablation.empty())
            if (const auto head = interventions::parseHead(info.head); head.has_value() && mixerIn(model.layers, *head))
                newest = info;
    return newest;
}

Result<StoredModel> modelIn(SessionStore& session, const std::string& hash)
{
    auto model = summaryIn(session, hash);
    if (!model.has_value())
        return model.error();
    StoredModel stored;
    if (const auto rankings = session.rankings(); rankings.has_value())
        stored.rankings = rankingsOf(*model, *rankings);
    else
        stored.problem = rankings.error();
    if (const auto patterns = session.patterns(); patterns.has_value())
        stored.newest = newestOf(*model, *patterns);
    else
        stored.problem = patterns.error();
    stored.summary = std::make_shared<const ModelSummary>(std::move(*model));
    return stored;
}

Result<std::shared_ptr<const PatternReply>> replyOf(sessions::PatternRecord&& pattern, const PatternQuestion& question)
{
    PatternReply reply{.request = {.head = question.head, .ablation = question.ablation},
                       .convention = pattern.convention,
                       .earlierWords = pattern.earlierWords,
                       .text = pattern.prompt};
    reply.prompt.tokens = pattern.tokens;
    reply.prompt.ids.resize(pattern.tokens.size());
    for (const sessions::PatternSegment& segment : pattern.segments)
        reply.spans.push_back({segment.role, static_cast<std::size_t>(segment.begin),
                               static_cast<std::size_t>(segment.end), segment.target});
    reply.matrix = std::move(pattern.values);
    return std::make_shared<const PatternReply>(std::move(reply));
}

Result<std::shared_ptr<const PatternReply>> patternIn(SessionStore& session, const PatternQuestion& question)
{
    const auto all = session.patterns();
    if (!all.has_value())
        return all.error();
    const sessions::PatternInfo* newest = nullptr;
    for (const sessions::PatternInfo& info : *all)
        if (info.modelHash == question.modelHash && info.ablation == question.ablation.canonical()
            && (question.prompt.empty() || info.prompt == question.prompt))
            if (const auto ref = interventions::parseHead(info.head); ref.has_value() && *ref == question.head)
                newest = &info;
    if (!newest)
        return std::shared_ptr<const PatternReply>();
    auto pattern = session.pattern(newest->id);
    if (!pattern.has_value())
        return pattern.error();
    return replyOf(std::move(*pattern), question);
}

/// One task, `now` being null where the state was not scored on it.
Result<BenchmarkScore> lineOf(SessionStore& session, const std::string& task, const SeriesScore* before,
                              const SeriesScore* now)
{
    BenchmarkScore line{.task = task, .metric = "acc", .test = "exact McNemar", .final = true};
    line.hasBaseline = before != nullptr;
    line.hasNow = now != nullptr;
    if (const SeriesScore* shown = now ? now : before)
        line.commonPrefix = engine::isFromCommonPrefix(shown->series.taskVersion);
    if (before)
        line.baseline = accuracy(*before);
    if (now) {
        line.now = accuracy(*now);
        line.n = static_cast<int>(now->n);
        line.total = line.n;
    }
    if (!now || !before || now == before)
        return line;
    const auto pairs = sessions::pairedTotals(session, before->series, now->series);
    if (!pairs.has_value())
        return pairs.error();
    // Only rows that both states have; the scores are computed on these too.
    const analysis::PairedCounts& counts = pairs->acc;
    line.hasBaseline = counts.total() > 0;
    if (!line.hasBaseline)
        return line;
    line.baseline = counts.before();
    line.now = counts.before() + counts.difference();
    line.n = line.total = static_cast<int>(counts.total());
    const analysis::PairedChange change = analysis::pairedChange(counts);
    line.delta = change.delta;
    line.low = change.interval.low;
    line.high = change.interval.high;
    line.p = change.p;
    line.broken = static_cast<int>(counts.lost);
    line.fixed = static_cast<int>(counts.gained);
    return line;
}

Result<std::shared_ptr<const ScoreReply>> scoresIn(SessionStore& session, const std::string& hash,
                                                   const std::vector<std::string>& tasks,
                                                   const interventions::InterventionSet& set)
{
    const std::string ablation = set.canonical();
    const auto rows = session.scores();
    if (!rows.has_value())
        return rows.error();
    ScoreReply reply{.ablation = set, .lines = {}, .final = true};
    for (const std::string& task : tasks) {
        const SeriesScore* now = sessions::bestSeries(*rows, hash, task, ablation);
        const SeriesScore* before = ablation.empty() ? now
                                    : now            ? sessions::baselineFor(*rows, *now)
                                                     : sessions::bestSeries(*rows, hash, task, {});
        auto line = lineOf(session, task, before, now);
        if (!line.has_value())
            return line.error();
        if (now)
            reply.examples += line->n;
        reply.lines.push_back(std::move(*line));
    }
    return std::make_shared<const ScoreReply>(std::move(reply));
}

} // namespace

SessionRequest<StoredModel> storedModel(const std::string& hash)
{
    return [hash](SessionStore& session) { return modelIn(session, hash); };
}

SessionRequest<std::shared_ptr<const PatternReply>> storedPattern(const PatternQuestion& question)
{
    return [question](SessionStore& session) { return patternIn(session, question); };
}

SessionRequest<std::shared_ptr<const ScoreReply>> storedScores(const std::string& modelHash,
                                                               const std::vector<std::string>& tasks,
                                                               const interventions::InterventionSet& set)
{
    return [=](SessionStore& session) { return scoresIn(session, modelHash, tasks, set); };
}

} // namespace headscope::app

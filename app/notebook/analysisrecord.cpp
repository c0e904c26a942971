// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/notebook/analysisrecord.h"

#include "core/base/samplesource.h"
#include "core/why/names.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>
#include <tuple>

namespace headscope::app {

using engine::PromptPair;
using engine::Question;
using sessions::AnalysisRecord;
using sessions::AnalysisValue;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostComposed = 1000;
constexpr std::size_t kSummed = 3; // parts that a summary names

sessions::AnalysisKey analysisKey(const char* kind, const QuestionState& state, std::string question)
{
    return {.modelHash = state.subject.model.hash,
            .kind = kind,
            .dtype = state.subject.dtype,
            .device = state.subject.device,
            .ablation = state.set.canonical(),
            .questionJson = std::move(question)};
}

AnalysisRecord analysisOf(const char* kind, const QuestionState& state, std::string question, std::string source)
{
    return {.key = analysisKey(kind, state, std::move(question)), .source = std::move(source), .summary = {}};
}

/// "toy_kv:pairs=8, sample 3"; of several "toy_kv:pairs=8, 20 prompts".
std::string sourceOf(const std::string& first, std::size_t count, const char* what)
{
    if (count < 2)
        return first;
    const auto sample = parseSampleSource(first);
    return (sample ? sample->task : first) + ", " + std::to_string(count) + " " + what;
}

AnalysisValue valueOf(std::string part, const char* measure, const analysis::Mean& mean)
{
    return {.part = std::move(part),
            .measure = measure,
            .value = mean.value,
            .low = mean.interval ? mean.interval->low : kNaN,
            .high = mean.interval ? mean.interval->high : kNaN};
}

// The prompt's tokens, for figures that have no model to ask.
void addTokens(AnalysisRecord& record, const QuestionState& state, std::span<const int> ids)
{
    for (std::size_t i = 0; i < ids.size(); ++i)
        record.values.push_back({.part = "prompt",
                                 .position = static_cast<int>(i),
                                 .measure = "token",
                                 .value = kNaN,
                                 .words = engine::tokenText(state.tokenizer, ids[i])});
}

// Both prompts of each pair and the tokens whose logits are compared, for exports and captions.
void addPairs(AnalysisRecord& record, const QuestionState& state, std::span<const PromptPair> pairs,
              const engine::OverPairs& over)
{
    for (std::size_t i = 0; i < std::min(pairs.size(), over.metrics.size()); ++i)
        for (const auto& [part, words] :
             {std::pair("clean", engine::promptText(state.tokenizer, pairs[i].clean)),
              {"corrupt", engine::promptText(state.tokenizer, pairs[i].corrupt)},
              {"answer", engine::tokenText(state.tokenizer, over.metrics[i].answer)},
              {"distractor", engine::tokenText(state.tokenizer, over.metrics[i].distractor)}})
            record.values.push_back(
                {.part = part, .position = static_cast<int>(i), .measure = "pair", .value = kNaN, .words = words});
}

std::string signedText(double value)
{
    char text[32];
    (void)std::snprintf(text, sizeof text, "%+.3g", value);
    return text;
}

/// "Largest: L2H5 +0.93, L1.mlp -0.12."
std::string largest(const AnalysisRecord& record, const std::string& measure)
{
    std::vector<const AnalysisValue*> values;
    for (const AnalysisValue& value : record.values)
        if (value.measure == measure && std::isfinite(value.value) && value.part != "sum")
            values.push_back(&value);
    // Compared as they are printed: digits beyond that differ between processors.
    const auto named = std::min(values.size(), kSummed);
    std::ranges::partial_sort(
        values, values.begin() + static_cast<std::ptrdiff_t>(named), {}, [](const AnalysisValue* value) {
            const double written = std::abs(std::strtod(signedText(value->value).c_str(), nullptr));
            return std::tuple(-written, std::string_view(value->part), std::string_view(value->receiver),
                              value->position);
        });
    std::string names;
    for (const AnalysisValue* value : std::span(values).first(named))
        names += (names.empty() ? "Largest: " : ", ") + value->part
                 + (value->receiver.empty() ? "" : " > " + value->receiver)
                 + (value->position < 0 ? "" : " at token " + std::to_string(value->position)) + " "
                 + signedText(value->value);
    return names.empty() ? "Nothing was found." : names + '.';
}

std::string metricText(const QuestionState& state, const why::Metric& metric)
{
    return "logit of \"" + engine::tokenText(state.tokenizer, metric.answer) + "\" minus \""
           + engine::tokenText(state.tokenizer, metric.distractor) + "\"";
}

} // namespace

sessions::AnalysisKey lensKey(const QuestionState& state, const LensedPrompt& prompt)
{
    return analysisKey("lens", state, lensQuestion(state, prompt));
}

AnalysisRecord lensRecord(const QuestionState& state, const LensedPrompt& prompt, const why::Lens& lens)
{
    const Question& question = prompt.question;
    const int first = prompt.first, last = prompt.last;
    AnalysisRecord record{.key = lensKey(state, prompt), .source = question.source, .summary = {}};
    for (int layer = 0; layer < lens.layers; ++layer)
        for (int position = first; position <= last; ++position) {
            const why::LensCell& cell = lens.at(layer, position);
            if (cell.top.empty())
                continue;
            AnalysisValue value{.part = "L" + std::to_string(layer),
                                .position = position,
                                .measure = "probability",
                                .value = cell.top.front().probability,
                                .words = engine::tokenText(state.tokenizer, cell.top.front().id)};
            record.values.push_back(value);
            value.words.clear();
            value.measure = "rank of the followed";
            value.value = cell.rank;
            record.values.push_back(std::move(value));
        }
    addTokens(record, state, question.ids);
    const int said = lens.at(lens.layers - 1, last).top.front().id, followed = question.answer.value_or(said);
    const auto from = why::firstTopLayer(lens, last, followed);
    record.summary =
        std::string(prompt.fitted.empty() ? "" : "Jacobian lens: ") + "\""
        + engine::tokenText(state.tokenizer, followed) + "\" is "
        + (!from ? "not on top at the end; the model says \"" + engine::tokenText(state.tokenizer, said) + "\"."
           : *from + 1 == lens.layers ? "on top only in the output."
                                      : "on top from the stream before layer " + std::to_string(*from) + " on.");
    return record;
}

AnalysisRecord attributionRecord(const QuestionState& state, std::span<const Question> questions,
                                 const engine::MeanAttribution& all)
{
    const auto count = static_cast<std::size_t>(all.prompts);
    questions = questions.first(count);
    AnalysisRecord record = analysisOf("attribution", state, attributionQuestion(state, questions, all.metric),
                                       sourceOf(questions.front().source, count, "prompts"));
    for (std::size_t i = 0; i < all.parts.size(); ++i)
        record.values.push_back(valueOf(why::nameOf(state.spec, all.parts[i]), "adds", all.means[i]));
    record.values.push_back(valueOf("sum", "adds", all.difference));
    record.summary = largest(record, "adds");
    return record;
}

AnalysisRecord patchRecord(const QuestionState& state, std::span<const PromptPair> pairs, const engine::OverPairs& over,
                           const engine::PatchRequest& asked, std::span<const engine::PatchCell> cells)
{
    AnalysisRecord record = analysisOf("patching", state, patchQuestion(state, pairs, over, asked),
                                       sourceOf(pairs.front().source, over.clean.size(), "pairs"));
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const engine::PatchCell& cell = cells[i];
        AnalysisValue value = valueOf(cell.head < 0 ? "L" + std::to_string(cell.layer)
                                                    : why::headName(state.spec, cell.layer, cell.site, cell.head),
                                      "share", over.normalised(i));
        value.position = cell.position;
        record.values.push_back(std::move(value));
    }
    record.summary = largest(record, "share");
    for (const auto& [part, runs] : {std::pair("clean", &over.clean), {"corrupt", &over.corrupt}})
        record.values.push_back({.part = part, .measure = "logit difference", .value = analysis::meanOf(*runs).value});
    addPairs(record, state, pairs, over);
    if (asked.where == engine::PatchWhere::Each) // of the run that is patched
        addTokens(record, state,
                  over.direction == engine::PatchDirection::Denoise ? pairs.front().corrupt : pairs.front().clean);
    return record;
}

AnalysisRecord edgesRecord(const QuestionState& state, std::span<const PromptPair> pairs, const engine::OverPairs& over,
                           const TracedEdges& traced, std::span<const why::Edge> edges)
{
    AnalysisRecord record = analysisOf("edges", state, edgesQuestion(state, pairs, over, traced),
                                       sourceOf(pairs.front().source, over.clean.size(), "pairs"));
    for (std::size_t i = 0; i < edges.size(); ++i)
        for (const auto& [measure, mean] :
             {std::pair("share", over.normalised(i)), {"change of the logit difference", over.effect(i)}}) {
            AnalysisValue value = valueOf(why::nameOf(state.spec, edges[i].sender), measure, mean);
            value.receiver = why::nameOf(state.spec, edges[i].receiver);
            record.values.push_back(std::move(value));
        }
    record.summary = largest(record, "share");
    addPairs(record, state, pairs, over);
    return record;
}

AnalysisRecord knockoutRecord(const QuestionState& state, const Question& question, const why::Metric& metric,
                              const why::KnockoutSweep& sweep, double difference,
                              std::span<const why::KnockoutWindow> windows)
{
    AnalysisRecord record =
        analysisOf("knockout", state, knockoutQuestion(state, question, metric, sweep), question.source);
    for (const why::KnockoutWindow& window : windows)
        record.values.push_back({.part = "L" + std::to_string(window.first) + "-" + std::to_string(window.last),
                                 .measure = "logit difference",
                                 .value = window.difference});
    record.values.push_back({.part = "none", .measure = "logit difference", .value = difference});
    record.summary = metricText(state, metric);
    return record;
}

AnalysisRecord scoreRecord(const QuestionState& state, const Question& question,
                           const why::AttentionScoreRequest& asked, const why::ScoreAttribution& all)
{
    AnalysisRecord record = analysisOf("why-score", state, scoreQuestion(state, question, asked), question.source);
    for (const auto& [side, parts] : {std::pair("query", &all.query), {"key", &all.key}})
        for (const why::DirectPart& part : *parts)
            record.values.push_back({.part = why::nameOf(state.spec, part), .measure = side, .value = part.value});
    for (const auto& [query, key, value] : all.pairs)
        record.values.push_back({.part = why::nameOf(state.spec, all.query[query]),
                                 .receiver = why::nameOf(state.spec, all.key[key]),
                                 .measure = "pair",
                                 .value = value});
    for (const auto& [part, value] :
         {std::pair("sum", all.score), {"mean", all.mean}, {"share", all.share}, {"position", all.position}})
        record.values.push_back({.part = part, .measure = "score", .value = value});
    addTokens(record, state, question.ids);
    record.summary = why::headName(state.spec, asked.where.first, asked.where.second, asked.head) + " from token "
                     + std::to_string(asked.query) + " to " + std::to_string(asked.key) + ": " + signedText(all.score)
                     + ". " + largest(record, "key");
    return record;
}

AnalysisRecord weightsRecord(const QuestionState& state, const WeighedHeads& heads, WeighedModel weighed)
{
    AnalysisRecord record = analysisOf("weights", state, weightsQuestion(state, heads), "weights");
    for (const auto& [head, value] : weighed.copying)
        record.values.push_back({.part = head, .measure = "copying", .value = value});
    std::ranges::stable_sort(weighed.composed, std::greater(), &WeighedModel::Composed::value);
    weighed.composed.resize(std::min(weighed.composed.size(), kMostComposed));
    for (const WeighedModel::Composed& pair : weighed.composed)
        record.values.push_back(
            {.part = pair.sender, .receiver = pair.receiver, .measure = "composition", .value = pair.value});
    record.values.push_back({.part = "random matrices", .measure = "composition", .value = weighed.random});
    std::map<std::string, int> ranks;
    for (const WeighedModel::Direction& one : weighed.directions) {
        const std::string part = heads.directions.size() > 1 ? one.head + "." + one.matrix : one.matrix;
        const int rank = ranks[part]++;
        record.values.push_back({.part = part, .position = rank, .measure = "singular value", .value = one.value});
        for (const auto& [measure, ends] : {std::pair("reads", &one.read), {"writes", &one.write}})
            for (const auto& [token, product] : *ends)
                record.values.push_back(
                    {.part = part, .position = rank, .measure = measure, .value = product, .words = token});
    }
    record.summary = std::to_string(weighed.copying.size()) + " heads.";
    return record;
}

AnalysisRecord compareRecord(const QuestionState& state, const Subject& other, std::span<const Question> questions,
                             const engine::HeadChanges& changes)
{
    AnalysisRecord record =
        analysisOf("compare", state, compareQuestion(state, other, questions),
                   questions.empty() ? "weights" : sourceOf(questions.front().source, questions.size(), "prompts"));
    for (const engine::HeadChange& head : changes.heads) {
        for (const auto& [measure, value] : {std::pair("ov", head.ov), {"qk", head.qk}})
            if (value)
                record.values.push_back({.part = head.head, .measure = measure, .value = *value});
        if (head.pattern)
            record.values.push_back(valueOf(head.head, "pattern", *head.pattern));
        if (head.effect) {
            record.values.push_back(valueOf(head.head, "effect", *head.effect));
            record.values.push_back({.part = head.head, .measure = "p", .value = head.p});
        }
    }
    record.values.push_back({.part = "other", .measure = "model", .value = kNaN, .words = other.model.name});
    for (const std::string& sentence : changes.undefined)
        record.values.push_back({.part = "undefined", .measure = "note", .value = kNaN, .words = sentence});
    record.summary = "Against " + other.model.name + ". "
                     + largest(record, changes.answered > 0  ? "effect"
                                       : changes.prompts > 0 ? "pattern"
                                                             : "ov");
    return record;
}

AnalysisRecord seriesRecord(const QuestionState& state, std::span<const Checkpoint> checkpoints,
                            const std::string& what, const std::string& head, std::span<const SeriesPoint> points)
{
    const auto step = [&](std::size_t i) { return std::to_string(checkpoints[i].step); };
    const std::size_t last = points.size() - 1;
    AnalysisRecord record =
        analysisOf("series", state, seriesQuestion(state, checkpoints, what, head),
                   std::to_string(points.size()) + " checkpoints, steps " + step(0) + " to " + step(last));
    for (std::size_t i = 0; i < points.size(); ++i) {
        const SeriesPoint& point = points[i];
        record.values.push_back({.part = "value",
                                 .receiver = point.head,
                                 .measure = "series",
                                 .value = point.value,
                                 .low = point.interval ? point.interval->low : kNaN,
                                 .high = point.interval ? point.interval->high : kNaN,
                                 .words = step(i)});
        for (const auto& [name, value] : point.heads)
            record.values.push_back({.part = name, .measure = "head", .value = value, .words = step(i)});
    }
    const auto pointText = [&](std::size_t i) {
        return signedText(points[i].value) + " at step " + step(i)
               + (points[i].head.empty() ? "" : " (" + points[i].head + ")");
    };
    record.summary = what + ": " + pointText(0) + ", " + pointText(last) + ".";
    return record;
}

AnalysisRecord probeRecord(const QuestionState& state, const ProbedOn& on, std::span<const why::HeadProbe> heads)
{
    AnalysisRecord record = analysisOf("probe", state, probeQuestion(state, on), "random tokens, twice");
    for (const why::HeadProbe& head : heads)
        for (const std::string& method : on.methods)
            record.values.push_back({.part = why::headName(state.spec, head.layer, head.site, head.head),
                                     .measure = method,
                                     .value = why::scoreOf(head, method)});
    record.summary = std::to_string(heads.size()) + " heads.";
    return record;
}

} // namespace headscope::app

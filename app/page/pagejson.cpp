// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/page/pagepieces.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace headscope::page {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value)
{
    return std::isfinite(value) ? Json(value) : Json();
}

Json number(const std::optional<double>& value)
{
    return value ? number(*value) : Json();
}

template <typename T, typename Write> Json list(const std::vector<T>& values, const Write& write)
{
    Json array = Json::array();
    for (const T& value : values)
        array.push_back(write(value));
    return array;
}

Json modelJson(const Model& model)
{
    const auto layer = [](const std::vector<Head>& heads) {
        return list(heads, [](const Head& head) { return Json{{"name", head.name}, {"kind", head.kind}}; });
    };
    return {{"name", model.name},   {"hash", model.hash},     {"family", model.family},
            {"dtype", model.dtype}, {"device", model.device}, {"parameters", model.parameters},
            {"roles", model.roles}, {"labels", model.labels}, {"layers", list(model.layers, layer)}};
}

Json sampleJson(const Sample& sample)
{
    const auto piece = [](const sessions::PatternSegment& one) {
        return Json{{"role", name(one.role)}, {"begin", one.begin}, {"end", one.end}, {"target", one.target}};
    };
    return {{"source", sample.source}, {"task", sample.task},     {"gold", sample.gold},
            {"prompt", sample.prompt}, {"tokens", sample.tokens}, {"pieces", list(sample.segments, piece)}};
}

Json patternJson(const Pattern& pattern)
{
    return {{"model", pattern.model},
            {"sample", pattern.sample},
            {"head", pattern.head},
            {"ablation", pattern.ablation},
            {"meaning", pattern.meaning},
            {"signed", pattern.isSigned},
            {"rows", pattern.rows},
            {"cols", pattern.cols},
            {"error", number(pattern.maxError)},
            {"effective", number(pattern.effectiveTokens)},
            {"sink", number(pattern.sink)},
            {"target", number(pattern.target)}};
}

Json flipJson(const Flip& flip)
{
    return {{"example", flip.example},
            {"gained", flip.gained},
            {"before", flip.before},
            {"now", flip.now},
            {"p", {number(flip.goldBefore), number(flip.goldNow)}}};
}

Json changeJson(const Change& change)
{
    return {{"delta", number(change.delta)},
            {"interval", {number(change.interval.low), number(change.interval.high)}},
            {"p", number(change.p)},
            {"holm", number(change.holm)},
            {"baseline", number(change.baseline)},
            {"n", change.n},
            {"lost", change.lost},
            {"gained", change.gained}};
}

Json scoreJson(const Score& score)
{
    return {{"task", score.task},
            {"n", score.n},
            {"value", number(score.value)},
            {"interval", {number(score.interval.low), number(score.interval.high)}},
            {"dtype", score.dtype},
            {"device", score.device},
            {"change", score.change ? changeJson(*score.change) : Json()},
            {"flips", list(score.flips, flipJson)}};
}

Json answerJson(const Answer& answer)
{
    return {{"sample", answer.sample},
            {"token", answer.token},
            {"p", number(answer.probability)},
            {"gold", number(answer.gold)},
            {"correct", answer.correct ? Json(*answer.correct) : Json()}};
}

Json stateJson(const State& state)
{
    return {{"model", state.model},
            {"ablation", state.ablation},
            {"words", state.ablation},
            {"heads", state.heads},
            {"name", state.name},
            {"note", state.note},
            {"scores", list(state.scores, scoreJson)},
            {"answers", list(state.answers, answerJson)}};
}

Json rankingJson(const Ranking& ranking)
{
    const auto& measuring = sessions::kMeasuringMethods;
    const bool measured = std::ranges::find(measuring, ranking.method) != measuring.end();
    const auto head = [measured](const sessions::RankedHead& one) {
        return Json{{"head", one.head},
                    {"value", number(one.value)},
                    {"delta", measured ? number(one.delta) : Json()},
                    {"interval", {number(one.low), number(one.high)}}};
    };
    return {{"model", ranking.model},       {"task", ranking.task}, {"method", ranking.method},
            {"ablation", ranking.ablation}, {"n", ranking.n},       {"heads", list(ranking.heads, head)}};
}

/// A value is a row, as there may be many thousands: part, receiver, position, measure, value, interval, words.
Json valueJson(const sessions::AnalysisValue& value)
{
    return Json::array({value.part, value.receiver, value.position, value.measure, number(value.value),
                        number(value.low), number(value.high), value.words});
}

Json analysisJson(const Analysis& analysis)
{
    return {{"model", analysis.model},
            {"kind", analysis.kind},
            {"ablation", analysis.ablation},
            {"source", analysis.source},
            {"summary", analysis.summary},
            {"stored", analysis.stored},
            {"values", list(analysis.values, valueJson)}};
}

Json sceneJson(const Scene& scene)
{
    const auto both = [](const std::string(&sides)[2]) { return Json::array({sides[0], sides[1]}); };
    return {{"sample", scene.sample},
            {"heads", both(scene.heads)},
            {"off", both(scene.off)},
            {"reveal", scene.reveals ? both(scene.revealOff) : Json()}};
}

Json conditionJson(const Condition& condition)
{
    return {{"kind", condition.kind},         {"task", condition.task},
            {"side", condition.side},         {"low", number(condition.low)},
            {"high", number(condition.high)}, {"layer", condition.layer ? Json(*condition.layer) : Json()}};
}

Json stepJson(const Step& step)
{
    return {{"title", step.title},
            {"text", step.text},
            {"question", step.question},
            {"choices", step.choices},
            {"why", step.why},
            {"right", step.right},
            {"write", step.write},
            {"explanation", step.explanation},
            {"cover", step.cover},
            {"conditions", list(step.conditions, conditionJson)},
            {"scene", sceneJson(step.scene)}};
}

Json storyJson(const Story& story)
{
    return {{"id", story.id},
            {"title", story.title},
            {"summary", story.summary},
            {"models", story.models},
            {"steps", list(story.steps, stepJson)}};
}

void append(const std::vector<float>& values, std::string& bytes)
{
    for (const float value : values) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (int shift = 0; shift < 32; shift += 8)
            bytes.push_back(static_cast<char>(static_cast<unsigned char>((bits >> shift) & 0xFFU)));
    }
}

} // namespace

Encoded encode(const Data& data)
{
    const Json json = {{"title", data.title},
                       {"version", data.version},
                       {"exam", data.exam},
                       {"models", list(data.models, modelJson)},
                       {"samples", list(data.samples, sampleJson)},
                       {"patterns", list(data.patterns, patternJson)},
                       {"tasks", list(data.tasks,
                                      [](const Task& task) {
                                          return Json{{"name", task.name}, {"kind", task.kind}, {"pairs", task.pairs}};
                                      })},
                       {"examples", list(data.examples,
                                         [](const Example& example) {
                                             return Json{{"task", example.task},
                                                         {"row", example.row},
                                                         {"prompt", example.prompt},
                                                         {"gold", example.gold}};
                                         })},
                       {"states", list(data.states, stateJson)},
                       {"rankings", list(data.rankings, rankingJson)},
                       {"analyses", list(data.analyses, analysisJson)},
                       {"stories", {{"en", list(data.stories, storyJson)}, {"de", list(data.german, storyJson)}}},
                       {"leftOut", list(data.leftOut, [](const LeftOut& left) {
                            return Json{{"text", left.text}, {"parts", left.parts}};
                        })}};
    // Names in a session may be any bytes.
    Encoded encoded{.json = json.dump(-1, ' ', false, Json::error_handler_t::replace), .maps = {}};
    for (const Pattern& pattern : data.patterns) {
        append(pattern.scales, encoded.maps);
        append(pattern.lastRow, encoded.maps);
    }
    for (const Pattern& pattern : data.patterns)
        encoded.maps += pattern.cells;
    return encoded;
}

} // namespace headscope::page

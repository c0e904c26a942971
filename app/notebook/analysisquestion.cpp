// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/notebook/analysisquestion.h"

#include "app/notebook/outsideinputs.h"
#include "core/engine/replacements.h"
#include "core/why/names.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace headscope::app {

using engine::PromptPair;
using engine::Question;
using nlohmann::json;

namespace {

constexpr int kQuestionVersion = 1;         // of how analyses measure; raised, none is taken for an earlier one
constexpr std::size_t kMostTokens = 4096;   // of all prompts that are written as ids; of more their hash
constexpr std::size_t kLongestText = 16384; // bytes of a prompt's text, which is for people

/// The rest is added to it.
json questionOf(const QuestionState& state)
{
    json question = {{"version", kQuestionVersion}, {"tokenizer", state.subject.tokenizer.hash}};
    if (const std::string outside = outsideInputs(state.subject, state.set); !outside.empty())
        question["inputs"] = outside;
    if (engine::dependsOnAllExamples(state.set))
        question["means"] = "of each text"; // earlier versions mixed the texts of a batch
    return question;
}

std::string written(const json& question)
{
    return question.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string textOf(const QuestionState& state, std::span<const int> ids)
{
    std::string text;
    for (const int id : ids) {
        text += engine::tokenText(state.tokenizer, id);
        if (text.size() > kLongestText)
            return text + " ...";
    }
    return text;
}

json idOrNull(const std::optional<int>& id)
{
    return id ? json(*id) : json();
}

/// As ids where they are few, else as the hash of the ids.
void setPrompts(json& question, const json& prompts, std::size_t tokens)
{
    question["n"] = prompts.size();
    question["prompts"] = tokens <= kMostTokens ? prompts : json(sha256Hex(prompts.dump()));
}

void addPrompts(json& question, const QuestionState& state, std::span<const Question> asked)
{
    json prompts = json::array();
    std::size_t tokens = 0;
    for (const Question& one : asked) {
        prompts.push_back({{"ids", one.ids}, {"answer", idOrNull(one.answer)}, {"wrong", one.wrong}});
        tokens += one.ids.size();
    }
    setPrompts(question, prompts, tokens);
    question["prompt"] = textOf(state, asked.front().ids);
}

/// The tokens that the metric of a single prompt compares; of several each has its own.
void addMetric(json& question, const QuestionState& state, std::size_t prompts, const why::Metric& metric)
{
    if (prompts != 1)
        return;
    question["answer"] = engine::tokenText(state.tokenizer, metric.answer);
    question["distractor"] = engine::tokenText(state.tokenizer, metric.distractor);
}

json questionOf(const QuestionState& state, std::span<const PromptPair> pairs, const engine::OverPairs& over)
{
    json question = questionOf(state), prompts = json::array();
    std::size_t tokens = 0;
    pairs = pairs.first(std::min(pairs.size(), over.metrics.size())); // stopped, there are fewer
    for (const PromptPair& pair : pairs) {
        prompts.push_back({{"clean", pair.clean},
                           {"corrupt", pair.corrupt},
                           {"answer", idOrNull(pair.answer)},
                           {"distractor", idOrNull(pair.distractor)}});
        tokens += pair.clean.size() + pair.corrupt.size();
    }
    setPrompts(question, prompts, tokens);
    question["prompt"] = textOf(state, pairs.front().clean);
    question["other"] = textOf(state, pairs.front().corrupt);
    question["direction"] = over.direction == engine::PatchDirection::Noise ? "noise" : "denoise";
    addMetric(question, state, pairs.size(), over.metrics.front());
    return question;
}

json listOf(std::span<const analysis::TokenSegment> segments)
{
    json list = json::array();
    for (const auto& [begin, end, target] : segments)
        list.push_back({begin, end, target});
    return list;
}

json spanOf(const interventions::PositionSpan& span)
{
    return {span.first, span.last};
}

} // namespace

std::string lensQuestion(const QuestionState& state, const LensedPrompt& prompt)
{
    json question = questionOf(state);
    Question followed = prompt.question; // nothing is compared, so what would be wrong does not count
    followed.wrong.clear();
    addPrompts(question, state, {&followed, 1});
    question["positions"] = {prompt.first, prompt.last};
    if (!prompt.fitted.empty())
        question["lens"] = prompt.fitted;
    return written(question);
}

std::string attributionQuestion(const QuestionState& state, std::span<const Question> questions,
                                const why::Metric& metric)
{
    json question = questionOf(state);
    addPrompts(question, state, questions);
    addMetric(question, state, questions.size(), metric);
    return written(question);
}

std::string patchQuestion(const QuestionState& state, std::span<const PromptPair> pairs, const engine::OverPairs& over,
                          const engine::PatchRequest& asked)
{
    json question = questionOf(state, pairs, over);
    question["what"] = engine::name(asked.what);
    question["positions"] = engine::name(asked.where);
    question["layer"] = asked.layer < 0 ? json(kAllHeads) : json(asked.layer);
    return written(question);
}

std::string edgesQuestion(const QuestionState& state, std::span<const PromptPair> pairs, const engine::OverPairs& over,
                          const TracedEdges& traced)
{
    json question = questionOf(state, pairs, over);
    for (const auto& [end, name] : {std::pair("receiver", &traced.receiver), std::pair("sender", &traced.sender)})
        question[end] = name->empty() ? json() : json(*name);
    std::string part = traced.receiver.empty() ? traced.sender : traced.receiver; // without its door, for figures
    if (!part.ends_with(".mlp"))
        part.resize(std::min(part.size(), part.find('.')));
    question["part"] = part;
    return written(question);
}

std::string knockoutQuestion(const QuestionState& state, const Question& asked, const why::Metric& metric,
                             const why::KnockoutSweep& sweep)
{
    json question = questionOf(state);
    addPrompts(question, state, {&asked, 1});
    addMetric(question, state, 1, metric);
    question["queries"] = spanOf(sweep.queries);
    question["keys"] = spanOf(sweep.keys);
    question["softmax"] = sweep.beforeSoftmax ? "before" : "after";
    question["width"] = sweep.width;
    return written(question);
}

std::string scoreQuestion(const QuestionState& state, const Question& question, const why::AttentionScoreRequest& asked)
{
    json all = questionOf(state);
    Question read = question; // nothing is answered
    read.answer.reset();
    read.wrong.clear();
    addPrompts(all, state, {&read, 1});
    all["head"] = why::headName(state.spec, asked.where.first, asked.where.second, asked.head);
    all["query"] = asked.query;
    all["key"] = asked.key;
    all["centred"] = asked.centred;
    return written(all);
}

std::string weightsQuestion(const QuestionState& state, const WeighedHeads& heads)
{
    json question = questionOf(state);
    question["copying"] = heads.copying;
    question["composition"] = heads.composed;
    question["directions"] = heads.directions;
    return written(question);
}

std::string compareQuestion(const QuestionState& state, const Subject& other, std::span<const Question> questions)
{
    json question = questionOf(state);
    question["other model"] = {{"hash", other.model.hash}, {"dtype", other.dtype}};
    std::vector<Question> answered(questions.begin(), questions.end());
    for (Question& one : answered) // whole models are compared by the answer alone
        one.wrong.clear();
    if (!answered.empty())
        addPrompts(question, state, answered);
    return written(question);
}

std::string seriesQuestion(const QuestionState& state, std::span<const Checkpoint> checkpoints, const std::string& what,
                           const std::string& head)
{
    json question = questionOf(state);
    question["what"] = what;
    question["head"] = head;
    for (const Checkpoint& one : checkpoints)
        question["checkpoints"].push_back({one.step, one.work});
    return written(question);
}

std::string probeQuestion(const QuestionState& state, const ProbedOn& on)
{
    json question = questionOf(state), sequences = json::array(), rows = json::array();
    for (const std::vector<int>& ids : on.sequences)
        sequences.push_back(ids);
    for (const why::RetrievalRow& row : on.rows)
        rows.push_back({row.ids, row.answerBegin, listOf(row.segments)});
    question["tokens"] = sha256Hex(sequences.dump());
    question["sequences"] = on.sequences.size();
    question["repeat"] = (on.sequences.front().size() - 1) / 2;
    question["seed"] = on.seed;
    question["rows"] = on.rows.size();
    question["task"] = on.rows.empty() ? std::string() : on.task;
    if (!on.rows.empty())
        question["retrieval"] = sha256Hex(rows.dump());
    std::vector<std::string> methods = on.methods;
    std::ranges::sort(methods);
    question["methods"] = methods;
    return written(question);
}

std::string rankingQuestion(const QuestionState& state, const engine::Benchmark& benchmark, const std::string& how)
{
    json question = questionOf(state); // its inputs are those of a series: start token and log-softmax too
    question["inputs"] = seriesOf(state.subject, benchmark, benchmark.set().leaves.front(), state.set).inputs;
    question["n"] = benchmark.hashes().size();
    question["rows"] = rowsHash(state.subject, benchmark, state.set);
    question["how"] = json::parse(how, nullptr, false);
    return written(question);
}

std::string workKey(const QuestionState& state, const std::string& kind, const std::string& question)
{
    Sha256 hash;
    hash.add(kind);
    for (const std::string& field : {state.subject.model.hash, state.subject.tokenizer.hash, state.subject.dtype,
                                     state.subject.device, state.set.canonical(), question})
        hash.add('\n' + field);
    return hash.hex();
}

std::string exactRankingKey(const QuestionState& state, const engine::Benchmark& benchmark)
{
    return workKey(state, "exact ranking 1", rankingQuestion(state, benchmark));
}

std::string promptScoresQuestion(const QuestionState& state, const std::vector<int>& ids,
                                 const std::vector<int>& withAnswer, std::span<const analysis::TokenSegment> segments)
{
    json question = questionOf(state);
    setPrompts(question, json::array({{{"ids", ids}, {"with_answer", withAnswer}, {"segments", listOf(segments)}}}),
               ids.size() + withAnswer.size());
    question["prompt"] = textOf(state, ids);
    return written(question);
}

std::string patternInputs(const QuestionState& state, const std::vector<int>& ids)
{
    json question = questionOf(state);
    question["device"] = state.subject.device;
    question["ids"] = ids;
    return sha256Hex(written(question));
}

} // namespace headscope::app

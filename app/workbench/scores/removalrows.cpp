// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/scores/removalrows.h"

#include "app/notebook/outsideinputs.h"
#include "core/base/words/counted.h"
#include "sessions/sessionstore.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <map>

namespace headscope::app {

namespace {

using nlohmann::json;
using sessions::AnalysisRecord;
using sessions::AnalysisValue;

constexpr const char* kKind = "removal";
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kMostCounted = 9e15; // whole numbers that a double holds

// Measures of a row.
constexpr const char* kCost = "cost";         // of a task: what is lost, with its interval
constexpr const char* kOdds = "odds";         // and in log odds
constexpr const char* kExamples = "examples"; // of how many
constexpr const char* kScore = "score";       // right with the head in place
constexpr const char* kRise = "loss rise";    // of a group of tokens, nats a token, with its interval
constexpr const char* kBefore = "loss";       // with the head in place
constexpr const char* kTokens = "tokens";     // of how many
constexpr const char* kToken = "token";       // one whose loss rises most
constexpr const char* kOver = "tokens read";  // of no head

RemovalRows rowsOf(const OpenModel& open, const interventions::InterventionSet& ablation, json question)
{
    question["tokenizer"] = open.subject.tokenizer.hash;
    if (const std::string outside = outsideInputs(open.subject, ablation); !outside.empty())
        question["inputs"] = outside;
    return {.task = {},
            .source = {},
            .key = {.modelHash = open.subject.model.hash,
                    .kind = kKind,
                    .dtype = open.subject.dtype,
                    .device = open.subject.device,
                    .ablation = ablation.canonical(),
                    .questionJson = question.dump(-1, ' ', false, json::error_handler_t::replace)}};
}

void addCost(std::vector<AnalysisValue>& values, const std::string& head, const HeadCost& cost)
{
    values.push_back({.part = head,
                      .measure = kCost,
                      .value = cost.loss,
                      .low = cost.interval.low,
                      .high = cost.interval.high,
                      .words = cost.task});
    values.push_back({.part = head, .measure = kOdds, .value = cost.odds, .words = cost.task});
    values.push_back({.part = head, .measure = kExamples, .value = double(cost.n), .words = cost.task});
    if (cost.before)
        values.push_back({.part = head, .measure = kScore, .value = *cost.before, .words = cost.task});
}

void addLoss(std::vector<AnalysisValue>& values, const HeadFacts& head)
{
    for (const GroupLoss& group : head.losses) {
        values.push_back({.part = head.head,
                          .measure = kRise,
                          .value = group.change,
                          .low = group.interval ? group.interval->low : kNone,
                          .high = group.interval ? group.interval->high : kNone,
                          .words = group.tokens});
        values.push_back({.part = head.head, .measure = kBefore, .value = group.before, .words = group.tokens});
        values.push_back({.part = head.head, .measure = kTokens, .value = double(group.n), .words = group.tokens});
    }
    for (const LossRise& rise : head.rises) {
        json words = rise.before;
        words.push_back(rise.token);
        values.push_back({.part = head.head,
                          .receiver = rise.source,
                          .position = rise.position,
                          .measure = kToken,
                          .value = rise.rise,
                          .words = words.dump(-1, ' ', false, json::error_handler_t::replace)});
    }
}

// Whole numbers of a file of unknown origin.
std::int64_t wholeNumber(double value)
{
    return value >= 0 && value <= kMostCounted ? static_cast<std::int64_t>(value) : 0;
}

template <typename T> T& entryOf(std::vector<T>& list, std::string T::*name, const std::string& wanted)
{
    const auto found = std::ranges::find(list, wanted, name);
    if (found != list.end())
        return *found;
    list.emplace_back().*name = wanted;
    return list.back();
}

std::optional<LossRise> riseOf(const AnalysisValue& value)
{
    const json words = json::parse(value.words, nullptr, false);
    if (!words.is_array() || words.empty() || !std::ranges::all_of(words, [](const json& w) { return w.is_string(); }))
        return std::nullopt;
    LossRise rise{value.value, value.receiver, value.position, {}, words.get<std::vector<std::string>>()};
    rise.token = std::move(rise.before.back());
    rise.before.pop_back();
    return rise;
}

void take(const AnalysisValue& value, HeadFacts& head)
{
    const std::string& measure = value.measure;
    if (measure == kCost) {
        HeadCost& cost = entryOf(head.costs, &HeadCost::task, value.words);
        cost.loss = value.value;
        cost.interval = {value.low, value.high};
    } else if (measure == kOdds) {
        entryOf(head.costs, &HeadCost::task, value.words).odds = value.value;
    } else if (measure == kExamples) {
        const auto n = std::min<std::int64_t>(wholeNumber(value.value), std::numeric_limits<int>::max());
        entryOf(head.costs, &HeadCost::task, value.words).n = static_cast<int>(n);
    } else if (measure == kScore) {
        entryOf(head.costs, &HeadCost::task, value.words).before = value.value;
    } else if (measure == kRise) {
        GroupLoss& group = entryOf(head.losses, &GroupLoss::tokens, value.words);
        group.change = value.value;
        if (std::isfinite(value.low) && std::isfinite(value.high))
            group.interval = analysis::Interval{value.low, value.high};
    } else if (measure == kBefore) {
        entryOf(head.losses, &GroupLoss::tokens, value.words).before = value.value;
    } else if (measure == kTokens) {
        entryOf(head.losses, &GroupLoss::tokens, value.words).n = wholeNumber(value.value);
    } else if (measure == kToken) {
        if (auto rise = riseOf(value))
            head.rises.push_back(std::move(*rise));
    }
}

void forget(const std::string& task, HeadFacts& head)
{
    if (!task.empty()) {
        std::erase_if(head.costs, [&task](const HeadCost& cost) { return cost.task == task; });
        return;
    }
    head.losses.clear();
    head.rises.clear();
}

void take(const AnalysisRecord& record, const std::string& task, FactSheet& facts)
{
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < facts.heads.size(); ++i) {
        places.emplace(facts.heads[i].head, i);
        forget(task, facts.heads[i]);
    }
    for (const AnalysisValue& value : record.values) {
        if (value.measure == kOver) {
            facts.lossOver = wholeNumber(value.value);
            continue;
        }
        const auto [place, fresh] = places.try_emplace(value.part, facts.heads.size());
        if (fresh)
            facts.heads.push_back({.head = value.part});
        take(value, facts.heads[place->second]);
    }
}

// The benchmark of stored rows; empty: next tokens. Nothing where another tokenizer read them, or the ablation read
// something else.
std::optional<std::string> taskOf(const std::string& questionJson, const json& asked)
{
    const json question = json::parse(questionJson, nullptr, false);
    if (!question.is_object() || question.value("tokenizer", json()) != asked["tokenizer"]
        || question.value("inputs", json()) != asked.value("inputs", json()))
        return std::nullopt;
    if (!question.contains("task"))
        return std::string();
    return question["task"].is_string() ? std::optional(question["task"].get<std::string>()) : std::nullopt;
}

std::string summaryOf(const RemovalRows& rows, std::size_t heads)
{
    return "What removing each of " + counted(heads, "head") + " costs on " + rows.source + ".";
}

} // namespace

RemovalRows removalRows(const OpenModel& open, const interventions::InterventionSet& ablation, const std::string& task,
                        const engine::Benchmark& benchmark)
{
    RemovalRows rows =
        rowsOf(open, ablation, {{"task", task}, {"examples", rowsHash(open.subject, benchmark, ablation)}});
    rows.task = task;
    rows.source = task + ", " + std::to_string(benchmark.hashes().size()) + " examples";
    return rows;
}

RemovalRows removalRows(const OpenModel& open, const SurveyRequest& request, const std::string& texts,
                        const std::string& source, std::optional<int> start)
{
    RemovalRows rows = rowsOf(open, request.ablation,
                              {{"texts", texts},
                               {"window", request.window},
                               {"tokens", request.tokens},
                               {"seed", request.seed},
                               {"top", request.places.top},
                               {"start", start ? json(*start) : json(nullptr)}});
    rows.source = "next tokens of " + source;
    return rows;
}

Result<void> keepRemovals(sessions::SessionStore& session, const OpenModel& open, const RemovalRows& rows,
                          const FactSheet& facts)
{
    if (session.readOnly())
        return {};
    AnalysisRecord record{.key = rows.key, .source = rows.source, .summary = {}, .created = {}, .values = {}};
    if (rows.task.empty())
        record.values.push_back({.measure = kOver, .value = double(facts.lossOver)});
    std::size_t heads = 0;
    for (const HeadFacts& head : facts.heads) {
        const std::size_t before = record.values.size();
        if (rows.task.empty())
            addLoss(record.values, head);
        else if (const auto cost = std::ranges::find(head.costs, rows.task, &HeadCost::task); cost != head.costs.end())
            addCost(record.values, head.head, *cost);
        heads += record.values.size() > before;
    }
    if (heads == 0)
        return {};
    record.summary = summaryOf(rows, heads);
    for (const auto& stored : {session.putTokenizer(open.subject.tokenizer), session.putModel(open.subject.model)})
        if (!stored.has_value())
            return stored;
    return sessions::putAnalysis(session, record);
}

Result<void> takeRemovals(sessions::SessionStore& session, const RemovalRows& rows, FactSheet& facts)
{
    const auto stored = sessions::storedAnalysis(session, rows.key);
    if (!stored.has_value())
        return stored.error();
    take(stored->value_or(AnalysisRecord()), rows.task, facts);
    return {};
}

Result<void> takeAllRemovals(sessions::SessionStore& session, const RemovalRows& nextTokens, FactSheet& facts)
{
    const auto all = sessions::analyses(session);
    if (!all.has_value())
        return all.error();
    const json asked = json::parse(nextTokens.key.questionJson);
    for (const AnalysisRecord& record : *all) { // the newest of a benchmark comes last
        sessions::AnalysisKey key = record.key;
        key.questionJson = nextTokens.key.questionJson;
        if (!(key == nextTokens.key))
            continue; // another model, or another state of it
        const auto task = taskOf(record.key.questionJson, asked);
        if (!task || (task->empty() && !(record.key == nextTokens.key)))
            continue;
        const auto whole = sessions::storedAnalysis(session, record.key);
        if (!whole.has_value())
            return whole.error();
        if (*whole)
            take(**whole, *task, facts);
    }
    return {};
}

} // namespace headscope::app

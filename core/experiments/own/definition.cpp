// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/own/definition.h"

#include "core/experiments/battery.h"
#include "core/io/textfiles/jsonkeys.h"
#include "core/io/textfiles/quote.h"
#include "core/io/textfiles/strictjson.h"
#include "core/tasks/registry.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace headscope::experiments {

using io::inQuotes;
using io::JsonKeys;
using nlohmann::json;

namespace {

constexpr int kVersion = 1;
constexpr int kMostExamples = 100'000;
constexpr int kMostStudyHeads = 10'000;
constexpr std::size_t kMostConditions = 64;
constexpr std::size_t kMostBytes = 1'000'000;

constexpr std::array<std::pair<std::string_view, Expectation::Change>, 4> kChanges = {
    {{"collapses", Expectation::Change::Collapses},
     {"falls", Expectation::Change::Falls},
     {"rises", Expectation::Change::Rises},
     {"keeps", Expectation::Change::Keeps}}};

bool has(const std::vector<std::string>& all, const std::string& one)
{
    return std::find(all.begin(), all.end(), one) != all.end();
}

bool isId(const std::string& text)
{
    return !text.empty() && text.size() <= 60
           && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

/// A task by its name, without its settings, or a file of one's own.
bool isTask(const std::string& name)
{
    const std::string base = name.substr(0, name.find(':'));
    const auto known = tasks::listTasks();
    return base.ends_with(".json")
           || std::any_of(known.begin(), known.end(), [&](const tasks::TaskInfo& info) { return info.name == base; });
}

HeadChoice countedHeads(JsonKeys& condition, const json& entry)
{
    HeadChoice choice;
    JsonKeys keys(entry, "A choice of heads");
    const int first = keys.integer("first", 0, 1, kMostStudyHeads),
              random = keys.integer("random", 0, 1, kMostStudyHeads);
    if (const auto wrong = keys.finish())
        condition.fail(wrong->message);
    else if ((first > 0) == (random > 0))
        condition.fail("A choice of heads counts nothing; expected {\"first\": 3} or {\"random\": 3}.");
    choice.kind = first > 0 ? HeadChoice::Kind::First : HeadChoice::Kind::Random;
    choice.count = first > 0 ? first : random;
    return choice;
}

HeadChoice namedHead(JsonKeys& condition, const std::string& name)
{
    if (name == "gather")
        return {.kind = HeadChoice::Kind::Gather};
    if (name == "aggregate")
        return {.kind = HeadChoice::Kind::Aggregate};
    const auto head = interventions::parseHead(name);
    if (!head.has_value()) {
        condition.fail("There is no head " + inQuotes(name)
                       + "; expected gather, aggregate, a head such as L2H5, {\"first\": 3} or {\"random\": 3}.");
        return {};
    }
    return {.head = *head};
}

std::vector<HeadChoice> definitionHeads(JsonKeys& keys, const char* key)
{
    std::vector<HeadChoice> heads;
    const json* entries = keys.find(key, false);
    if (entries && !entries->is_array())
        keys.fail(std::string("The key '") + key + "' is not a list of heads.");
    for (const json& entry : entries && entries->is_array() ? *entries : json::array())
        heads.push_back(entry.is_string() ? namedHead(keys, entry.get<std::string>()) : countedHeads(keys, entry));
    return heads;
}

void readSaved(JsonKeys& keys, Condition& condition)
{
    if (!keys.find("keep", false))
        return;
    condition.kept = definitionHeads(keys, "keep");
    for (const HeadChoice& choice : *condition.kept)
        if (choice.kind != HeadChoice::Kind::Gather && choice.kind != HeadChoice::Kind::Aggregate)
            keys.fail("Of the gather and the aggregate head's layers only these two heads can be kept; expected "
                      "\"gather\" and \"aggregate\" in 'keep'.");
}

/// {"label": "Llama-3.1-8B, both kept", "mmlu": 66.32}, in percent.
std::optional<PaperRow> paperOf(JsonKeys& condition, const std::vector<std::string>& benchmarks)
{
    const json* told = condition.find("paper", false);
    if (!told)
        return {};
    JsonKeys keys(*told, "The paper's numbers");
    const std::string label = keys.text("label", {}, true);
    std::vector<std::string> measured;
    std::vector<double> numbers;
    for (const std::string& benchmark : benchmarks)
        if (const json* value = keys.find(benchmark.c_str(), false)) {
            if (!value->is_number())
                keys.fail("The key " + inQuotes(benchmark) + " is not a number.");
            measured.push_back(benchmark);
            numbers.push_back(value->is_number() ? value->get<double>() : 0);
        }
    if (const auto wrong = keys.finish())
        condition.fail(wrong->message);
    return paperRow(label, measured, numbers);
}

Result<Condition> conditionOf(const json& entry, Definition& study)
{
    JsonKeys keys(entry, "Condition " + std::to_string(study.conditions.size() + 1));
    Condition condition{.name = keys.text("name", {}, true), .removed = definitionHeads(keys, "remove")};
    readSaved(keys, condition);
    auto set = interventions::InterventionSet::parse(keys.text("ablate"));
    if (set.has_value())
        condition.ablated = std::move(*set);
    else
        keys.fail(set.error().message);
    condition.control = keys.flag("control");
    const std::string each = keys.text("each");
    condition.eachLayer = each == "layer";
    if (!each.empty() && !condition.eachLayer)
        keys.fail("The key 'each' is " + inQuotes(each) + "; expected layer.");
    if (condition.eachLayer != (condition.name.find('%') != std::string::npos))
        keys.fail("The name of a condition for each layer, and no other, has a % where the layer stands.");
    if (condition.eachLayer && condition.control)
        keys.fail("A condition for each layer cannot be a control.");
    if (condition.name.empty())
        keys.fail("The name is empty.");
    for (const Condition& other : study.conditions)
        if (other.name == condition.name)
            keys.fail("There are two conditions " + inQuotes(condition.name) + ".");
    if (auto paper = paperOf(keys, study.benchmarks)) {
        condition.paper = static_cast<int>(study.paper.size());
        study.paper.push_back(std::move(*paper));
    }
    if (const auto wrong = keys.finish())
        return *wrong;
    return condition;
}

Result<Expectation> expectationOf(const json& entry, const std::vector<std::string>& benchmarks)
{
    JsonKeys keys(entry, "What is expected");
    Expectation expected;
    const std::string change = keys.text("change", {}, true), where = keys.text("in", "every");
    const auto found =
        std::find_if(kChanges.begin(), kChanges.end(), [&](const auto& known) { return known.first == change; });
    if (found == kChanges.end())
        keys.fail("The change is " + inQuotes(change) + "; expected collapses, falls, rises or keeps.");
    else
        expected.change = found->second;
    expected.where = where == "some" ? Expectation::Where::Some : Expectation::Where::Every;
    if (where != "some" && where != "every")
        keys.fail("The key 'in' is " + inQuotes(where) + "; expected every or some.");
    expected.benchmarks = keys.texts("of", true);
    expected.kept = keys.texts("keeps");
    if (expected.benchmarks.empty())
        keys.fail("The key 'of' names no benchmark.");
    for (const auto* list : {&expected.benchmarks, &expected.kept})
        for (const std::string& benchmark : *list)
            if (benchmark == "lambada" || !has(benchmarks, benchmark))
                keys.fail("The benchmark " + inQuotes(benchmark)
                          + " cannot be judged; expected one of the study's that has an accuracy.");
    if (const auto wrong = keys.finish())
        return *wrong;
    return expected;
}

void readTexts(JsonKeys& keys, Definition& study)
{
    if (keys.integer("headscope_study", 0, 0, 1'000'000) != kVersion)
        keys.fail("The key 'headscope_study' is not " + std::to_string(kVersion)
                  + ", which is the version that this program reads.");
    study.id = keys.text("id", {}, true);
    if (!isId(study.id))
        keys.fail("The id is " + inQuotes(study.id) + "; expected small letters, digits and dashes, at most 60.");
    study.number = keys.text("number");
    study.title = keys.text("title", {}, true);
    study.question = keys.text("question", {}, true);
    if (!study.question.ends_with('?'))
        keys.fail("The question does not end with a question mark.");
    study.claim = keys.text("claim");
    study.source = keys.text("source", "your own study");
    study.setting = keys.text("setting", {}, true);
    study.scaled = keys.text("scaled");
    study.assumed = keys.text("assumed");
    study.models = keys.texts("models");
    study.paperModels = keys.texts("paper_models");
    study.examples = keys.integer("examples", 0, 1, kMostExamples);
    study.minimal = keys.flag("minimal");
    study.benchmarks = keys.texts("benchmarks", true);
    if (study.benchmarks.empty())
        keys.fail("The key 'benchmarks' is empty; expected one benchmark or more.");
    for (std::size_t i = 0; i < study.benchmarks.size(); ++i) {
        const std::string& name = study.benchmarks[i];
        if (!isBatteryKey(name) && !isTask(name))
            keys.fail("There is no benchmark " + inQuotes(name)
                      + "; expected mmlu, knowledge, kv, lambada or a name from `headscope-cli tasks`.");
        if (std::find(study.benchmarks.begin(), study.benchmarks.begin() + static_cast<std::ptrdiff_t>(i), name)
            != study.benchmarks.begin() + static_cast<std::ptrdiff_t>(i))
            keys.fail("The benchmark " + inQuotes(name) + " occurs twice.");
    }
}

} // namespace

Result<Definition> readDefinition(std::string_view text)
{
    if (text.size() > kMostBytes)
        return inputError("The study has " + std::to_string(text.size()) + " bytes; expected at most "
                          + std::to_string(kMostBytes) + ".");
    const auto parsed = io::parseStrictJson(text);
    if (!parsed.has_value())
        return inputError("The study " + parsed.error().message + ".");
    Definition study;
    JsonKeys keys(*parsed, "The study");
    readTexts(keys, study);
    const json *conditions = keys.find("conditions", true), *expected = keys.find("expected", true);
    if (conditions && (!conditions->is_array() || conditions->size() < 2 || conditions->size() > kMostConditions))
        keys.fail("The key 'conditions' is not a list of 2 to " + std::to_string(kMostConditions) + " conditions.");
    if (const auto wrong = keys.finish())
        return *wrong;
    for (const json& entry : *conditions) {
        auto condition = conditionOf(entry, study);
        if (!condition.has_value())
            return condition.error();
        study.conditions.push_back(std::move(*condition));
    }
    if (study.conditions.front().control || study.conditions.front().eachLayer)
        return inputError("The other conditions are compared with the first; "
                          "expected one state that is not a control.");
    auto expectation = expectationOf(*expected, study.benchmarks);
    if (!expectation.has_value())
        return expectation.error();
    study.expected = std::move(*expectation);
    study.json = parsed->dump();
    return study;
}

} // namespace headscope::experiments

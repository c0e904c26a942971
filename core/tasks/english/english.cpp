// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/english/english.h"

#include "core/base/hash.h"
#include "core/tasks/toy/toyvocabulary.h"

#include <algorithm>
#include <charconv>

namespace headscope::tasks {

namespace {

using Kind = EnglishTask::Kind;

constexpr int kEnglishLimit = 256;
constexpr int kMostPairs = 90;
constexpr int kInductionWords = 12;

struct KvName {
    std::string_view base;
    english::QueryForm form;
};
constexpr KvName kKvNames[] = {{"word_kv", english::QueryForm::Quoted},
                               {"word_kv_plain", english::QueryForm::Plain},
                               {"word_kv_short", english::QueryForm::Short}};

Error unknown(std::string_view name)
{
    return inputError("There is no task '" + std::string(name)
                      + "'; expected word_kv, word_kv_plain or word_kv_short (also with :pairs=1 to :pairs=90), "
                        "passage_mc, ioi, induction or facts.");
}

Result<EnglishTask> parseWordKv(std::string_view name, const KvName& base)
{
    EnglishTask task;
    task.form = base.form;
    constexpr std::string_view kPairs = ":pairs=";
    if (const std::string_view setting = name.substr(base.base.size()); !setting.empty()) {
        const std::string_view digits =
            setting.starts_with(kPairs) ? setting.substr(kPairs.size()) : std::string_view();
        const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), task.pairs);
        if (digits.empty() || problem != std::errc() || end != digits.data() + digits.size() || task.pairs < 1
            || task.pairs > kMostPairs)
            return unknown(name);
    }
    task.name = std::string(base.base) + std::string(kPairs) + std::to_string(task.pairs);
    return task;
}

// The first 8 bytes of a hash, so that tasks of one seed have nothing in common.
std::uint64_t englishSeed(const EnglishTask& task, std::uint64_t seed)
{
    return std::stoull(sha256Hex(task.name + " " + std::to_string(seed)).substr(0, 16), nullptr, 16);
}

// All facts in random order.
std::vector<int> factOrder(ToyRandom& random)
{
    return random.distinct(english::kFacts, english::kFacts);
}

english::Text makeText(const EnglishTask& task, ToyRandom& random, const english::Pools& pools)
{
    switch (task.kind) {
    case Kind::WordKv: return english::dictionaryText(random, pools, {.pairs = task.pairs, .form = task.form});
    case Kind::PassageMc: return english::passageText(random, pools, {});
    case Kind::IndirectObject: return english::indirectObjectText(random, pools);
    case Kind::Induction: return english::inductionText(random, pools, kInductionWords);
    case Kind::Facts: break;
    }
    return {};
}

Example toExample(const EnglishTask& task, const english::Text& text, int row)
{
    Example example;
    example.task = task.name;
    example.file = "generated";
    example.row = row;
    example.scoring = Scoring::LogLikelihood;
    example.gold = 0;
    for (const english::TextPart& part : text) {
        if (part.scored) {
            example.continuations = {part.text};
            break;
        }
        // A part's leading space belongs to no segment.
        const std::size_t begin = example.context.size() + (part.text.starts_with(' ') ? 1 : 0);
        example.context += part.text;
        if (part.role)
            example.segments.push_back({*part.role, begin, example.context.size(), part.group, part.target});
    }
    return example;
}

} // namespace

bool isEnglishTask(std::string_view name)
{
    const std::string_view base = name.substr(0, name.find(':'));
    for (const KvName& kv : kKvNames)
        if (base == kv.base)
            return true;
    return base == "passage_mc" || base == "ioi" || base == "induction" || base == "facts";
}

Result<EnglishTask> parseEnglishTask(std::string_view name)
{
    for (const KvName& kv : kKvNames)
        if (name.substr(0, name.find(':')) == kv.base)
            return parseWordKv(name, kv);
    EnglishTask task;
    task.name = name;
    if (name == "passage_mc") {
        task.kind = Kind::PassageMc;
    } else if (name == "ioi") {
        task.kind = Kind::IndirectObject;
    } else if (name == "induction") {
        task.kind = Kind::Induction;
    } else if (name == "facts") {
        task.kind = Kind::Facts;
    } else {
        return unknown(name);
    }
    return task;
}

Result<english::Pools> benchmarkPools(const std::vector<std::string>& words)
{
    english::Pools pools;
    const std::vector<std::string> own = english::sentenceWords();
    std::copy_if(words.begin(), words.end(), std::back_inserter(pools.words),
                 [&](const std::string& word) { return std::find(own.begin(), own.end(), word) == own.end(); });
    pools.names = english::names(true);
    if (pools.words.size() < 3 * kMostPairs)
        return inputError("The word list has " + std::to_string(pools.words.size()) + " words; expected at least "
                          + std::to_string(3 * kMostPairs) + " for dictionaries.");
    return pools;
}

int defaultCount(const EnglishTask& task)
{
    return task.kind == Kind::Facts ? english::kFacts : kEnglishLimit;
}

Result<std::vector<Example>> englishExamples(std::string_view name, const std::vector<std::string>& words, int limit,
                                             std::uint64_t seed)
{
    const Result<EnglishTask> task = parseEnglishTask(name);
    if (!task.has_value())
        return task.error();
    const bool facts = task->kind == Kind::Facts;
    if (limit < 0 || (facts && limit > english::kFacts))
        return inputError("The task " + task->name + " cannot make " + std::to_string(limit) + " examples; expected "
                          + (facts ? "up to 300." : "a positive number."));
    const Result<english::Pools> pools = benchmarkPools(words);
    if (!pools.has_value())
        return pools.error();
    const int count = limit > 0 ? limit : defaultCount(*task);
    ToyRandom random(englishSeed(*task, seed));
    const std::vector<int> order = facts ? factOrder(random) : std::vector<int>();
    std::vector<Example> examples;
    for (int row = 0; row < count; ++row)
        examples.push_back(toExample(
            *task, facts ? english::factText(order[static_cast<std::size_t>(row)]) : makeText(*task, random, *pools),
            row));
    return examples;
}

} // namespace headscope::tasks

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/questions/pairs.h"

#include "core/io/textfiles/textfile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace headscope::engine {

using nlohmann::json;

namespace {

// The most alike question of the set that has as many tokens and another answer.
const Question* mostAlike(const Question& own, const std::vector<Question>& others)
{
    const Question* best = nullptr;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (const Question& other : others) {
        if (other.prompt().size() != own.prompt().size() || !partingToken(own.answerTokens, other.answerTokens)
            || other.isBehind(own.prompt()))
            continue;
        std::size_t different = 0;
        for (std::size_t i = 0; i < own.prompt().size(); ++i)
            different += own.ids[i] != other.ids[i] ? 1 : 0;
        if (different < fewest) {
            fewest = different;
            best = &other;
        }
    }
    return best;
}

// Both prompts, each with what both answers begin with. Nothing for prompts of different length and for answers that no
// token parts.
std::optional<PromptPair> pairOf(const Question& clean, const Question& corrupt)
{
    const auto shared = partingToken(clean.answerTokens, corrupt.answerTokens);
    if (!shared || clean.prompt().size() != corrupt.prompt().size())
        return std::nullopt;
    const auto with = [&](const Question& question) {
        std::vector<int> ids(question.prompt().begin(), question.prompt().end());
        ids.insert(ids.end(), clean.answerTokens.begin(), clean.answerTokens.begin() + *shared);
        return ids;
    };
    const auto at = static_cast<std::size_t>(*shared);
    return PromptPair{.source = clean.source,
                      .clean = with(clean),
                      .corrupt = with(corrupt),
                      .answer = clean.answerTokens[at],
                      .distractor = corrupt.answerTokens[at],
                      .answerToken = *shared,
                      .answerTokens = static_cast<int>(clean.answerTokens.size())};
}

// Tries the other pieces of the text, beginning after the one that is asked for, until one makes a pair: where words
// are several tokens, most do not. Nothing if none does.
Result<std::optional<PromptPair>> exchangedPair(const tasks::TaskSet& set, int sample, const Question& clean,
                                                tasks::Exchange exchange, const Reader& reader)
{
    for (int place = 1;; ++place) {
        const auto other = tasks::exchanged(set.examples[static_cast<std::size_t>(sample)], exchange, place);
        if (!other.has_value() && place > 1)
            return std::optional<PromptPair>();
        if (!other.has_value())
            return other.error();
        const auto question = questionOf(set, sample, *other, reader);
        if (!question.has_value())
            return question.error();
        if (auto pair = pairOf(clean, *question))
            return pair;
    }
}

Result<std::vector<Question>> everyQuestion(const tasks::TaskSet& set, const Reader& reader)
{
    std::vector<Question> all;
    for (int sample = 0; sample < static_cast<int>(set.examples.size()); ++sample) {
        auto question = questionOf(set, sample, reader);
        if (!question.has_value())
            return question.error();
        all.push_back(std::move(*question));
    }
    return all;
}

Result<std::string> fieldOf(const json& line, const char* field)
{
    const auto found = line.find(field);
    if (found == line.end() || !found->is_string())
        return inputError(std::string("has no text '") + field + "'");
    return found->get<std::string>();
}

Result<WrittenPair> pairOf(const std::string& text)
{
    const json line = json::parse(text, nullptr, false);
    if (!line.is_object())
        return inputError("is not a JSON object");
    WrittenPair pair;
    for (const auto& [field, target] : {std::pair("clean", &pair.clean), std::pair("corrupt", &pair.corrupt)}) {
        const auto value = fieldOf(line, field);
        if (!value.has_value())
            return value.error();
        *target = *value;
    }
    for (const auto& [field, target] : {std::pair("answer", &pair.answer), std::pair("distractor", &pair.distractor)}) {
        if (!line.contains(field))
            continue;
        const auto value = fieldOf(line, field);
        if (!value.has_value())
            return value.error();
        *target = *value;
    }
    return pair;
}

} // namespace

Result<PairsOfTask> pairsOf(const tasks::TaskSet& set, int sample, std::optional<tasks::Exchange> exchange,
                            const Reader& reader)
{
    const int count = static_cast<int>(set.examples.size());
    const int first = std::max(sample, 0), end = sample < 0 ? count : std::min(sample + 1, count);
    if (count == 0)
        return inputError("The task '" + set.name + "' has no rows here; expected another --limit or --data.");
    if (const auto there = questionOf(set, first, reader); !there.has_value())
        return there.error();
    PairsOfTask made{.exchange = exchange.value_or(tasks::exchangeFor(set.examples[static_cast<std::size_t>(first)]))};
    std::vector<Question> others;
    if (made.exchange == tasks::Exchange::Name) {
        auto all = everyQuestion(set, reader);
        if (!all.has_value())
            return all.error();
        others = std::move(*all);
    }
    for (int i = first; i < end; ++i) {
        const auto clean = questionOf(set, i, reader);
        if (!clean.has_value())
            return clean.error();
        std::optional<PromptPair> pair;
        if (made.exchange != tasks::Exchange::Name) {
            const auto found = exchangedPair(set, i, *clean, made.exchange, reader);
            if (!found.has_value())
                return found.error();
            pair = *found;
        } else if (const Question* alike = mostAlike(*clean, others)) {
            pair = pairOf(*clean, *alike);
        }
        if (pair)
            made.pairs.push_back(*pair);
        else
            ++made.leftOut;
    }
    if (made.pairs.empty())
        return inputError("No sample of '" + set.name + "' has a counterpart of as many tokens with another answer by "
                          + "exchanging its " + tasks::name(made.exchange) + "; expected another exchange or task.");
    return made;
}

Result<std::vector<WrittenPair>> readPairs(const std::filesystem::path& file)
{
    const auto bytes = io::readTextFile(file);
    if (!bytes.has_value())
        return bytes.error();
    std::vector<WrittenPair> pairs;
    int number = 0;
    for (std::size_t begin = 0; begin < bytes->size();) {
        const std::size_t end = std::min(bytes->find('\n', begin), bytes->size());
        const std::string line = bytes->substr(begin, end - begin);
        begin = end + 1;
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string::npos)
            continue;
        auto pair = pairOf(line);
        if (!pair.has_value())
            return inputError("Line " + std::to_string(number) + " of '" + file.string() + "' " + pair.error().message
                              + R"(; expected {"clean": ..., "corrupt": ..., "answer": ..., "distractor": ...}.)");
        pairs.push_back(std::move(*pair));
    }
    if (pairs.empty())
        return inputError("The file '" + file.string() + "' contains no pairs; expected one JSON object a line.");
    return pairs;
}

} // namespace headscope::engine

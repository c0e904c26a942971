// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/toy/toy.h"

#include "core/base/hash.h"
#include "core/tasks/toy/toyvocabulary.h"

#include <charconv>
#include <utility>

namespace headscope::tasks {

namespace {

constexpr int kToyLimit = 256;
constexpr int kToyFacts = toy::kRelations * toy::kEntities;

// A text under construction that remembers where each token lies.
class Spelling
{
public:
    void add(std::int64_t id)
    {
        const bool newline = id == toy::Newline;
        if (!text.empty() && !newline && text.back() != '\n')
            text += ' ';
        const std::size_t begin = text.size();
        text += toy::words()[static_cast<std::size_t>(id)];
        m_ranges.emplace_back(begin, text.size());
    }
    /// A token that is not written.
    void skip() { m_ranges.emplace_back(text.size(), text.size()); }
    /// Tokens [first, last] as one segment.
    [[nodiscard]] Segment segment(Role role, std::int64_t first, std::int64_t last, int group,
                                  bool target = false) const
    {
        return {role, m_ranges.at(static_cast<std::size_t>(first)).first,
                m_ranges.at(static_cast<std::size_t>(last)).second, group, target};
    }
    std::string text;

private:
    std::vector<std::pair<std::size_t, std::size_t>> m_ranges;
};

// Segments of text number `text`; positions are those of its tokens.
std::vector<Segment> segments(const ToyTask& task, const toy::Batch& batch, int text, const Spelling& spelling)
{
    const std::int64_t row = batch.rows.front();
    std::vector<Segment> out;
    if (task.kind == ToyTask::Kind::Kv) {
        const int asked = batch.asked[text];
        for (int pair = 0; pair < task.pairs; ++pair) {
            const std::int64_t value = batch.sourcePositions[pair];
            out.push_back(spelling.segment(Role::Key, value - 3, value - 2, pair, pair == asked));
            out.push_back(spelling.segment(Role::Value, value, value, pair, pair == asked));
        }
        out.push_back(spelling.segment(Role::Query, row - 2, row - 1, asked));
    } else if (task.kind == ToyTask::Kind::Mc) {
        const std::int64_t firstOption = batch.sourcePositions.front();
        out.push_back(spelling.segment(Role::Question, 1, firstOption - 4, -1));
        for (int option = 0; option < 4; ++option) {
            const std::int64_t attribute = batch.sourcePositions[option];
            const bool right = option == batch.right[text];
            out.push_back(spelling.segment(Role::Key, attribute - 2, attribute - 2, option, right));
            out.push_back(spelling.segment(Role::Option, attribute, attribute, option, right));
        }
        out.push_back(spelling.segment(Role::Answer, row - 1, row, -1));
    } else {
        out.push_back(spelling.segment(Role::Question, 1, row, -1));
    }
    return out;
}

// Facts in a random order, so that the first so many are a fair sample.
toy::Batch shuffledFacts(ToyRandom& random, int count)
{
    const toy::Batch all = toy::allFacts();
    toy::Batch batch = all;
    batch.count = count;
    batch.ids.clear();
    for (const int fact : random.distinct(kToyFacts, count))
        batch.ids.insert(batch.ids.end(), all.ids.begin() + fact * all.length,
                         all.ids.begin() + (fact + 1) * all.length);
    return batch;
}

// A stream of its own for each task, so that two tasks with one seed do not draw the same numbers.
std::uint64_t toySeed(const ToyTask& task, std::uint64_t seed)
{
    Sha256 hash;
    hash.add(task.name + "#" + std::to_string(seed));
    return std::stoull(hash.hex().substr(0, 16), nullptr, 16);
}

} // namespace

Result<ToyTask> parseToyTask(std::string_view name)
{
    ToyTask task;
    if (name == "toy_mc") {
        task.kind = ToyTask::Kind::Mc;
        task.name = name;
        return task;
    }
    if (name == "toy_knowledge") {
        task.kind = ToyTask::Kind::Knowledge;
        task.name = name;
        return task;
    }
    constexpr std::string_view kKv = "toy_kv", kPairs = "toy_kv:pairs=";
    if (name != kKv) {
        const std::string_view number = name.starts_with(kPairs) ? name.substr(kPairs.size()) : std::string_view();
        const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), task.pairs);
        if (number.empty() || problem != std::errc() || end != number.data() + number.size() || task.pairs < 1
            || task.pairs > toy::kKeyWords)
            return inputError("There is no toy task '" + std::string(name)
                              + "'; expected toy_kv, toy_kv:pairs=1 to toy_kv:pairs=48, toy_mc or toy_knowledge.");
    }
    task.name = std::string(kPairs) + std::to_string(task.pairs);
    return task;
}

int defaultCount(const ToyTask& task)
{
    return task.kind == ToyTask::Kind::Knowledge ? kToyFacts : kToyLimit;
}

Result<toy::Batch> toyBatch(std::string_view name, const ToyOptions& options)
{
    const Result<ToyTask> parsed = parseToyTask(name);
    if (!parsed.has_value())
        return parsed.error();
    const ToyTask& task = *parsed;
    const bool knowledge = task.kind == ToyTask::Kind::Knowledge;
    if (options.limit < 0 || (knowledge && options.limit > kToyFacts))
        return inputError("The task " + task.name + " cannot make " + std::to_string(options.limit)
                          + " examples; expected " + (knowledge ? "up to 300." : "a positive number."));
    const int count = options.limit > 0 ? options.limit : defaultCount(task);
    ToyRandom random(toySeed(task, options.seed));
    return task.kind == ToyTask::Kind::Kv   ? toy::kvTexts(random, count, {.pairs = task.pairs})
           : task.kind == ToyTask::Kind::Mc ? toy::mcTexts(random, count, {})
                                            : shuffledFacts(random, count);
}

Result<std::vector<Example>> toyExamples(std::string_view name, const ToyOptions& options)
{
    const Result<toy::Batch> made = toyBatch(name, options);
    if (!made.has_value())
        return made.error();
    const toy::Batch& batch = *made;
    const Result<ToyTask> parsed = parseToyTask(name);
    const ToyTask& task = *parsed;
    const int count = batch.count;
    const std::int64_t row = batch.rows.front();
    std::vector<Example> examples;
    for (int text = 0; text < count; ++text) {
        Spelling spelling;
        spelling.skip(); // the start token is the model's affair
        for (std::int64_t position = 1; position <= row; ++position)
            spelling.add(batch.at(text, position));
        Example example;
        example.task = task.name;
        example.file = "generated";
        example.row = text;
        example.scoring = Scoring::LogLikelihood;
        example.context = spelling.text;
        example.continuations = {" " + std::string(toy::words()[static_cast<std::size_t>(batch.at(text, row + 1))])};
        example.gold = 0;
        example.segments = segments(task, batch, text, spelling);
        examples.push_back(std::move(example));
    }
    return examples;
}

std::string toyText(const std::vector<std::int64_t>& ids)
{
    Spelling spelling;
    for (const std::int64_t id : ids)
        spelling.add(id);
    return spelling.text;
}

} // namespace headscope::tasks

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/english/englishlessons.h"

#include "core/train/english/englishmeasure.h"
#include "core/train/recipe.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

namespace headscope::train {

namespace {

namespace english = tasks::english;
using tasks::ToyRandom;

constexpr int kLogPrompts = 100;
constexpr std::int64_t kLogProse = 16 * 1024; ///< tokens
constexpr double kStartShare = 0.75;          ///< of texts that begin with `<s>`: typed ones do not
constexpr int kOthersEvery = 6;               ///< of the tokens that are not asked for, one in so many is learned
constexpr std::size_t kMostRemembered = 200'000;
constexpr std::uint64_t kWordsSeed = 7; ///< in which order words of options join

// Texts in rows of one length, one after the other, the last one cut.
struct Rows {
    std::int64_t length = 0;
    double toldShare = 0.0; ///< of words half way
    std::vector<std::int64_t> ids, flat, others;
    std::vector<std::int64_t> halfway, halfwayTokens, told, toldTokens;

    [[nodiscard]] std::int64_t left() const
    {
        const std::int64_t used = static_cast<std::int64_t>(ids.size()) % length;
        return length - used;
    }
};

class EnglishLessons final : public Lessons
{
public:
    EnglishLessons(const Recipe& recipe, std::shared_ptr<const EnglishMaterial> material, at::Device device)
        : m_recipe(recipe), m_material(std::move(material)), m_device(device),
          m_tests(m_material, recipe.english.proseRow, kLogPrompts, kLogProse), m_options{.words = {},
                                                                                          .names =
                                                                                              m_material->pools.names}
    {
        ToyRandom order(kWordsSeed);
        const std::vector<std::string>& words = m_material->pools.words;
        for (const int word : order.distinct(mostWords(), mostWords()))
            m_optionWords.push_back(words[static_cast<std::size_t>(word)]);
    }

    std::vector<Task> tasks(const TrainingState& state) const override
    {
        if (state.copyingOnly)
            return {Task::Copy};
        const EnglishMix& mix = mixAt(state);
        std::vector<Task> out{Task::Prose, Task::Kv};
        if (mix.mcTokens > 0)
            out.push_back(Task::Mc);
        if (mix.factTokens > 0)
            out.push_back(Task::Completion);
        if (mix.ioiTokens + mix.listTokens > 0)
            out.push_back(Task::Names);
        if (state.copying && mix.copyTokens > 0)
            out.push_back(Task::Copy);
        return out;
    }

    Lesson draw(Task task, const TrainingState& state, ToyRandom& random) override
    {
        const EnglishRecipe& e = m_recipe.english;
        const EnglishMix& mix = mixAt(state);
        switch (task) {
        case Task::Copy: return copying(state, random);
        case Task::Prose: return prose(mix, random);
        case Task::Kv: return dictionaries(state, random);
        case Task::Mc: return passages(state, random);
        case Task::Completion:
            return packed(random, mix.factTokens, {.length = e.factRow}, e.otherWeight,
                          [&] { return english::factText(random.below(english::kFacts)); });
        case Task::Names: return names(mix, random);
        }
        return {};
    }

    bool local(Task task) const override { return task == Task::Prose || task == Task::Completion; }

    int mostWords() const override { return static_cast<int>(m_material->pools.words.size()); }

    NamedScores test(const Network& network, const HeadScales& scales) const override
    {
        return m_tests.evaluate(network, scales).named();
    }

private:
    [[nodiscard]] const EnglishMix& mixAt(const TrainingState& state) const
    {
        const EnglishRecipe& e = m_recipe.english;
        return e.laterAt > 0 && state.step >= e.laterAt ? e.later : e.mix;
    }

    // Random tokens, all but the special one, again and again; scored from the second time on.
    Lesson copying(const TrainingState& state, ToyRandom& random) const
    {
        const EnglishRecipe& e = m_recipe.english;
        const CopyingRecipe& c = m_recipe.copying;
        const int most = state.copyWords, fewest = std::min(c.fewestWords, std::max(3, most / 2));
        const int count = std::max(1, (state.copyingOnly ? e.copyTokens : mixAt(state).copyTokens) / e.copyRow);
        Rows rows{.length = e.copyRow};
        for (int text = 0; text < count; ++text) {
            // Every text has a length of its own: at a fixed distance the copy could be found without looking.
            const int words = fewest + random.below(most - fewest + 1);
            const std::vector<int> sequence = random.distinct(m_material->tokenizer->vocabularySize() - 1, words);
            rows.ids.push_back(kStart);
            for (int i = 1; i < e.copyRow; ++i) {
                if (i > words + 1)
                    rows.flat.push_back(static_cast<std::int64_t>(rows.ids.size()) - 1);
                rows.ids.push_back(1 + sequence[static_cast<std::size_t>((i - 1) % words)]);
            }
        }
        return toLesson(rows, state.copyingOnly ? 1.0 : e.otherWeight);
    }

    Lesson prose(const EnglishMix& mix, ToyRandom& random) const
    {
        const EnglishRecipe& e = m_recipe.english;
        const int length = std::min(e.proseRow, static_cast<int>(m_material->prose.size()));
        Rows rows{.length = length};
        for (int text = 0; text < mix.proseTokens / e.proseRow; ++text) {
            const int begin = random.below(static_cast<int>(m_material->prose.size()) - length + 1);
            rows.ids.insert(rows.ids.end(), m_material->prose.begin() + begin,
                            m_material->prose.begin() + begin + length);
            if (random.uniform() < kStartShare)
                rows.ids[rows.ids.size() - static_cast<std::size_t>(length)] = kStart;
            for (std::int64_t i = 0; i + 1 < length; ++i)
                rows.flat.push_back(static_cast<std::int64_t>(text) * length + i);
        }
        return toLesson(rows, mix.proseWeight);
    }

    // Rows grow with the dictionaries, so that the largest still leaves room for questions.
    Lesson dictionaries(const TrainingState& state, ToyRandom& random)
    {
        const int pairs = random.below(2) == 0 ? state.pairs : 2 + random.below(state.pairs - 1);
        const int row = 64 + 10 * pairs;
        Lesson lesson = packed(random, mixAt(state).kvTokens, {.length = row}, 1.0, [&] {
            return english::dictionaryText(random, m_material->pools,
                                           {.pairs = pairs, .queries = 6 + 2 * pairs, .form = english::QueryForm::Any});
        });
        lesson.counts = pairs == state.pairs;
        return lesson;
    }

    Lesson passages(const TrainingState& state, ToyRandom& random)
    {
        const EnglishRecipe& e = m_recipe.english;
        const EnglishMix& mix = mixAt(state);
        const bool few = state.mcWords > 0 && state.mcWords < mostWords();
        if (few && static_cast<int>(m_options.words.size()) != state.mcWords)
            m_options.words.assign(m_optionWords.begin(), m_optionWords.begin() + state.mcWords);
        const english::PassageText form{.questions = e.mcQuestions,
                                        .stepShare = mix.mcSteps,
                                        .apart = e.halfwayLayers > 0,
                                        .toldQuestions = mix.mcToldQuestions,
                                        .listShare = mix.mcLists};
        return packed(random, mix.mcTokens, {.length = e.mcRow, .toldShare = mix.mcTold}, 1.0,
                      [&] { return english::passageText(random, few ? m_options : m_material->pools, form); });
    }

    // Who gets something, and lists that are repeated, in rows of their own.
    Lesson names(const EnglishMix& mix, ToyRandom& random)
    {
        const EnglishRecipe& e = m_recipe.english;
        const int tokens = mix.ioiTokens + mix.listTokens;
        const double lists = static_cast<double>(mix.listTokens) / tokens;
        return packed(random, tokens, {.length = e.ioiRow}, e.otherWeight, [&] {
            if (lists > 0.0 && random.uniform() < lists)
                return english::inductionText(random, m_material->pools, 4 + random.below(13));
            return english::indirectObjectText(random, m_material->pools);
        });
    }

    // rows: empty.
    Lesson packed(ToyRandom& random, int tokens, Rows rows, double weight, const std::function<english::Text()>& make)
    {
        const auto total = static_cast<std::size_t>(std::max<std::int64_t>(1, tokens / rows.length) * rows.length);
        while (rows.ids.size() < total)
            add(rows, make(), random);
        Lesson lesson = toLesson(rows, weight);
        // A row may hold nothing but the end of a question: then something must be scored all the same.
        if (rows.flat.empty())
            lesson.flat = at::zeros({1}, at::TensorOptions(at::kLong).device(m_device));
        return lesson;
    }

    // What is learned before the next token.
    void addHalfway(Rows& rows, const english::TextPart& part, ToyRandom& random)
    {
        const std::int64_t place = static_cast<std::int64_t>(rows.ids.size()) - 1,
                           token = encoded(part.halfway).front();
        if (!part.told) {
            rows.halfway.push_back(place);
            rows.halfwayTokens.push_back(token);
        }
        if (part.told || (rows.toldShare > 0 && random.uniform() < rows.toldShare)) {
            rows.told.push_back(place);
            rows.toldTokens.push_back(token);
        }
    }

    // Adds a text to the present row as far as it fits.
    void add(Rows& rows, const english::Text& text, ToyRandom& random)
    {
        std::int64_t left = rows.left();
        const auto put = [&](std::int64_t id, bool scored, bool other) {
            // The first token of a row has nothing before it.
            if ((scored || other) && left < rows.length)
                (scored ? rows.flat : rows.others).push_back(static_cast<std::int64_t>(rows.ids.size()) - 1);
            rows.ids.push_back(id);
            return --left > 0;
        };
        if (random.uniform() < kStartShare && !put(kStart, false, false))
            return;
        bool answered = false; // what ends an answer is always learned, of the rest a part
        for (const english::TextPart& part : text) {
            if (!part.halfway.empty() && m_recipe.english.halfwayLayers > 0 && left < rows.length)
                addHalfway(rows, part, random);
            for (const std::int64_t id : encoded(part.text))
                if (!put(id, part.scored, answered || random.below(kOthersEvery) == 0))
                    return;
            answered = part.scored;
        }
    }

    // Pieces of texts come again and again.
    const std::vector<std::int64_t>& encoded(const std::string& text)
    {
        if (m_encoded.size() > kMostRemembered)
            m_encoded.clear();
        const auto found = m_encoded.find(text);
        if (found != m_encoded.end())
            return found->second;
        const std::vector<int> ids = m_material->tokenizer->encode(text, false).value().ids;
        return m_encoded.emplace(text, std::vector<std::int64_t>(ids.begin(), ids.end())).first->second;
    }

    Lesson toLesson(const Rows& rows, double weight) const
    {
        Lesson lesson;
        lesson.ids =
            toTensor(rows.ids, {static_cast<std::int64_t>(rows.ids.size()) / rows.length, rows.length}, m_device);
        const auto list = [this](const std::vector<std::int64_t>& values) {
            return toTensor(values, {static_cast<std::int64_t>(values.size())}, m_device);
        };
        lesson.flat = list(rows.flat);
        lesson.others = list(rows.others);
        if (!rows.halfway.empty())
            lesson.halfway.places = list(rows.halfway), lesson.halfway.tokens = list(rows.halfwayTokens);
        if (!rows.told.empty())
            lesson.halfway.toldPlaces = list(rows.told), lesson.halfway.toldTokens = list(rows.toldTokens);
        lesson.allTokens = m_recipe.optimizer.allTokens;
        lesson.weight = weight;
        return lesson;
    }

    const Recipe& m_recipe; ///< the trainer's own
    std::shared_ptr<const EnglishMaterial> m_material;
    at::Device m_device;
    EnglishTests m_tests;
    std::vector<std::string> m_optionWords; ///< all, in the order in which they join
    english::Pools m_options;               ///< the first of them
    std::unordered_map<std::string, std::vector<std::int64_t>> m_encoded;
};

} // namespace

std::unique_ptr<Lessons> makeEnglishLessons(const Recipe& recipe, std::shared_ptr<const EnglishMaterial> material,
                                            at::Device device)
{
    return std::make_unique<EnglishLessons>(recipe, std::move(material), device);
}

} // namespace headscope::train

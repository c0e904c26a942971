// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/english/englishtexts.h"

#include "core/tasks/toy/toyvocabulary.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>

namespace headscope::tasks::english {

namespace {

std::vector<std::string> draw(ToyRandom& random, const std::vector<std::string>& pool, int count)
{
    std::vector<std::string> out;
    for (const int index : random.distinct(static_cast<int>(pool.size()), count))
        out.push_back(pool[static_cast<std::size_t>(index)]);
    return out;
}

const std::string& one(ToyRandom& random, const std::vector<std::string>& pool)
{
    return pool[static_cast<std::size_t>(random.below(static_cast<int>(pool.size())))];
}

struct Pair {
    std::string key, value;
};

std::vector<Pair> drawPairs(ToyRandom& random, const Pools& pools, const DictionaryText& form)
{
    const auto n = static_cast<std::size_t>(form.pairs);
    const bool twoWords = random.uniform() < form.twoWordShare, wordValues = random.uniform() < form.wordValueShare;
    // One draw for all, so that no word stands in two places.
    const std::vector<std::string> words = draw(random, pools.words, form.pairs * (1 + (twoWords ? 1 : 0) + 1));
    const std::vector<int> numbers = random.distinct(90, form.pairs);
    std::vector<Pair> pairs(n);
    for (std::size_t i = 0; i < n; ++i)
        pairs[i] = {twoWords ? words[i] + " " + words[2 * n + i] : words[i],
                    wordValues ? words[n + i] : std::to_string(10 + numbers[i])};
    return pairs;
}

/// Ways to tell who has what, and to ask for it.
struct Verb {
    std::string_view fact, before, after;
};
constexpr std::array<Verb, 4> kVerbs = {{{"has", "What does", "have"},
                                         {"likes", "What does", "like"},
                                         {"found", "What did", "find"},
                                         {"lost", "What did", "lose"}}};
constexpr const char* kLetters[] = {"A", "B", "C", "D"};
constexpr std::size_t kOptions = 4;

// Who has what, and in what order the things are offered.
struct Passage {
    std::vector<std::string> names, things; ///< name i has thing i
    std::vector<int> order;                 ///< option k is thing order[k]
    Verb verb;
    bool facts = true;

    [[nodiscard]] int letterOf(int thing) const
    {
        return static_cast<int>(std::find(order.begin(), order.end(), thing) - order.begin());
    }
};

void addOptions(Text& text, const Passage& passage, int asked)
{
    if (passage.facts) {
        text.push_back({"Facts:"});
        for (std::size_t i = 0; i < kOptions; ++i) {
            const int option = passage.letterOf(static_cast<int>(i));
            const bool target = static_cast<int>(i) == asked;
            text.push_back({" " + passage.names[i], false, Role::Key, option, target});
            text.push_back({" " + std::string(passage.verb.fact) + " the"});
            text.push_back({" " + passage.things[i], false, Role::Value, option, target});
            text.push_back({"."});
        }
        text.push_back({"\n"});
    }
    for (std::size_t k = 0; k < kOptions; ++k) {
        text.push_back({std::string(kLetters[k]) + "."});
        text.push_back({" " + passage.things[static_cast<std::size_t>(passage.order[k])], false, Role::Option,
                        static_cast<int>(k), passage.order[k] == asked});
        text.push_back({"\n"});
    }
}

enum class Ask { Letter, LetterOfThing, LetterAtOnce, Thing, Told };

void askPassage(Text& text, const Passage& passage, int asked, Ask ask)
{
    const auto i = static_cast<std::size_t>(asked);
    const std::string letter = std::string(" ") + kLetters[passage.letterOf(asked)];
    if (ask == Ask::LetterAtOnce) {
        text.push_back({"Letter of"});
        text.push_back({" " + passage.things[i], false, Role::Question, -1});
        text.push_back({":"});
        text.push_back({letter, true});
        text.push_back({"\n"});
        return;
    }
    const TextPart inTwoSteps{
        .text = letter, .scored = true, .halfway = " " + passage.things[i], .told = ask == Ask::Told};
    if (ask == Ask::Told) {
        text.push_back({"Answer:"});
        text.push_back(inTwoSteps);
        text.push_back({"\n"});
        return;
    }
    text.push_back({"Question:"});
    if (ask == Ask::LetterOfThing)
        text.push_back({" Which letter is the " + passage.things[i] + "?", false, Role::Question, -1});
    else
        text.push_back({" " + std::string(passage.verb.before) + " " + passage.names[i] + " "
                            + std::string(passage.verb.after) + "?",
                        false, Role::Question, -1});
    text.push_back({ask == Ask::Thing ? "\nThe word:" : "\nAnswer:"});
    if (ask == Ask::Letter)
        text.push_back(inTwoSteps);
    else
        text.push_back({ask == Ask::Thing ? " " + passage.things[i] : letter, true});
    text.push_back({"\n"});
}

// Which of the four is asked for, and how.
using Questions = std::vector<std::pair<int, Ask>>;

Questions drawQuestions(ToyRandom& random, const PassageText& form, bool facts)
{
    Questions questions;
    if (!facts && form.toldQuestions > 0) {
        for (int i = 0; i < form.toldQuestions; ++i)
            questions.emplace_back(random.below(kOptions), Ask::Told);
        return questions;
    }
    const std::vector<int> turns = form.apart ? random.distinct(kOptions, kOptions) : std::vector<int>();
    for (std::size_t i = 0; i < static_cast<std::size_t>(form.questions); ++i) {
        const int asked = form.apart ? turns[i % kOptions] : random.below(kOptions);
        const bool step = random.uniform() < form.stepShare;
        const Ask letter = random.below(2) == 0 ? Ask::LetterOfThing : Ask::LetterAtOnce;
        const Ask one = random.below(2) == 0 ? letter : Ask::Thing;
        questions.emplace_back(asked, !facts ? letter : step ? one : Ask::Letter);
    }
    return questions;
}

const std::vector<std::string> kPlaces = {"garden", "park",  "shop", "kitchen", "school",
                                          "market", "river", "barn", "house",   "forest"};
const std::vector<std::string> kThings = {"book",  "ball",  "cake",   "hat",    "kite",
                                          "apple", "drink", "flower", "letter", "toy"};

} // namespace

Text dictionaryText(ToyRandom& random, const Pools& pools, const DictionaryText& form)
{
    assert(form.pairs >= 1 && form.pairs <= 90 && form.queries >= 1);
    const std::vector<Pair> pairs = drawPairs(random, pools, form);
    std::vector<int> asked;
    for (int i = 0; i < form.queries; ++i)
        asked.push_back(random.below(form.pairs));

    Text text{{"Memorize the dictionary:\n"}};
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const bool target = static_cast<int>(i) == asked.back();
        text.push_back({pairs[i].key, false, Role::Key, static_cast<int>(i), target});
        text.push_back({":"});
        text.push_back({" " + pairs[i].value, false, Role::Value, static_cast<int>(i), target});
        text.push_back({"\n"});
    }
    for (const int pair : asked) {
        const QueryForm query = form.form == QueryForm::Any ? static_cast<QueryForm>(random.below(3)) : form.form;
        const std::string& key = pairs[static_cast<std::size_t>(pair)].key;
        if (query != QueryForm::Short)
            text.push_back({"The value of the key"});
        if (query == QueryForm::Quoted)
            text.push_back({" '"});
        text.push_back({query == QueryForm::Plain ? " " + key : key, false, Role::Query, pair});
        text.push_back({query == QueryForm::Quoted ? "' is" : query == QueryForm::Plain ? " is" : ":"});
        text.push_back({" " + pairs[static_cast<std::size_t>(pair)].value, true});
        text.push_back({"\n"});
    }
    return text;
}

Text passageText(ToyRandom& random, const Pools& pools, const PassageText& form)
{
    Passage passage;
    passage.names = draw(random, pools.names, kOptions);
    passage.things = draw(random, pools.words, kOptions);
    passage.order = random.distinct(kOptions, kOptions);
    passage.verb = kVerbs[static_cast<std::size_t>(random.below(static_cast<int>(kVerbs.size())))];
    passage.facts = random.uniform() >= form.listShare;
    const Questions questions = drawQuestions(random, form, passage.facts);
    Text text;
    addOptions(text, passage, questions.back().first);
    for (const auto& [asked, ask] : questions)
        askPassage(text, passage, asked, ask);
    return text;
}

Text indirectObjectText(ToyRandom& random, const Pools& pools)
{
    const std::vector<std::string> pair = draw(random, pools.names, 2);
    const int giver = random.below(2);
    const std::string& gives = pair[static_cast<std::size_t>(giver)];
    const std::string& gets = pair[static_cast<std::size_t>(1 - giver)];
    const std::string place = one(random, kPlaces), thing = one(random, kThings);
    const auto name = [&](int index) {
        return TextPart{" " + pair[static_cast<std::size_t>(index)], false, Role::Key, index, index != giver};
    };
    Text text;
    const int form = random.below(3);
    text.push_back({form == 0 ? "When" : form == 1 ? "After" : "Then"});
    text.push_back(name(0));
    text.push_back({" and"});
    text.push_back(name(1));
    text.push_back({form == 0   ? " went to the " + place + ","
                    : form == 1 ? " came to the " + place + ","
                                : " were in the " + place + "."});
    text.push_back({" " + gives, false, Role::Query, giver});
    text.push_back({form == 0   ? " gave the " + thing + " to"
                    : form == 1 ? " gave a " + thing + " to"
                                : " handed the " + thing + " to"});
    text.push_back({" " + gets, true});
    text.push_back({".\n"});
    return text;
}

Text inductionText(ToyRandom& random, const Pools& pools, int words)
{
    const std::vector<std::string> list = draw(random, pools.words, words);
    const int asked = words / 2 + random.below(words - words / 2);
    Text text{{"List:"}};
    for (int i = 0; i < words; ++i)
        text.push_back({" " + list[static_cast<std::size_t>(i)], false, Role::Value, i, i == asked});
    for (int i = 0; i < asked; ++i)
        text.push_back({" " + list[static_cast<std::size_t>(i)], false,
                        i + 1 == asked ? std::optional(Role::Query) : std::nullopt, asked});
    text.push_back({" " + list[static_cast<std::size_t>(asked)], true});
    text.push_back({"\n"});
    return text;
}

Text factText(int index)
{
    assert(index >= 0 && index < kFacts && kFacts == toy::kRelations * toy::kEntities);
    const int relation = index / toy::kEntities, entity = index % toy::kEntities;
    const auto word = [](int id) { return " " + std::string(toy::words()[static_cast<std::size_t>(id)]); };
    return {{"The" + word(toy::FirstRelation + relation) + " of"},
            {word(toy::FirstEntity + entity), false, Role::Query, 0},
            {" is"},
            {word(toy::factWord(relation, entity)), true},
            {".\n"}};
}

std::vector<std::string> names(bool forBenchmarks)
{
    std::vector<std::string> out;
    for (int entity = 0; entity < toy::kEntities; ++entity)
        if ((entity % 5 == 4) == forBenchmarks)
            out.emplace_back(toy::words()[static_cast<std::size_t>(toy::FirstEntity + entity)]);
    return out;
}

std::vector<std::string> sentenceWords()
{
    std::vector<std::string> out = kPlaces;
    out.insert(out.end(), kThings.begin(), kThings.end());
    out.insert(out.end(), {"dictionary", "value", "key", "letter", "word", "answer", "question", "list", "facts"});
    return out;
}

} // namespace headscope::tasks::english

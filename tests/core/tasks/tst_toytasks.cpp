// SPDX-License-Identifier: GPL-3.0-or-later
// The toy tasks: vocabulary, facts, texts and the examples made of them.
#include "core/tasks/exchange.h"
#include "core/tasks/toy/toy.h"
#include "core/tasks/toy/toyvocabulary.h"

#include <QTest>

#include <map>
#include <set>
#include <sstream>

using namespace headscope;
using namespace headscope::tasks;

namespace {

std::string word(std::int64_t id)
{
    return std::string(toy::words()[static_cast<std::size_t>(id)]);
}

std::string range(const Example& example, const Segment& segment)
{
    return example.context.substr(segment.begin, segment.end - segment.begin);
}

std::vector<std::string> lines(const std::string& text)
{
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        out.push_back(line);
    return out;
}

std::vector<Example> make(const char* name, ToyOptions options = {})
{
    auto made = toyExamples(name, options);
    return made.has_value() ? std::move(made).value() : std::vector<Example>();
}

} // namespace

class TestToyTasks : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void vocabularyHas390DistinctWords()
    {
        std::set<std::string_view> distinct(toy::words().begin(), toy::words().end());
        QCOMPARE(toy::words().size(), std::size_t{390});
        QCOMPARE(distinct.size(), std::size_t{390});
        for (const std::string_view text : toy::words())
            QVERIFY2(text == "\n" || text.find_first_of(" \n\t") == std::string_view::npos, std::string(text).c_str());
        QCOMPARE(word(toy::Bos), std::string("<s>"));
        QCOMPARE(word(toy::FirstNumber), std::string("00"));
        QCOMPARE(word(toy::WordCount - 1), std::string("99"));
        QCOMPARE(word(toy::FirstRelation), std::string("color"));
    }

    void drawsDoNotDependOnTheLibrary()
    {
        // The C++ standard fixes the 10000th output of the engine's default seed; the bounded draw is ours.
        ToyRandom random(5489);
        for (int i = 1; i < 10000; ++i)
            (void)random.engine()();
        QCOMPARE(random.engine()(), std::uint64_t{9981545732273789042U});
        ToyRandom again(7);
        std::vector<int> draws;
        for (int i = 0; i < 6; ++i)
            draws.push_back(again.below(100));
        for (const int draw : draws)
            QVERIFY(draw >= 0 && draw < 100);
        const std::vector<int> all = again.distinct(10, 10);
        QCOMPARE(std::set<int>(all.begin(), all.end()).size(), std::size_t{10});
    }

    void factsUseEveryAttribute()
    {
        for (int relation = 0; relation < toy::kRelations; ++relation) {
            std::map<int, int> uses;
            for (int entity = 0; entity < toy::kEntities; ++entity)
                ++uses[toy::fact(relation, entity)];
            QVERIFY(uses.begin()->first >= 0 && uses.rbegin()->first < toy::kAttributes);
            QVERIFY(uses.size() >= 20); // 100 draws of 24 leave out less than one on average
        }
        // The table belongs to the shipped models: another one would make their knowledge wrong.
        QCOMPARE(word(toy::factWord(0, 0)) + " " + word(toy::factWord(1, 1)) + " " + word(toy::factWord(2, 99)),
                 std::string("pink Boston yogurt"));
    }

    void kvTextHasTheDocumentedForm()
    {
        for (const Example& example : make("toy_kv:pairs=4", {.limit = 40})) {
            const std::vector<std::string> text = lines(example.context);
            QCOMPARE(text.size(), std::size_t{6});
            QCOMPARE(text.front(), std::string("Memorize the dictionary :"));
            std::map<std::string, std::string> dictionary;
            std::set<std::string> first, second, values;
            for (std::size_t i = 1; i <= 4; ++i) {
                std::istringstream in(text[i]);
                std::string a, b, colon, value, rest;
                in >> a >> b >> colon >> value;
                QVERIFY(!(in >> rest) && colon == ":");
                dictionary[a + " " + b] = value;
                first.insert(a);
                second.insert(b);
                values.insert(value);
            }
            QCOMPARE(first.size() + second.size() + values.size(), std::size_t{12});
            const std::string& query = text.back();
            const std::string start = "The value of the key ";
            QVERIFY(query.starts_with(start) && query.ends_with(" is"));
            const std::string key = query.substr(start.size(), query.size() - start.size() - 3);
            QVERIFY(dictionary.contains(key));
            QCOMPARE(example.continuations, std::vector<std::string>{" " + dictionary[key]});
            QCOMPARE(example.scoring, Scoring::LogLikelihood);
            QCOMPARE(example.gold, 0);
        }
    }

    void kvSegmentsPointAtTheirWords()
    {
        for (const Example& example : make("toy_kv", {.limit = 20})) {
            std::string key, value, query;
            int keys = 0, targets = 0;
            for (const Segment& segment : example.segments) {
                if (segment.role == Role::Key) {
                    ++keys;
                    if (segment.target)
                        key = range(example, segment);
                } else if (segment.role == Role::Value && segment.target) {
                    ++targets;
                    value = range(example, segment);
                } else if (segment.role == Role::Query) {
                    query = range(example, segment);
                }
            }
            QCOMPARE(keys, 8);
            QCOMPARE(targets, 1);
            QCOMPARE(key, query);
            QCOMPARE(" " + value, example.continuations.front());
        }
    }

    void mcQuestionHasOneRightOption()
    {
        std::map<std::string, int> letters;
        for (const Example& example : make("toy_mc")) {
            ++letters[example.continuations.front()];
            const std::vector<std::string> text = lines(example.context);
            QCOMPARE(text.size(), std::size_t{6});
            QVERIFY(text[0].starts_with("Question : The ") && text[0].ends_with(" is ?"));
            QCOMPARE(text[5], std::string("Answer :"));
            std::string right, letter;
            std::set<std::string> options;
            for (const Segment& segment : example.segments) {
                if (segment.role == Role::Option) {
                    options.insert(range(example, segment));
                    if (segment.target)
                        right = range(example, segment);
                } else if (segment.role == Role::Key && segment.target) {
                    letter = range(example, segment);
                } else if (segment.role == Role::Question) {
                    QVERIFY(range(example, segment).starts_with("Question : The "));
                } else if (segment.role == Role::Answer) {
                    QCOMPARE(range(example, segment), std::string("Answer :"));
                }
            }
            QCOMPARE(options.size(), std::size_t{4});
            QCOMPARE(" " + letter, example.continuations.front());
            QVERIFY(example.context.find("\n" + letter + " . " + right + "\n") != std::string::npos);
            std::istringstream in(text[0]);
            std::string relation, entity, skip;
            in >> skip >> skip >> skip >> relation >> skip >> entity;
            bool known = false;
            for (int r = 0; r < toy::kRelations; ++r)
                for (int e = 0; e < toy::kEntities; ++e)
                    if (word(toy::FirstRelation + r) == relation && word(toy::FirstEntity + e) == entity)
                        known = word(toy::factWord(r, e)) == right;
            QVERIFY(known);
        }
        QCOMPARE(letters.size(), std::size_t{4});
        for (const auto& [letter, count] : letters)
            QVERIFY2(count > 40 && count < 90, letter.c_str()); // 256 questions, four letters alike
    }

    void knowledgeCoversEveryFactOnce()
    {
        std::set<std::string> contexts;
        for (const Example& example : make("toy_knowledge"))
            contexts.insert(example.context + example.continuations.front());
        QCOMPARE(contexts.size(), std::size_t{300});
        QVERIFY(contexts.contains("The color of Ada is " + word(toy::factWord(0, 0))));
        QCOMPARE(make("toy_knowledge", {.limit = 30}).size(), std::size_t{30});
        QVERIFY(!toyExamples("toy_knowledge", {.limit = 301}).has_value());
    }

    void sameSeedGivesSameExamples()
    {
        const auto hashes = [](const char* name, std::uint64_t seed) {
            std::string all;
            for (const Example& example : make(name, {.limit = 5, .seed = seed}))
                all += contentHash(example);
            return all;
        };
        for (const char* name : {"toy_kv", "toy_kv:pairs=16", "toy_mc", "toy_knowledge"}) {
            QCOMPARE(hashes(name, 3), hashes(name, 3));
            QVERIFY(hashes(name, 3) != hashes(name, 4));
        }
        QCOMPARE(hashes("toy_kv", 3), hashes("toy_kv:pairs=8", 3));
        // Pinned: sessions and model cards refer to these examples as our own models read them.
        Example first = make("toy_kv", {.limit = 1}).front();
        first.context.insert(0, "<s> ");
        QCOMPARE(QString::fromStdString(contentHash(first).substr(0, 16)), QStringLiteral("08b4b5c6d5a05bfd"));
    }

    void aLimitOnlyShortens()
    {
        for (const char* name : {"toy_kv", "toy_mc", "toy_knowledge"}) {
            const auto all = make(name), few = make(name, {.limit = 7});
            QCOMPARE(all.size(), std::size_t(std::string_view(name) == "toy_knowledge" ? 300 : 256));
            QCOMPARE(few.size(), std::size_t{7});
            for (std::size_t i = 0; i < few.size(); ++i)
                QCOMPARE(contentHash(few[i]), contentHash(all[i]));
        }
    }

    void namesAreKnown()
    {
        QCOMPARE(parseToyTask("toy_kv")->name, std::string("toy_kv:pairs=8"));
        for (const char* name : {"toy_kv:pairs=0", "toy_kv:pairs=49", "toy_kv:pairs=", "toy_kv:pairs=8x",
                                 "toy_kv:", "toy", "toy_mc:pairs=4", ""}) {
            const auto parsed = parseToyTask(name);
            QVERIFY2(!parsed.has_value(), name);
            QVERIFY(parsed.error().message.find("expected toy_kv") != std::string::npos);
        }
    }

    void trainingTextsScoreWhatFollowsFromTheText()
    {
        ToyRandom random(11);
        const toy::Batch copy = toy::copyTexts(random, 3, {.words = 5, .repeats = 3});
        QCOMPARE(copy.length, 16);
        QCOMPARE(copy.rows.size(), std::size_t{9});
        for (int text = 0; text < copy.count; ++text)
            for (const std::int64_t row : copy.rows)
                QCOMPARE(copy.at(text, row + 1), copy.at(text, row + 1 - 5));

        const toy::Batch kv = toy::kvTexts(random, 3, {.pairs = 6, .queries = 8, .shortShare = 0.5});
        QCOMPARE(kv.rows.size(), std::size_t{8});
        int shortQueries = 0;
        for (std::size_t query = 0; query < 8; ++query)
            shortQueries += kv.at(0, kv.rows[query]) == toy::Colon ? 1 : 0;
        QCOMPARE(shortQueries, 4);
        for (int text = 0; text < kv.count; ++text)
            for (std::size_t query = 0; query < 8; ++query) {
                const std::int64_t value =
                    kv.sourcePositions[static_cast<std::size_t>(kv.asked[static_cast<std::size_t>(text) * 8 + query])];
                QCOMPARE(kv.at(text, kv.rows[query] + 1), kv.at(text, value));
                QCOMPARE(kv.at(text, kv.rows[query] - 1), kv.at(text, value - 2));
            }

        const toy::Batch named = toy::mcTexts(random, 2, {.questions = 3, .nameAttributeShare = 1.0});
        for (int text = 0; text < named.count; ++text)
            for (std::size_t question = 0; question < 3; ++question) {
                const std::int64_t row = named.rows[question];
                const std::int64_t option =
                    row - 17 + 2 + 4 * named.right[static_cast<std::size_t>(text) * 3 + question];
                QCOMPARE(named.at(text, row), std::int64_t{toy::Is});
                QCOMPARE(named.at(text, row + 1), named.at(text, option));
            }
    }

    void textKeepsNewlinesBare()
    {
        QCOMPARE(toyText({toy::Bos, toy::Memorize, toy::LowerThe, toy::Dictionary, toy::Colon, toy::Newline, toy::The,
                          toy::Newline}),
                 std::string("<s> Memorize the dictionary :\nThe\n"));
    }

    // The counterpart differs in the piece that is exchanged alone, and its answer is right in it.
    void piecesAreExchanged()
    {
        for (const Example& example : make("toy_kv:pairs=4", {.limit = 20}))
            for (const Exchange exchange : {Exchange::Key, Exchange::Value, Exchange::Binding}) {
                const Example other = exchanged(example, exchange).value();
                QCOMPARE(lines(other.context).size(), lines(example.context).size());
                QVERIFY(other.continuations.front() != example.continuations.front());
                QCOMPARE(other.continuations.front().front(), ' ');
                std::map<std::string, std::string> dictionary; // of the counterpart
                std::string key, asked;
                for (const Segment& segment : other.segments) {
                    const std::string text = range(other, segment);
                    if (segment.role == Role::Key)
                        key = text;
                    else if (segment.role == Role::Value)
                        dictionary[key] = text;
                    else
                        asked = text;
                }
                QCOMPARE(dictionary.size(), std::size_t{4});
                QCOMPARE(" " + dictionary.at(asked), other.continuations.front());
                const bool sameQuestion = lines(other.context).back() == lines(example.context).back();
                QCOMPARE(sameQuestion, exchange != Exchange::Key);
            }
        for (const Example& example : make("toy_mc", {.limit = 8})) {
            const Example other = exchanged(example, Exchange::Value).value();
            for (const Segment& segment : other.segments)
                if (segment.role == Role::Key && segment.target)
                    QCOMPARE(" " + range(other, segment), other.continuations.front());
            QCOMPARE(withChoices(example).continuations.size(), std::size_t{4});
            QCOMPARE(withChoices(example).continuations.front(), example.continuations.front());
        }
        const Example fact = make("toy_knowledge", {.limit = 1}).front();
        QVERIFY(!exchanged(fact, Exchange::Key).has_value());
        QCOMPARE(exchangeFor(fact), Exchange::Name);
        QCOMPARE(withChoices(fact).continuations, fact.continuations);
    }
};

QTEST_GUILESS_MAIN(TestToyTasks)
#include "tst_toytasks.moc"

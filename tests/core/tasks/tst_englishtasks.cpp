// SPDX-License-Identifier: GPL-3.0-or-later
// What the small English models are asked: texts, the examples made of them, and that training draws from other words.
#include "core/tasks/english/english.h"
#include "core/tasks/registry.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

using namespace headscope;
using namespace headscope::tasks;

namespace {

std::vector<std::string> manyWords()
{
    std::vector<std::string> out;
    for (char a = 'a'; a <= 'z'; ++a)
        for (char b = 'a'; b < 'a' + 12; ++b)
            out.push_back(std::string("w") + a + b);
    return out;
}

std::vector<Example> make(const char* name, int limit = 0, std::uint64_t seed = 1234)
{
    auto made = englishExamples(name, manyWords(), limit, seed);
    return made.has_value() ? std::move(made).value() : std::vector<Example>();
}

std::string range(const Example& example, const Segment& segment)
{
    return example.context.substr(segment.begin, segment.end - segment.begin);
}

std::string sourceOf(const Example& example, Role role)
{
    for (const Segment& segment : example.segments)
        if (segment.target && segment.role == role)
            return range(example, segment);
    return {};
}

std::vector<std::string> lines(const std::string& text)
{
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        out.push_back(line);
    return out;
}

} // namespace

class TestEnglishTasks : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void dictionariesHoldTheirAnswer()
    {
        std::set<int> places;
        bool twoWords = false, numbers = false;
        for (const Example& example : make("word_kv:pairs=8", 200)) {
            const std::vector<std::string> all = lines(example.context);
            QCOMPARE(all.size(), std::size_t{10});
            QCOMPARE(all.front(), std::string("Memorize the dictionary:"));
            std::map<std::string, std::string> dictionary;
            for (std::size_t i = 1; i <= 8; ++i) {
                const std::size_t colon = all[i].find(": ");
                dictionary[all[i].substr(0, colon)] = all[i].substr(colon + 1);
            }
            QCOMPARE(dictionary.size(), std::size_t{8});
            const std::string& question = all.back();
            const std::size_t open = question.find('\'');
            const std::string key = question.substr(open + 1, question.rfind('\'') - open - 1);
            QCOMPARE(dictionary[key], example.continuations.front());
            QCOMPARE(" " + sourceOf(example, Role::Value), example.continuations.front());
            QCOMPARE(sourceOf(example, Role::Key), key);
            twoWords = twoWords || key.find(' ') != std::string::npos;
            numbers = numbers || std::isdigit(static_cast<unsigned char>(example.continuations.front()[1]));
            for (const Segment& segment : example.segments)
                if (segment.role == Role::Query)
                    places.insert(segment.group);
        }
        QCOMPARE(places.size(), std::size_t{8}); // the asked pair is anywhere
        QVERIFY(twoWords && numbers);
    }

    void lettersStandBeforeWhatThePersonHas()
    {
        for (const Example& example : make("passage_mc", 100)) {
            const std::string thing = sourceOf(example, Role::Value), name = sourceOf(example, Role::Key);
            QCOMPARE(sourceOf(example, Role::Option), thing);
            QVERIFY(example.context.find(example.continuations.front().substr(1) + ". " + thing + "\n")
                    != std::string::npos);
            QVERIFY(lines(example.context)[5].find(" " + name + " ") != std::string::npos);
            QVERIFY(example.context.ends_with("?\nAnswer:"));
        }
    }

    void theOtherPersonGetsIt()
    {
        for (const Example& example : make("ioi", 100)) {
            const std::string giver = [&] {
                for (const Segment& segment : example.segments)
                    if (segment.role == Role::Query)
                        return range(example, segment);
                return std::string();
            }();
            QCOMPARE(" " + sourceOf(example, Role::Key), example.continuations.front());
            QVERIFY(" " + giver != example.continuations.front());
        }
    }

    void listsGoOnAsBefore()
    {
        for (const Example& example : make("induction", 50)) {
            const std::string text = example.context + example.continuations.front();
            const std::string first = text.substr(5, text.find(' ', 6) - 5);
            const std::size_t again = text.find(first + " ", 6);
            QVERIFY(text.find(text.substr(again)) < again);
        }
    }

    void factsAreAllAndAlwaysTheSame()
    {
        const std::vector<Example> all = make("facts"), again = make("facts", 0, 5);
        QCOMPARE(all.size(), std::size_t{300});
        std::map<std::string, std::string> facts, same;
        for (const Example& example : all)
            facts[example.context] = example.continuations.front();
        for (const Example& example : again)
            same[example.context] = example.continuations.front();
        QCOMPARE(facts.size(), std::size_t{300});
        QVERIFY(facts == same);
    }

    void aLongerRunBeginsWithTheShorter()
    {
        for (const char* name :
             {"word_kv:pairs=4", "word_kv_plain", "word_kv_short", "passage_mc", "ioi", "induction"}) {
            const std::vector<Example> few = make(name, 3), more = make(name, 6), other = make(name, 3, 5);
            QCOMPARE(few.size(), std::size_t{3});
            for (std::size_t i = 0; i < few.size(); ++i)
                QCOMPARE(contentHash(few[i]), contentHash(more[i]));
            QVERIFY(contentHash(few[0]) != contentHash(other[0]));
        }
    }

    void trainingNeverDrawsWhatBenchmarksAskFor()
    {
        const std::vector<std::string> training = english::names(false), kept = english::names(true);
        QCOMPARE(training.size() + kept.size(), std::size_t{100});
        for (const std::string& name : kept)
            QVERIFY(std::find(training.begin(), training.end(), name) == training.end());
        std::vector<std::string> words = manyWords();
        words.push_back("garden"); // stands in sentences about names
        const english::Pools pools = benchmarkPools(words).value();
        QVERIFY(std::find(pools.words.begin(), pools.words.end(), "garden") == pools.words.end());
    }

    void namesAreChecked_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"word_kv:pairs=0", "word_kv:pairs=91", "word_kv:pairs=", "word_kv:size=3",
                                 "word_kv_loud", "ioi:pairs=3", "english"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void namesAreChecked()
    {
        QFETCH(QString, name);
        const auto task = parseEnglishTask(name.toStdString());
        QVERIFY(!task.has_value());
        QVERIFY(task.error().message.find("expected word_kv") != std::string::npos);
    }

    void theRegistryMakesThemOfOurOwnWords()
    {
        const auto set = makeTask("word_kv:pairs=16", {.limit = 5});
        QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
        QCOMPARE(set->examples.size(), std::size_t{5});
        QVERIFY(!makeTask("facts", {.limit = 301}).has_value());
        QVERIFY(!englishExamples("word_kv", {"too", "few"}).has_value());
    }
};

QTEST_APPLESS_MAIN(TestEnglishTasks)
#include "tst_englishtasks.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes and characters of a prompt, marks that stay with their words while a person writes, and tours as files.
#include "app/present/prompt/prompttext.h"
#include "app/window/tours/tour.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace headscope::gui;
using namespace Qt::StringLiterals;

namespace {

app::Prompt prompt(const std::string& text, std::vector<app::Span> spans)
{
    return {.text = text, .spans = std::move(spans), .task = "toy_kv:pairs=8", .sample = 3, .samples = 256};
}

std::string piece(const app::Prompt& prompt, std::size_t span)
{
    return prompt.text.substr(prompt.spans[span].begin, prompt.spans[span].end - prompt.spans[span].begin);
}

} // namespace

class TestPromptText : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void bytesBecomeCharacters()
    {
        // "é" has two bytes and one unit, "🙂" four bytes and two units.
        const app::Prompt given = prompt("é🙂 key", {{Role::Key, 7, 10, false}});
        const auto spans = textSpans(given);
        QCOMPARE(spans.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(given.text).mid(spans[0].begin, spans[0].end - spans[0].begin), u"key"_s);
        const app::TokenizedPrompt tokens{
            .ids = {1, 2, 3}, .tokens = {"é", "🙂", " key"}, .offsets = {{0, 2}, {2, 6}, {6, 10}}};
        QCOMPARE(tokenStarts(given, tokens), (std::vector<int>{0, 1, 3}));
    }

    void tokensWithoutTextAreNoBoundaries()
    {
        const app::TokenizedPrompt tokens{
            .ids = {0, 1, 2}, .tokens = {"<s>", "a", "b"}, .offsets = {{0, 0}, {0, 1}, {1, 2}}};
        QCOMPARE(tokenStarts(prompt("ab", {}), tokens), (std::vector<int>{0, 1}));
    }

    void charactersBecomeTokens()
    {
        const std::string text = "é🙂 key";
        const app::TokenizedPrompt tokens{
            .ids = {0, 1, 2, 3}, .tokens = {"<s>", "é", "🙂", " key"}, .offsets = {{0, 0}, {0, 2}, {2, 6}, {6, 10}}};
        const auto at = [&](int begin, int end) { return tokensAt(text, tokens, begin, end); };
        QCOMPARE(at(0, 1), (interventions::PositionSpan{1, 1}));
        QCOMPARE(at(1, 5), (interventions::PositionSpan{2, 3})); // a part of a token is that token
        QCOMPARE(at(0, 7), (interventions::PositionSpan{1, 3}));
        QVERIFY(!at(2, 2) && !at(7, 9)); // nothing is selected, or what is behind the text
    }

    void marksStayWithTheirWords()
    {
        const app::Prompt before = prompt(
            "fox : 17 owl : 62", {{Role::Key, 0, 3, false}, {Role::Value, 6, 8, true}, {Role::Value, 15, 17, false}});
        const app::Prompt longer = edited(before, u"fox : 17 snowy owl : 62"_s);
        QVERIFY(longer.task.empty()); // no longer the sample
        QCOMPARE(longer.spans.size(), std::size_t{3});
        QCOMPARE(piece(longer, 0), std::string("fox"));
        QCOMPARE(piece(longer, 1), std::string("17"));
        QVERIFY(longer.spans[1].target);
        QCOMPARE(piece(longer, 2), std::string("62"));
        const app::Prompt changed = edited(before, u"fox : 99 owl : 62"_s);
        QCOMPARE(changed.spans.size(), std::size_t{2}); // what was overwritten has no role any more
        QCOMPARE(piece(changed, 1), std::string("62"));
        QVERIFY(edited(before, QString()).spans.empty());
    }

    void theEndIsKeptWhereAPromptIsCut()
    {
        // "<s>", "é", " fox", " :", " 17": three of them leave room for two with text.
        const app::Prompt whole = prompt("é fox : 17", {{Role::Key, 3, 6, false}, {Role::Value, 9, 11, true}});
        const app::TokenizedPrompt tokens{.ids = {0, 1, 2, 3, 4},
                                          .tokens = {"<s>", "é", " fox", " :", " 17"},
                                          .offsets = {{0, 0}, {0, 2}, {2, 6}, {6, 8}, {8, 11}}};
        const app::Prompt cut = withoutBeginning(whole, tokens, 3);
        QCOMPARE(cut.text, std::string(" : 17"));
        QVERIFY(cut.task.empty()); // no longer the sample
        QCOMPARE(cut.spans.size(), std::size_t{1});
        QCOMPARE(piece(cut, 0), std::string("17"));
        QVERIFY(cut.spans[0].target);
        QCOMPARE(withoutBeginning(whole, tokens, 5).text, whole.text);
        // Tokens that share a character do not leave half of it.
        const app::TokenizedPrompt bytes{
            .ids = {1, 2, 3}, .tokens = {"?", "?", " fox"}, .offsets = {{0, 1}, {1, 2}, {2, 6}}};
        QCOMPARE(withoutBeginning(prompt("é fox", {}), bytes, 2).text, std::string(" fox"));
    }

    void newMarksReplaceOldOnes()
    {
        const app::Prompt before = prompt("é fox : 17", {{Role::Key, 3, 6, false}});
        const app::Prompt after = marked(before, Role::Question, 0, 5);
        QCOMPARE(after.spans.size(), std::size_t{1});
        QCOMPARE(after.spans[0].role, Role::Question);
        QCOMPARE(piece(after, 0), std::string("é fox"));
        const app::Prompt more = marked(after, Role::Value, 8, 10);
        QCOMPARE(more.spans.size(), std::size_t{2});
        QCOMPARE(piece(more, 1), std::string("17"));
        QCOMPARE(marked(before, Role::Key, 4, 4).spans.size(), before.spans.size()); // nothing selected
    }

    void marksSayWhatTheAnswerIs_data()
    {
        using Marks = std::vector<std::pair<Role, QString>>;
        QTest::addColumn<Marks>("marks");
        QTest::addColumn<QStringList>("targets");
        QTest::newRow("one value") << Marks{{Role::Value, u"velvet"_s}} << QStringList{u"velvet"_s};
        QTest::newRow("two values: both")
            << Marks{{Role::Value, u"velvet"_s}, {Role::Value, u"iron"_s}} << QStringList{u"velvet"_s, u"iron"_s};
        QTest::newRow("an answer") << Marks{{Role::Answer, u"iron"_s}} << QStringList{u"iron"_s};
        QTest::newRow("an answer among values")
            << Marks{{Role::Value, u"velvet"_s}, {Role::Answer, u"iron"_s}, {Role::Value, u"moss"_s}}
            << QStringList{u"iron"_s};
        QTest::newRow("two answers") << Marks{{Role::Answer, u"iron"_s}, {Role::Answer, u"moss"_s}}
                                     << QStringList{u"iron"_s, u"moss"_s};
        const Marks pairs{{Role::Key, u"wolf"_s},   {Role::Value, u"velvet"_s}, {Role::Key, u"wet sock"_s},
                          {Role::Value, u"iron"_s}, {Role::Key, u"crow"_s},     {Role::Value, u"moss"_s}};
        Marks asked = pairs;
        asked.push_back({Role::Query, u"'wet sock'"_s});
        QTest::newRow("the value that is asked for") << asked << QStringList{u"wet sock"_s, u"iron"_s};
        Marks first{asked.back()};
        first.insert(first.end(), pairs.begin(), pairs.end());
        QTest::newRow("in any order") << first << QStringList{u"wet sock"_s, u"iron"_s};
        Marks other = pairs;
        other.push_back({Role::Question, u"What is"_s});
        QTest::newRow("a question says nothing") << other << QStringList{u"velvet"_s, u"iron"_s, u"moss"_s};
        Marks moved = {{Role::Value, u"velvet"_s}, {Role::Answer, u"iron"_s}, {Role::Key, u"iron"_s}};
        QTest::newRow("an answer marked as something else") << moved << QStringList{u"velvet"_s};
        QTest::newRow("no answer") << Marks{{Role::Key, u"wolf"_s}} << QStringList();
    }

    void marksSayWhatTheAnswerIs()
    {
        using Marks = std::vector<std::pair<Role, QString>>;
        QFETCH(Marks, marks);
        QFETCH(QStringList, targets);
        app::Prompt own = prompt("wolf: velvet\nwet sock: iron\ncrow: moss\nWhat is 'wet sock'", {});
        const QString text = QString::fromStdString(own.text);
        for (const auto& [role, word] : marks) {
            const auto at = role == Role::Query ? text.lastIndexOf(word) : text.indexOf(word);
            QVERIFY(at >= 0);
            own = marked(own, role, static_cast<int>(at), static_cast<int>(at + word.size()));
        }
        QStringList found;
        for (std::size_t i = 0; i < own.spans.size(); ++i)
            if (own.spans[i].target)
                found << QString::fromStdString(piece(own, i));
        QCOMPARE(found, targets);
    }

    void theRightOptionOfATaskStays()
    {
        const app::Prompt mc = prompt("A. red B. blue", {{Role::Option, 0, 6, false}, {Role::Option, 7, 14, true}});
        const app::Prompt after = marked(mc, Role::Key, 3, 3);
        QVERIFY(after.spans[1].target);
        const app::Prompt more = marked(mc, Role::Question, 0, 2);
        QVERIFY(more.spans.back().target);
    }

    // A sentence about what the model writes is a claim that tst_windowtools measures.
    void whatModelsWriteIsClaimed()
    {
        static const QRegularExpression sentence(
            uR"(\b(?:it|the model)\b(?:\s+\w+){0,3}\s+(?:writes?|says?|answers?)\b)"_s,
            QRegularExpression::CaseInsensitiveOption);
        int steps = 0;
        for (const char* folder : {"tours", "exercises"})
            for (const gui::Tour& tour :
                 toursIn(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/") + QLatin1String(folder), u"C"_s))
                for (qsizetype i = 0; i < tour.steps.size(); ++i) {
                    const widgets::TourStep& step = tour.steps.at(i);
                    const QString text = QStringList{step.text, step.question, step.answers.join(u'\n'),
                                                     step.why.join(u'\n'), step.explanation}
                                             .join(u'\n');
                    const bool writes = std::ranges::any_of(
                        step.actions, [](const widgets::TourAction& action) { return action.id == u"continue"_s; });
                    if (!writes && !sentence.match(text).hasMatch())
                        continue;
                    ++steps;
                    QVERIFY2(!tour.outputs.at(i).isEmpty(), qPrintable(tour.id + u": "_s + step.title));
                    for (const gui::TourOutput& output : tour.outputs.at(i))
                        QVERIFY2(!output.like.isEmpty() && output.sample.isEmpty() != output.text.isEmpty(),
                                 qPrintable(step.title));
                }
        QVERIFY(steps >= 8);
    }

    void everyTourCanBeReadInEveryLanguage()
    {
        const QString folder = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/tours");
        const auto english = toursIn(folder, u"C"_s), german = toursIn(folder, u"de_AT"_s);
        QVERIFY(!english.isEmpty());
        QCOMPARE(german.size(), english.size());
        for (qsizetype i = 0; i < english.size(); ++i) {
            QVERIFY(german.at(i).title != english.at(i).title);
            QCOMPARE(german.at(i).models, english.at(i).models);
            for (qsizetype s = 0; s < english.at(i).outputs.size(); ++s)
                QCOMPARE(german.at(i).outputs.at(s).size(), english.at(i).outputs.at(s).size());
            QCOMPARE(german.at(i).steps.size(), english.at(i).steps.size());
            for (qsizetype s = 0; s < english.at(i).steps.size(); ++s) {
                const auto& one = english.at(i).steps.at(s);
                const auto& other = german.at(i).steps.at(s);
                QCOMPARE(other.rightAnswer, one.rightAnswer);
                QCOMPARE(other.answers.size(), one.answers.size());
                QCOMPARE(other.actions.size(), one.actions.size());
                for (qsizetype a = 0; a < one.actions.size(); ++a) {
                    QCOMPARE(other.actions.at(a).id, one.actions.at(a).id);
                    const QString verb =
                        one.actions.at(a).id.section(u' ', 0, 0); // every command does something that exists
                    QVERIFY2((QStringList{u"on"_s, u"off"_s, u"show"_s, u"set"_s, u"sample"_s, u"continue"_s,
                                          u"removal"_s, u"type"_s, u"edges"_s, u"score"_s})
                                 .contains(verb),
                             qPrintable(verb));
                }
                // Heads are found, not written down, but in a tour whose steps show heads by name: its claims measure
                // those.
                const QRegularExpression head(u"L\\d+H\\d+"_s);
                const auto& scenes = english.at(i).scenes;
                QVERIFY(std::any_of(scenes.begin(), scenes.end(),
                                    [&](const TourScene& scene) { return scene.head[0].contains(head); })
                        || !QString(one.title + one.text + one.explanation).contains(head));
            }
        }
    }

    void headsAreFilledIn()
    {
        const widgets::TourStep step = withHeads({.title = u"{aggregate}"_s,
                                                  .text = u"See {gather}."_s,
                                                  .actions = {{u"off {aggregate}"_s, u"Off {aggregate}"_s}}},
                                                 {{u"{aggregate}"_s, u"L2H3"_s}});
        QCOMPARE(step.title, u"L2H3"_s);
        QCOMPARE(step.text, u"See the gather head."_s);
        QCOMPARE(step.actions.at(0).id, u"off {aggregate}"_s); // commands are filled in when they run
        QCOMPARE(step.actions.at(0).text, u"Off L2H3"_s);
        QCOMPARE(withHeads({.title = u"{aggregateB} beside {aggregate}"_s},
                           {{u"{aggregate}"_s, u"L2H3"_s}, {u"{aggregateB}"_s, u"L1H0"_s}})
                     .title,
                 u"L1H0 beside L2H3"_s);
    }

    void brokenToursSayWhatIsWrong()
    {
        QTemporaryDir folder;
        const auto write = [&](const char* text) {
            QFile file(folder.filePath(u"t.json"_s));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
        };
        write("{ not json");
        QVERIFY(!readTour(folder.filePath(u"t.json"_s)).has_value());
        write(
            R"({"title": "t", "models": ["m"], "steps": [{"title": "s", "text": "x", "question": "q", "answers": ["a"], "right": 1}]})");
        const auto tour = readTour(folder.filePath(u"t.json"_s));
        QVERIFY(!tour.has_value());
        QVERIFY(tour.error().message.find("no right answer") != std::string::npos);
        QVERIFY(!readTour(folder.filePath(u"none.json"_s)).has_value());
        QVERIFY(toursIn(folder.path(), u"C"_s).isEmpty());
    }
};

QTEST_APPLESS_MAIN(TestPromptText)
#include "tst_prompttext.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// What an analysis asks where answers have several tokens: the first in which the right one parts from another.
#include "core/engine/questions/pairs.h"
#include "tests/support/scoringfixture.h"

#include <QTest>

using namespace headscope;
using namespace headscope::engine;
using scoringfixture::choiceRow;

class TestQuestions : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void partsAreCounted();
    void oneTokenIsAskedAsBefore();
    void theFirstTokenThatDiffers();
    void whatAllBeginWithIsRead();
    void pairsPartWhereTheirAnswersDo();
    void aBlankIsWrittenAsItIsShown();
    void refusesWithASentence();

private:
    [[nodiscard]] Reader reader() const { return {*m_words, BosPolicy::Never, 0}; }
    [[nodiscard]] Result<Question> ask(std::vector<std::string> choices, int gold) const
    {
        tasks::Example row = choiceRow(0, "w1 w2 :", std::move(choices));
        row.gold = gold;
        return questionOf(scoringfixture::setOf({row}), 0, reader());
    }
    [[nodiscard]] int word(int number) const { return 3 + number; } // the id of "w7"
    std::shared_ptr<const text::Tokenizer> m_words;
};

void TestQuestions::initTestCase()
{
    m_words = tokenizerfixture::load(scoringfixture::wordsFile());
    QVERIFY(m_words);
}

void TestQuestions::partsAreCounted()
{
    const std::vector<int> a = {1, 2, 3}, b = {1, 5}, begin = {1, 2};
    QCOMPARE(partingToken(a, b), std::optional<int>(1));
    QCOMPARE(partingToken(b, a), std::optional<int>(1));
    QVERIFY(!partingToken(a, begin) && !partingToken(begin, a) && !partingToken(a, a));
}

void TestQuestions::oneTokenIsAskedAsBefore()
{
    const auto question = ask({" w7", " w8", " w9"}, 1);
    QVERIFY(question.has_value());
    QCOMPARE(question->ids, (std::vector<int>{word(1), word(2), 62}));
    QCOMPARE(question->answer, std::optional<int>(word(8)));
    QCOMPARE(question->wrong, (std::vector<int>{word(7), word(9)}));
    QCOMPARE(question->shared, 0);
    QVERIFY(question->source.find("token") == std::string::npos);
}

void TestQuestions::theFirstTokenThatDiffers()
{
    // One choice begins as the answer does: it is no distractor here, because its first token is the answer's.
    const auto question = ask({" w7 w8", " w7 w9", " w10 w8 w11"}, 0);
    QVERIFY(question.has_value());
    QCOMPARE(question->ids, (std::vector<int>{word(1), word(2), 62}));
    QCOMPARE(question->answer, std::optional<int>(word(7)));
    QCOMPARE(question->wrong, std::vector<int>{word(10)});
    QCOMPARE(question->answerTokens, (std::vector<int>{word(7), word(8)}));
    QVERIFY2(question->source.ends_with("token 1 of the answer's 2"), question->source.c_str());
}

void TestQuestions::whatAllBeginWithIsRead()
{
    const auto question = ask({" w7 w8", " w7 w9"}, 1);
    QVERIFY(question.has_value());
    QCOMPARE(question->ids, (std::vector<int>{word(1), word(2), 62, word(7)}));
    QCOMPARE(question->shared, 1);
    QCOMPARE(question->answer, std::optional<int>(word(9)));
    QCOMPARE(question->wrong, std::vector<int>{word(8)});
    QVERIFY(question->isBehind(std::vector<int>{word(1), word(2), 62}));
    QVERIFY(!question->isBehind(question->ids));
}

void TestQuestions::pairsPartWhereTheirAnswersDo()
{
    const auto row = [](int number, const char* context, const char* answer) {
        return choiceRow(number, context, {answer});
    };
    const auto made = pairsOf(scoringfixture::setOf({row(0, "w1 w2 :", " w7 w8 w9"), row(1, "w1 w3 :", " w7 w10"),
                                                     row(2, "w1 w2 w3 w4 :", " w7 w11")}),
                              -1, tasks::Exchange::Name, reader());
    QVERIFY2(made.has_value(), made.has_value() ? "" : made.error().message.c_str());
    QCOMPARE(made->pairs.size(), std::size_t{2}); // the third has no counterpart of its length
    QCOMPARE(made->leftOut, 1);
    const PromptPair& first = made->pairs.front();
    // Both answers begin with w7, so that both prompts do go on with it.
    QCOMPARE(first.clean, (std::vector<int>{word(1), word(2), 62, word(7)}));
    QCOMPARE(first.corrupt, (std::vector<int>{word(1), word(3), 62, word(7)}));
    QCOMPARE(first.answer, std::optional<int>(word(8)));
    QCOMPARE(first.distractor, std::optional<int>(word(10)));
    QCOMPARE(first.answerToken, 1);
    QCOMPARE(first.answerTokens, 3);
}

// In an ablation blanks stand between interventions: swap:L2=jlens:▁dog,▁cat.
void TestQuestions::aBlankIsWrittenAsItIsShown()
{
    const auto tokenizer = text::Tokenizer::load(HEADSCOPE_SOURCE_DIR "/resources/models/small-transformer");
    QVERIFY(tokenizer.has_value());
    const auto blank = singleToken(**tokenizer, " dog"), shown = singleToken(**tokenizer, "\u2581dog");
    QVERIFY(blank.has_value() && shown.has_value());
    QCOMPARE(*shown, *blank);
    QCOMPARE(tokenText(**tokenizer, *shown), std::string(" dog"));
    const auto without = singleToken(**tokenizer, "dog");
    QVERIFY(!without.has_value() && without.error().message.find("\u2581") != std::string::npos);
}

void TestQuestions::refusesWithASentence()
{
    tasks::Example apart = choiceRow(0, "", {" w7", " w8"});
    apart.contexts = {"w1 :", "w2 :"};
    const auto prompts = questionOf(scoringfixture::setOf({apart}), 0, reader());
    QVERIFY(!prompts.has_value() && prompts.error().message.find("different prompts") != std::string::npos);
    // No token parts an answer from one that goes on behind it.
    const auto begins =
        pairsOf(scoringfixture::setOf({choiceRow(0, "w1 w2 :", {" w7"}), choiceRow(1, "w1 w3 :", {" w7 w8"})}), -1,
                tasks::Exchange::Name, reader());
    QVERIFY(!begins.has_value() && begins.error().message.find("counterpart") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestQuestions)
#include "tst_questions.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// What the models answer is beside the prompt, and follows each click.
#include "tests/support/heard.h"
#include "tests/support/windowfixture.h"
#include "widgets/prompt/answersview.h"

#include <random>

using namespace headscope;
using namespace Qt::StringLiterals;
using Verdict = widgets::ModelAnswer::Verdict;

class TestAnswers : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_fixture.open(u"tiny-transformer"_s));
        QVERIFY(m_fixture.showSample(u"toy_kv:pairs=8"_s));
    }
    void theAnswerIsThatOfTheSample();
    void itFollowsAClick();
    void aTextOfOnesOwnHasNoVerdict();
    void whatCannotBeReadHasNoAnswer();
    void answersOfSeveralTokensAreWhole();
    void theReaderOfATypedDictionaryIsShown_data();
    void theReaderOfATypedDictionaryIsShown();

private:
    [[nodiscard]] widgets::AnswersView& view() { return *m_fixture.window().parts().prompt->answers(); }
    [[nodiscard]] bool answered()
    {
        return QTest::qWaitFor([this] { return view().answer(Side::A) && !view().isWaiting(Side::A); },
                               testing::WindowFixture::kWait)
               && m_fixture.settled<app::NextTokensRequest>();
    }

    testing::WindowFixture m_fixture;
};

void TestAnswers::theAnswerIsThatOfTheSample()
{
    QVERIFY(answered());
    const auto& answer = *view().answer(Side::A);
    QCOMPARE(answer.said, QString::fromStdString(m_fixture.explorer().prompt().answer).trimmed());
    QVERIFY(answer.verdict == Verdict::Right && answer.before.isEmpty());
    QVERIFY(!view().answer(Side::B));
    QVERIFY(view().isVisible());
    QVERIFY2(view().accessibleDescription().contains(u"A answers "_s + answer.said),
             qPrintable(view().accessibleDescription()));
    double sum = 0;
    for (const auto& [token, probability] : answer.likely)
        sum += probability;
    QVERIFY(answer.likely.size() == 4 && answer.likely.front().second > 0.5 && sum <= 1.0001);
}

void TestAnswers::itFollowsAClick()
{
    QVERIFY(answered());
    const QString right = view().answer(Side::A)->said;
    m_fixture.ablate("L2H5");
    QVERIFY(view().isWaiting(Side::A)); // at once, and faintly
    QVERIFY(answered());
    QVERIFY(view().answer(Side::A)->said != right);
    QCOMPARE(view().answer(Side::A)->before, right);
    QVERIFY(view().answer(Side::A)->verdict == Verdict::WasRight);
    m_fixture.ablate("");
    QVERIFY(answered());
    QCOMPARE(view().answer(Side::A)->said, right);
    QVERIFY(view().answer(Side::A)->before.isEmpty());
}

void TestAnswers::aTextOfOnesOwnHasNoVerdict()
{
    m_fixture.explorer().usePrompt({.text = "<s> The food of Ada is"});
    QVERIFY(answered());
    QVERIFY(view().answer(Side::A)->verdict == Verdict::Unknown);
    QVERIFY(!view().answer(Side::A)->said.isEmpty());
}

void TestAnswers::whatCannotBeReadHasNoAnswer()
{
    m_fixture.explorer().usePrompt({.text = "antidisestablishmentarianism"});
    QVERIFY(QTest::qWaitFor([this] { return !view().answer(Side::A); }, testing::WindowFixture::kWait));
    QCOMPARE(view().accessibleDescription(), QString());
}

// Words of the small English models are pieces: the answer is as long as it agrees with the sample's.
void TestAnswers::answersOfSeveralTokensAreWhole()
{
    m_fixture.window().openModels(u"small-transformer"_s);
    QVERIFY(QTest::qWaitFor([this] { return m_fixture.explorer().model(Side::A)->name == "small-transformer"; },
                            testing::WindowFixture::kWait));
    int whole = 0, several = 0;
    for (int sample = 0; sample < 6; ++sample) {
        const testing::Heard<app::NextTokensRequest> heard(*m_fixture.window().worker());
        QVERIFY(m_fixture.showSample(u"word_kv:pairs=4"_s, sample));
        QVERIFY(QTest::qWaitFor([&] { return m_fixture.explorer().prompt().sample == sample; },
                                testing::WindowFixture::kWait));
        QVERIFY(answered());
        const QString wanted = QString::fromStdString(m_fixture.explorer().prompt().answer).trimmed();
        QVERIFY(!heard.replies.empty());
        const auto& last = *heard.replies.back();
        several += last.tokens.front().first != last.written ? 1 : 0;
        whole += view().answer(Side::A)->verdict == Verdict::Right && view().answer(Side::A)->said == wanted ? 1 : 0;
    }
    QVERIFY2(whole >= 4, qPrintable(QString::number(whole)));
    QVERIFY2(several >= 1, qPrintable(QString::number(several)));
    // Of a text of one's own it is as long as the word.
    m_fixture.explorer().usePrompt({.text = "Memorize the dictionary:\nold tree: violin\nnew moon: carpet\nred door: "
                                            "pepper\nThe value of the key new moon is"});
    QVERIFY(answered());
    QCOMPARE(view().answer(Side::A)->said, u"carpet"_s);
    QCOMPARE(view().answer(Side::A)->likely.front().first, u"car"_s);
}

void TestAnswers::theReaderOfATypedDictionaryIsShown_data()
{
    QTest::addColumn<QString>("model");
    for (const char* model : {"small-transformer", "small-hybrid"})
        QTest::newRow(model) << QString::fromLatin1(model);
}

// In dictionaries that a person types the head that is shown reads the answer where it stands.
void TestAnswers::theReaderOfATypedDictionaryIsShown()
{
    QFETCH(const QString, model);
    m_fixture.window().openModels(model);
    QVERIFY(QTest::qWaitFor([&] { return m_fixture.explorer().model(Side::A)->name == model.toStdString(); },
                            testing::WindowFixture::kWait));
    std::mt19937 random(1);
    std::vector<std::string> names{"Tom", "Ada", "Ben", "Eva", "Max", "Ann"},
        things{"river", "stone", "apple", "bread", "cloud", "horse", "table", "chair"};
    int found = 0;
    constexpr int kTexts = 20;
    std::string seen;
    for (int i = 0; i < kTexts; ++i) {
        std::ranges::shuffle(names, random);
        std::ranges::shuffle(things, random);
        std::string prompt = "Memorize the dictionary:";
        for (std::size_t pair = 0; pair < 4; ++pair)
            prompt += '\n' + names[pair] + ": " + things[pair];
        prompt += "\nThe value of the key " + names[static_cast<std::size_t>(i % 4)] + " is";
        const testing::Heard<app::ReadersRequest> readers(*m_fixture.window().worker());
        m_fixture.explorer().usePrompt({.text = prompt});
        QVERIFY(answered());
        QVERIFY(m_fixture.settled<app::ReadersRequest>());
        const interventions::HeadRef head = m_fixture.window().state()->side(Side::A).head;
        for (const auto& reply : readers.replies)
            for (const app::HeadValue& one : reply->scores.at("target"))
                if (one.head == head) {
                    found += one.value > 0.5 ? 1 : 0;
                    seen += ' ' + interventions::toText(head) + '=' + std::to_string(one.value);
                }
    }
    qInfo("%s: %d of %d;%s", qPrintable(model), found, kTexts, seen.c_str());
    QVERIFY(found >= kTexts - 2);
}

QTEST_MAIN(TestAnswers)
#include "tst_answers.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// What the models answer is beside the prompt, and follows each click.
#include "app/present/heads/headmarks.h"
#include "tests/support/replyrecorder.h"
#include "tests/support/windowfixture.h"
#include "widgets/frame/messagebar.h"
#include "widgets/look/numbertext.h"
#include "widgets/prompt/answersview.h"

#include <QPushButton>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <set>

using namespace headscope;
using namespace Qt::StringLiterals;
using Verdict = widgets::ModelAnswer::Verdict;

namespace {

constexpr auto kDictionary = "Memorize the dictionary:\napple: river\nstone: yellow\nharbour: velvet\nwindow: "
                             "garden\nThe value of the key harbour is";

} // namespace

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
    void aSampleShowsItsReader();
    void headsAreRankedOnThisPrompt_data();
    void headsAreRankedOnThisPrompt();
    void theRankingFollowsThePrompt();
    void aFilesLastLineBreakIsNoPartOfThePrompt();
    void unreadableWordsOfferOtherModels();

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
        const testing::ReplyRecorder<app::NextTokensRequest> heard(*m_fixture.window().worker());
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
    QVERIFY(view().answer(Side::A)->verdict == Verdict::InPrompt);
    QVERIFY(view().accessibleDescription().contains(u"in the prompt"_s));
    QCOMPARE(view().answer(Side::A)->likely.front().first, u"car"_s);
    // A space that is a token of its own is not the answer.
    m_fixture.explorer().usePrompt({.text = "Memorize the dictionary:\nold tree: violin\nnew moon: zebra\nred door: "
                                            "pepper\nThe value of the key new moon is"});
    QVERIFY(QTest::qWaitFor([&] { return view().answer(Side::A) && view().answer(Side::A)->said != u"carpet"_s; },
                            testing::WindowFixture::kWait));
    QVERIFY(answered());
    QVERIFY2(!view().answer(Side::A)->likely.front().first.front().isLetter(), "it begins with a word now");
    QCOMPARE(view().answer(Side::A)->said, u"zebra"_s);
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
    int found = 0, elsewhere = 0;
    constexpr int kTexts = 20;
    std::string seen;
    for (int i = 0; i < kTexts; ++i) {
        std::ranges::shuffle(names, random);
        std::ranges::shuffle(things, random);
        std::string prompt = "Memorize the dictionary:";
        for (std::size_t pair = 0; pair < 4; ++pair)
            prompt += '\n' + names[pair] + ": " + things[pair];
        const std::string quote = i % 2 == 0 ? "" : "'";
        prompt += "\nThe value of the key " + quote + names[static_cast<std::size_t>(i % 4)] + quote + " is";
        const testing::ReplyRecorder<app::ReadersRequest> readers(*m_fixture.window().worker());
        m_fixture.explorer().usePrompt({.text = prompt});
        QVERIFY(answered());
        QVERIFY(m_fixture.settled<app::ReadersRequest>());
        const interventions::HeadRef head = m_fixture.window().state()->side(Side::A).head;
        if (readers.replies.empty()) { // the prompt contains no likely word
            ++elsewhere;
            seen += " none";
        }
        for (const auto& reply : readers.replies) {
            const auto& read = reply->scores.at("target"); // without pruned heads
            const auto own = std::ranges::find(read, head, &app::HeadValue::head);
            QVERIFY2(own != read.end(), "a pruned head reads the answer for nobody");
            found += own->value > 0.5 ? 1 : 0;
            seen += ' ' + interventions::toText(head) + '=' + std::to_string(own->value);
        }
    }
    qInfo("%s: %d of %d;%s", qPrintable(model), found, kTexts, seen.c_str());
    QCOMPARE(found + elsewhere, kTexts);
    QVERIFY(elsewhere <= 1);
}

// On a sample the reader replaces the costliest head, which serves every token; an idle reader does not, however well
// it reads (L2H0 of the tiny Transformer).
void TestAnswers::aSampleShowsItsReader()
{
    const auto shows = [this](const QString& model, const QString& task, int layer, const std::set<int>& heads) {
        m_fixture.window().openModels(model);
        const auto opened = [&] { return m_fixture.explorer().model(Side::A)->name == model.toStdString(); };
        if (!QTest::qWaitFor(opened, testing::WindowFixture::kWait) || !m_fixture.showSample(task))
            return false;
        return QTest::qWaitFor(
            [&] {
                const interventions::HeadRef head = m_fixture.window().state()->side(Side::A).head;
                return head.layer == layer && heads.contains(head.head);
            },
            testing::WindowFixture::kWait);
    };
    QVERIFY(shows(u"small-transformer"_s, u"word_kv:pairs=8"_s, 1, {2, 3, 4}));
    QVERIFY(shows(u"tiny-transformer"_s, u"toy_kv:pairs=8"_s, 2, {5}));
    QVERIFY(shows(u"small-ssm"_s, u"word_kv:pairs=8"_s, 1,
                  {0, 1, 2, 3, 4, 5, 6})); // a tenth each, more than any other token
}

void TestAnswers::headsAreRankedOnThisPrompt_data()
{
    QTest::addColumn<QString>("model");
    for (const char* model : {"small-transformer", "small-ssm", "small-hybrid"})
        QTest::newRow(model) << QString::fromLatin1(model);
}

// One click: estimates of all heads, then each as a run without it says; another way to the same number.
void TestAnswers::headsAreRankedOnThisPrompt()
{
    QFETCH(const QString, model);
    m_fixture.window().openModels(model);
    QVERIFY(QTest::qWaitFor([&] { return m_fixture.explorer().model(Side::A)->name == model.toStdString(); },
                            testing::WindowFixture::kWait));
    gui::WindowState& state = *m_fixture.window().state();
    m_fixture.explorer().usePrompt({.text = kDictionary});
    QVERIFY(answered());
    const int steps = state.undoStack().count();
    const testing::ReplyRecorder<app::PromptEffectsRequest> heard(*m_fixture.window().worker());
    auto* button = m_fixture.window().parts().prompt->findChild<QToolButton*>(u"rankHeads"_s);
    QVERIFY(button && button->isVisible());
    button->click();
    QVERIFY(m_fixture.settled<app::PromptEffectsRequest>());
    QCOMPARE(state.undoStack().count(), steps);
    QCOMPARE(state.side(Side::A).metric, std::string("prompt"));
    QVERIFY(heard.replies.size() >= 2);
    const auto& estimates = *heard.replies.front();
    QVERIFY(std::ranges::all_of(estimates, &app::HeadValue::estimate));
    QCOMPARE(estimates.size(), std::size_t{40});
    QVERIFY(std::ranges::any_of(estimates, [](const app::HeadValue& head) { return head.value > 0.1; }));
    const std::vector<app::HeadValue>& exact = state.side(Side::A).ownMetrics.at("prompt");
    QCOMPARE(exact.size(), std::size_t{40});
    QVERIFY(std::ranges::none_of(exact, &app::HeadValue::estimate));
    const auto& map = *m_fixture.window().parts().mapA->model();
    QVERIFY2(map.metric().name.startsWith(u"on this prompt"_s), qPrintable(map.metric().name));
    // The answer's lead over the next token by the probabilities of both, with all heads on and with one off.
    const auto lead = [&](const char* off, const std::string& answer,
                          const std::string& next) -> std::optional<double> {
        const testing::ReplyRecorder<app::NextTokensRequest> said(*m_fixture.window().worker());
        m_fixture.window().worker()->ask(
            app::NextTokensRequest{Side::A, state.prompt(), *interventions::InterventionSet::parse(off)});
        if (!m_fixture.settled<app::NextTokensRequest>() || said.replies.empty())
            return std::nullopt;
        std::optional<double> a, b;
        for (const auto& [token, probability] : said.replies.back()->tokens) {
            if (token == answer)
                a = std::log(probability);
            else if (token == next)
                b = std::log(probability);
        }
        return a && b ? std::optional(*a - *b) : std::nullopt;
    };
    const testing::ReplyRecorder<app::NextTokensRequest> said(*m_fixture.window().worker());
    m_fixture.window().worker()->ask(app::NextTokensRequest{Side::A, state.prompt(), {}});
    QVERIFY(m_fixture.settled<app::NextTokensRequest>() && !said.replies.empty());
    const auto likely = said.replies.back()->tokens;
    const std::string answer = likely.at(0).first, next = likely.at(1).first;
    const auto allOn = lead("", answer, next);
    QVERIFY(allOn);
    int compared = 0;
    for (const app::HeadValue& head : exact)
        if (const auto without = lead(interventions::toText(head.head).c_str(), answer, next)) {
            ++compared;
            QVERIFY2(std::abs(head.value - (*allOn - *without)) < 0.01,
                     qPrintable(u"%1: %2, %3"_s.arg(QString::fromStdString(interventions::toText(head.head)))
                                    .arg(head.value)
                                    .arg(*allOn - *without)));
        }
    QVERIFY2(compared >= 20, qPrintable(QString::number(compared)));
    // The head that is looked at says what the answer loses without it.
    const auto most = std::ranges::max_element(exact, {}, &app::HeadValue::value);
    state.setHead(Side::A, most->head);
    QVERIFY(m_fixture.settled<app::MapRequest>());
    const QStringList tag = gui::headTag(state.side(Side::A), most->head);
    QVERIFY2(tag.front().contains(u"answer "_s + widgets::signedText(-most->value)), qPrintable(tag.join(u'/')));
    QVERIFY2(
        m_fixture.window().parts().messages->text().contains(QString::fromStdString(interventions::toText(most->head))),
        qPrintable(m_fixture.window().parts().messages->text()));
    qInfo("%s: %s %.2f of %.2f", qPrintable(model), interventions::toText(most->head).c_str(), most->value, *allOn);
}

// Of another prompt no number stays; it is ranked again, and a stopped ranking when it is asked for again.
void TestAnswers::theRankingFollowsThePrompt()
{
    gui::WindowState& state = *m_fixture.window().state();
    const auto known = [&] {
        const auto found = state.side(Side::A).ownMetrics.find("prompt");
        return found == state.side(Side::A).ownMetrics.end() ? std::vector<app::HeadValue>() : found->second;
    };
    m_fixture.window().explorer()->controllers().metrics.rankOnPrompt();
    QVERIFY(m_fixture.settled<app::PromptEffectsRequest>());
    const auto before = known();
    QVERIFY(!before.empty());
    m_fixture.ablate("L0H0"); // all heads on is what it is measured from
    QVERIFY(!m_fixture.window().worker()->isRunning<app::PromptEffectsRequest>(Side::A));
    QVERIFY(!known().empty());
    m_fixture.ablate("");
    m_fixture.explorer().usePrompt({.text = std::string(kDictionary) + " the"});
    QVERIFY(known().empty());
    for (const auto& row : m_fixture.window().parts().mapA->model()->metric().values)
        for (const float value : row)
            QVERIFY(std::isnan(value));
    QVERIFY(m_fixture.settled<app::PromptEffectsRequest>());
    QVERIFY(!known().empty());
    QVERIFY(std::ranges::none_of(known(), &app::HeadValue::estimate));
    m_fixture.window().explorer()->controllers().metrics.rankOnPrompt();
    m_fixture.window().worker()->stopAll();
    QVERIFY(m_fixture.settled<app::PromptEffectsRequest>());
    m_fixture.window().explorer()->controllers().metrics.rankOnPrompt();
    QVERIFY(m_fixture.settled<app::PromptEffectsRequest>());
    QVERIFY(!known().empty() && std::ranges::none_of(known(), &app::HeadValue::estimate));
    state.setMetric(Side::A, "effect");
}

// Editors end every file with one; a model would answer with the next line.
void TestAnswers::aFilesLastLineBreakIsNoPartOfThePrompt()
{
    for (const auto& [written, read] : {std::pair("The word is\n", "The word is"),
                                        {"The word is\r\n", "The word is"},
                                        {"The word is\n\n", "The word is\n"},
                                        {"The word is", "The word is"}}) {
        const QString path = m_fixture.file(u"own.txt"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(written) > 0);
        file.close();
        m_fixture.window().act(u"text="_s + path);
        QCOMPARE(m_fixture.explorer().prompt().text, std::string(read));
    }
}

// A tiny model knows the words of its tasks alone: which models read any words is said, and one click away.
void TestAnswers::unreadableWordsOfferOtherModels()
{
    m_fixture.window().openModels(u"tiny-transformer"_s);
    QVERIFY(QTest::qWaitFor([&] { return m_fixture.explorer().model(Side::A)->name == "tiny-transformer"; },
                            testing::WindowFixture::kWait));
    m_fixture.explorer().usePrompt({.text = kDictionary});
    widgets::MessageBar& bar = *m_fixture.window().parts().messages;
    QVERIFY(QTest::qWaitFor([&] { return bar.text().contains(u"read any word"_s); }, testing::WindowFixture::kWait));
    QVERIFY2(bar.text().startsWith(u"tiny-transformer cannot read this prompt: "_s), qPrintable(bar.text()));
    auto* button = bar.findChild<QPushButton*>();
    QVERIFY(button && button->isVisible());
    QCOMPARE(button->text(), u"Open the small English models"_s);
    button->click();
    QVERIFY(QTest::qWaitFor(
        [&] {
            return m_fixture.explorer().model(Side::A)->name == "small-transformer"
                   && m_fixture.explorer().hasModel(Side::B) && answered();
        },
        testing::WindowFixture::kWait));
    QCOMPARE(m_fixture.explorer().prompt().text, std::string(kDictionary)); // their own words
    QVERIFY(!bar.text().contains(u"read any word"_s));
    QVERIFY(QTest::qWaitFor([&] { return m_fixture.explorer().pattern(Side::A) != nullptr; },
                            testing::WindowFixture::kWait));
}

QTEST_MAIN(TestAnswers)
#include "tst_answers.moc"

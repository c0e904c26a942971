// SPDX-License-Identifier: GPL-3.0-or-later
// The prompt coloured by log-probability: the numbers are those of the next token, an ablation marks what it made less
// likely, and the colours leave with the text.
#include "tests/support/replyrecorder.h"
#include "tests/support/windowfixture.h"

#include <QHelpEvent>
#include <QPlainTextEdit>
#include <QToolTip>

#include <cmath>

using namespace headscope;
using namespace Qt::StringLiterals;
using app::Door;

class TestPromptHeat : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void numbersAreThoseOfTheNextToken();
    void anAblationMarksWhatItCosts();
    void coloursLeaveWithTheText();
    void offMeansOff();
    void aMouseThatRestsIsTold();

private:
    [[nodiscard]] const std::vector<widgets::TokenHeat>& heat() const
    {
        return m_fixture.window().parts().prompt->heat();
    }
    [[nodiscard]] bool coloured() const
    {
        return QTest::qWaitFor([this] { return !heat().empty(); }, m_fixture.kWait);
    }
    testing::WindowFixture m_fixture;
    app::Prompt m_sample;
    std::shared_ptr<const app::PromptLogProbs> m_values;
};

void TestPromptHeat::initTestCase()
{
    QVERIFY(m_fixture.open(u"tiny-transformer"_s));
    QVERIFY(m_fixture.showSample(u"toy_kv:pairs=8"_s));
    m_sample = m_fixture.explorer().prompt();
    m_fixture.window().worker()->on<app::LogProbsRequest>(this,
                                                          [this](Side, const auto& values) { m_values = values; });
}

void TestPromptHeat::numbersAreThoseOfTheNextToken()
{
    QVERIFY(m_fixture.settled<app::NextTokensRequest>());
    const testing::ReplyRecorder<app::NextTokensRequest> heard(*m_fixture.window().worker());
    m_fixture.window().worker()->ask(app::NextTokensRequest{Side::A, m_sample, {}});
    QVERIFY(QTest::qWaitFor([&] { return !heard.replies.empty(); }, m_fixture.kWait));
    const auto next = heard.replies.front();
    // The same with the answer behind it: the answer's number is that of the next token.
    m_fixture.explorer().usePrompt({.text = m_sample.text + m_sample.answer});
    m_fixture.explorer().controllers().logProbs.setEnabled(true);
    QVERIFY(coloured());
    const app::TokenLogProb& last = m_values->values.back();
    QVERIFY2(std::abs(std::exp(last.now) - next->tokens.front().second) < 1e-4, qPrintable(QString::number(last.now)));
    QCOMPARE(last.now, last.baseline);
    QCOMPARE(last.likely.size(), std::size_t{3});
    QVERIFY(last.likely[0].second >= last.likely[1].second && last.likely[1].second >= last.likely[2].second);
    QVERIFY(std::isnan(m_values->values.front().now)); // nothing stands before it
    const widgets::TokenHeat& shown = heat().back();
    QVERIFY(shown.strength < 0.1 && !shown.lost);
    QVERIFY2(shown.tip.contains(u"Most likely here"_s), qPrintable(shown.tip));
    QCOMPARE(shown.end, static_cast<int>(QString::fromStdString(m_sample.text + m_sample.answer).size()));
}

void TestPromptHeat::anAblationMarksWhatItCosts()
{
    m_fixture.ablate("L2H5");
    QVERIFY(heat().empty()); // of another state
    QVERIFY(coloured());
    QVERIFY(heat().back().lost);
    QVERIFY(m_values->values.back().baseline - m_values->values.back().now > 0.5);
    QVERIFY(heat().back().tip.contains(u"with all heads on"_s));
    m_fixture.ablate("");
    QVERIFY(coloured());
    QVERIFY(!heat().back().lost);
}

void TestPromptHeat::coloursLeaveWithTheText()
{
    m_fixture.explorer().usePrompt(m_sample);
    QVERIFY(heat().empty());
    QVERIFY(coloured());
}

void TestPromptHeat::offMeansOff()
{
    m_fixture.explorer().controllers().logProbs.setEnabled(false);
    QVERIFY(heat().empty());
    m_fixture.explorer().usePrompt({.text = m_sample.text + m_sample.answer});
    QVERIFY(!QTest::qWaitFor([this] { return !heat().empty(); }, 300));
}

void TestPromptHeat::aMouseThatRestsIsTold()
{
    const widgets::PromptBar& bar = *m_fixture.window().parts().prompt;
    QWidget* text = bar.findChild<QPlainTextEdit*>()->viewport();
    QPoint on(text->width() / 4, text->fontMetrics().lineSpacing() / 2);
    const auto rest = [&] {
        QHelpEvent help(QEvent::ToolTip, on, text->mapToGlobal(on));
        QApplication::sendEvent(text, &help);
    };
    QVERIFY(m_fixture.settled<app::MapRequest>());
    rest();
    QVERIFY(coloured());
    QVERIFY(!bar.isColoured()); // the tints stay
    rest();
    QVERIFY2(QToolTip::text().contains(u"Most likely here"_s), qPrintable(QToolTip::text()));
    QToolTip::hideText();
    on = QPoint(text->width() - 2, text->height() - 2); // behind the last line
    rest();
    QTRY_COMPARE(QToolTip::text(), QString());
    on = QPoint(text->width() / 4, text->fontMetrics().lineSpacing());
    m_fixture.ablate("L2H5");
    QVERIFY(heat().empty()); // it was of another state
    QVERIFY(m_fixture.settled<app::MapRequest>());
    rest();
    QVERIFY(coloured());
    QVERIFY(heat().back().lost);
    QVERIFY(!bar.isColoured());
}

QTEST_MAIN(TestPromptHeat)
#include "tst_promptheat.moc"

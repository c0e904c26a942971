// SPDX-License-Identifier: GPL-3.0-or-later
// The jobs of the worker as lines: what, how much, and a button that stops them; and which of them no click begins
// anew.
#include "app/controllers/jobids.h"
#include "app/controllers/jobscontroller.h"
#include "tests/support/windowfixture.h"

#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

using namespace headscope;
using namespace std::chrono_literals;
using Kind = gui::BackendClient::Kind;

class TestJobs : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyJobHasALineThatStopsIt_data();
    void everyJobHasALineThatStopsIt();
    void aStoppedEstimateIsNotBegunByAClick();
};

void TestJobs::everyJobHasALineThatStopsIt_data()
{
    QTest::addColumn<Kind>("kind");
    QTest::addColumn<gui::Job>("job");
    QTest::addColumn<QString>("name");
    QTest::newRow("estimate") << Kind::Estimate << gui::Job::Estimate
                              << QStringLiteral("Estimating the effect of each head of A");
    QTest::newRow("scores") << Kind::Scores << gui::Job::Scores << QStringLiteral("Scoring A");
}

void TestJobs::everyJobHasALineThatStopsIt()
{
    QFETCH(Kind, kind);
    QFETCH(gui::Job, job);
    QFETCH(QString, name);
    testing::WindowFixture window;
    QVERIFY(window.open(QStringLiteral("tiny-transformer")));
    QVERIFY(window.settled(Kind::Pattern) && window.settled(Kind::Scores) && window.settled(Kind::Rank));
    gui::BackendClient& client = *window.window().client();
    widgets::RunsView runs;
    const gui::JobsController jobs(client, runs, nullptr, 0ms);
    const auto line = [&] { return runs.strip(gui::jobId(job, Side::A)); };
    QVERIFY(!line());
    if (kind == Kind::Estimate)
        client.requestEstimate({.side = Side::A, .task = "toy_mc", .limit = 1000, .steps = 50});
    else
        client.requestScores({Side::A, *interventions::InterventionSet::parse("L1H1=resample:3")}, {Side::A, {}},
                             {"toy_mc", "toy_knowledge"});
    QVERIFY(QTest::qWaitFor([&] { return line() != nullptr; }, testing::WindowFixture::kWait));
    QCOMPARE(line()->findChildren<QLabel*>().front()->text(), name);
    QPointer<widgets::JobStrip> strip = line();
    const auto buttons = strip->findChildren<QToolButton*>();
    const auto stop = std::ranges::find_if(
        buttons, [](const QToolButton* button) { return button->accessibleName().startsWith(QLatin1String("Stop")); });
    QVERIFY(stop != buttons.end());
    (*stop)->click();
    QVERIFY(window.settled(kind));
    QVERIFY(QTest::qWaitFor([&] { return line() == nullptr; }, testing::WindowFixture::kWait));
}

void TestJobs::aStoppedEstimateIsNotBegunByAClick()
{
    testing::WindowFixture window;
    QVERIFY(window.open(QStringLiteral("tiny-transformer")));
    QVERIFY(window.settled(Kind::Pattern) && window.settled(Kind::Scores) && window.settled(Kind::Rank));
    gui::BackendClient& client = *window.window().client();
    window.window().state()->setMetric(Side::A, "estimate");
    QVERIFY(client.isRunning(Kind::Estimate, Side::A));
    client.stop(Kind::Estimate, Side::A);
    QVERIFY(window.settled(Kind::Estimate));
    window.ablate("L1H2");
    QVERIFY(!client.isRunning(Kind::Estimate, Side::A));
    window.explorer().rankHeads(Side::A, app::RankMethod::Estimate); // by whoever asks for it
    QVERIFY(client.isRunning(Kind::Estimate, Side::A));
    QVERIFY(window.settled(Kind::Estimate));
}

QTEST_MAIN(TestJobs)
#include "tst_jobs.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The jobs of the worker as lines: what, how much, and a button that stops them; and which of them no click begins
// anew.
#include "app/controllers/models/jobids.h"
#include "app/controllers/models/jobscontroller.h"
#include "tests/support/windowfixture.h"

#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

using namespace headscope;
using namespace std::chrono_literals;

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
    QTest::addColumn<bool>("estimate");
    QTest::addColumn<gui::Job>("job");
    QTest::addColumn<QString>("name");
    QTest::newRow("estimate") << true << gui::Job::Estimate
                              << QStringLiteral("Estimating the effect of each head of A");
    QTest::newRow("scores") << false << gui::Job::Scores << QStringLiteral("Scoring A");
}

void TestJobs::everyJobHasALineThatStopsIt()
{
    QFETCH(bool, estimate);
    QFETCH(gui::Job, job);
    QFETCH(QString, name);
    testing::WindowFixture window;
    QVERIFY(window.open(QStringLiteral("tiny-transformer")));
    QVERIFY(window.settled<app::MapRequest>() && window.settled<app::ScoresRequest>()
            && window.settled<app::RankRequest>());
    app::Door& door = *window.window().worker();
    widgets::RunsView runs;
    const gui::JobsController jobs(door, runs, nullptr, 0ms);
    const auto line = [&] { return runs.strip(gui::jobId(job, Side::A)); };
    QVERIFY(!line());
    if (estimate)
        door.ask(app::EstimateRequest{{.side = Side::A, .task = "toy_mc", .limit = 1000, .steps = 50}});
    else
        door.ask(app::ScoresRequest{{Side::A, *interventions::InterventionSet::parse("L1H1=resample:3")},
                                    {Side::A, {}},
                                    {"toy_mc", "toy_knowledge"}});
    QVERIFY(QTest::qWaitFor([&] { return line() != nullptr; }, testing::WindowFixture::kWait));
    QCOMPARE(line()->findChildren<QLabel*>().front()->text(), name);
    QPointer<widgets::JobStrip> strip = line();
    const auto buttons = strip->findChildren<QToolButton*>();
    const auto stop = std::ranges::find_if(
        buttons, [](const QToolButton* button) { return button->accessibleName().startsWith(QLatin1String("Stop")); });
    QVERIFY(stop != buttons.end());
    (*stop)->click();
    QVERIFY(estimate ? window.settled<app::EstimateRequest>() : window.settled<app::ScoresRequest>());
    QVERIFY(QTest::qWaitFor([&] { return line() == nullptr; }, testing::WindowFixture::kWait));
}

void TestJobs::aStoppedEstimateIsNotBegunByAClick()
{
    testing::WindowFixture window;
    QVERIFY(window.open(QStringLiteral("tiny-transformer")));
    QVERIFY(window.settled<app::MapRequest>() && window.settled<app::ScoresRequest>()
            && window.settled<app::RankRequest>());
    app::Door& door = *window.window().worker();
    window.window().state()->setMetric(Side::A, "estimate");
    QVERIFY(door.isRunning<app::EstimateRequest>(Side::A));
    door.stop<app::EstimateRequest>(Side::A);
    QVERIFY(window.settled<app::EstimateRequest>());
    window.ablate("L1H2");
    QVERIFY(!door.isRunning<app::EstimateRequest>(Side::A));
    window.explorer().rankHeads(Side::A, app::RankMethod::Estimate); // by whoever asks for it
    QVERIFY(door.isRunning<app::EstimateRequest>(Side::A));
    QVERIFY(window.settled<app::EstimateRequest>());
}

QTEST_MAIN(TestJobs)
#include "tst_jobs.moc"

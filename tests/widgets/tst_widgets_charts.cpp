// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of numbers of any size: the window scores models whose perplexity is 6e9, and some that have none.
#include "widgets/look/numbertext.h"
#include "widgets/scores/charts.h"

#include <QTest>

#include <limits>

using namespace headscope::widgets;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class Chart : public ThemedChart
{
public:
    using ThemedChart::setRanges;
    using ThemedChart::ThemedChart;
};

} // namespace

class TestCharts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aRangeOfAnySizeIsDrawn_data();
    void aRangeOfAnySizeIsDrawn();
    void aStepIsNeverNothing();
    void aTitleIsWholeOrNotThere();
};

void TestCharts::aRangeOfAnySizeIsDrawn_data()
{
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::newRow("perplexities") << 0.0 << 6e9;
    QTest::newRow("largest") << 0.0 << 1e308;
    QTest::newRow("small numbers") << 0.0 << 1e-12;
    QTest::newRow("far from nothing") << 1e12 << 1e12 + 10;
    QTest::newRow("step lost in the numbers") << 1e17 << 1e17 + 16;
    QTest::newRow("one number") << 5.0 << 5.0;
    QTest::newRow("turned") << 5.0 << -5.0;
    QTest::newRow("infinite") << 0.0 << kInfinity;
    QTest::newRow("no number") << kNaN << kNaN;
}

void TestCharts::aRangeOfAnySizeIsDrawn()
{
    QFETCH(double, low);
    QFETCH(double, high);
    Chart chart;
    chart.resize(430, 300);
    chart.show();
    QVERIFY(QTest::qWaitForWindowExposed(&chart));
    chart.setRanges(0, 32, 0, 1.02);
    chart.setRanges(low, high, low, high); // after accuracies, whose step was 0.2
    QVERIFY(!chart.grab().isNull());
    chart.setRanges(0, 32, 0, 1.02);
    QVERIFY(!chart.grab().isNull());
}

void TestCharts::aStepIsNeverNothing()
{
    for (const double span : {0.0, -1.0, kNaN, kInfinity})
        QCOMPARE(niceStep(span, 5), 1.0);
    QCOMPARE(niceStep(1, 5), 0.2);
}

void TestCharts::aTitleIsWholeOrNotThere()
{
    KvChart chart;
    for (const auto& [width, there] : {std::pair{600, true}, {215, false}}) {
        chart.resize(width, 300);
        (void)chart.grab();
        QCOMPARE(!chart.chart()->title().isEmpty(), there);
    }
}

QTEST_MAIN(TestCharts)
#include "tst_widgets_charts.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of numbers of any size: the window scores models whose perplexity is 6e9, and some that have none.
#include "widgets/look/numbertext.h"
#include "widgets/scores/charts.h"

#include <QApplication>
#include <QGraphicsTextItem>
#include <QTest>
#include <QtCharts/QLegend>

#include <limits>
#include <malloc.h>

using namespace headscope::widgets;
using namespace Qt::StringLiterals;
using headscope::Side;

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
    void namesAreWholeOrNotThere();
    void intervalsAreDrawnWithTheirPoints();
    void leavesNothing();
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

void TestCharts::namesAreWholeOrNotThere()
{
    KvChart chart;
    const std::vector<QPointF> points{{4, 0.9}, {8, 0.7}, {24, 0.2}};
    chart.setCurves({{.name = u"A"_s, .side = Side::A, .points = points},
                     {.name = u"A − L2H5"_s, .side = Side::A, .ablated = true, .points = points},
                     {.name = u"B"_s, .side = Side::B, .points = points}},
                    {{.name = u"guessing"_s, .side = Side::A, .points = points}});
    int legends = 0;
    for (int width = 230; width <= 700; width += 10)
        for (const int height : {40, 60, 90, 120, 180, 240, 300, 360, 420}) {
            chart.resize(width, height);
            for (int i = 0; i < 2; ++i) { // what the new size leaves out makes room for the rest
                (void)chart.grab();
                QApplication::processEvents();
            }
            legends += chart.chart()->legend()->isVisible() ? 1 : 0;
            for (const QGraphicsItem* item : chart.scene()->items())
                if (const auto* text = dynamic_cast<const QGraphicsTextItem*>(item); text && text->isVisible())
                    QVERIFY2(!text->toPlainText().endsWith(u"..."_s),
                             qPrintable(u"%1 at %2x%3"_s.arg(text->toPlainText()).arg(width).arg(height)));
        }
    QVERIFY2(legends > 100, qPrintable(QString::number(legends))); // of 432 sizes
}

void TestCharts::intervalsAreDrawnWithTheirPoints()
{
    KvChart chart;
    chart.resize(430, 300);
    KvCurve curve{.name = u"A"_s, .side = Side::A, .points = {{4, 0.9}, {8, 0.5}}};
    const auto picture = [&] {
        chart.setCurves({curve}, {});
        (void)chart.grab(); // places the ticks
        return chart.grab().toImage();
    };
    const QImage without = picture();
    curve.bounds = {{0.8, 0.95}, {0.5, 0.5}}; // the second is no interval
    curve.counts = {100, 100};
    const QImage with = picture();
    const QPointF high = chart.chart()->mapToScene(chart.chart()->mapToPosition({4, 0.95}));
    const QPointF low = chart.chart()->mapToScene(chart.chart()->mapToPosition({4, 0.8}));
    const auto changed = [&](const QPointF& at) {
        const QPoint point = (at * with.devicePixelRatio()).toPoint();
        return with.pixel(point) != without.pixel(point);
    };
    QVERIFY(changed(high + QPointF(0, 2)) && changed(low - QPointF(0, 2)));
    QVERIFY(!changed(high - QPointF(0, 4)) && !changed(low + QPointF(0, 4)));
    QCOMPARE(chart.chart()->axes(Qt::Horizontal).constFirst()->titleText(), u"pairs in the dictionary · n = 100"_s);
    chart.setLineVisible(0, false);
    QVERIFY(chart.grab().toImage().pixel((high + QPointF(0, 2)).toPoint())
            != with.pixel((high + QPointF(0, 2)).toPoint()));
}

// A view of Qt Charts begins with a chart of its own: 33 kB that nobody has once it is given another.
void TestCharts::leavesNothing()
{
    const auto held = [] {
        const struct mallinfo2 heap = mallinfo2(); // nothing where an allocator of a sanitizer is in its place
        return static_cast<double>(heap.uordblks + heap.hblkhd);
    };
    const auto make = [] {
        for (int i = 0; i < 50; ++i) {
            Chart chart;
            chart.resize(430, 300);
            chart.grab();
        }
    };
    make(); // fonts
    const double before = held();
    make();
    QVERIFY2(held() - before < 50 * 2000, qPrintable(QString::number((held() - before) / 50)));
}

QTEST_MAIN(TestCharts)
#include "tst_widgets_charts.moc"

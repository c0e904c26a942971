// SPDX-License-Identifier: GPL-3.0-or-later
// Scoreboard, charts, message bar, continuation.
#include "tests/support/widgetfixture.h"
#include "widgets/frame/busystrip.h"
#include "widgets/frame/finder.h"
#include "widgets/frame/messagebar.h"
#include "widgets/look/labels/fewlineslabel.h"
#include "widgets/look/theme.h"
#include "widgets/prompt/continuationview.h"
#include "widgets/scores/chartfile.h"
#include "widgets/scores/charts.h"
#include "widgets/scores/costview.h"
#include "widgets/scores/scoreboardview.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <limits>

using headscope::Side;
using namespace headscope::widgets;
using headscope::testing::button;
using namespace Qt::StringLiterals;

namespace {

ScoreboardRow kvRow()
{
    ScoreboardRow row;
    row.id = u"toy_kv:pairs=8"_s;
    row.name = u"KV retrieval, 8 pairs"_s;
    row.metric = u"acc"_s;
    row.baseline = 0.98;
    row.now = 0.02;
    row.delta = -0.96;
    row.low = -0.98;
    row.high = -0.93;
    row.p = 1e-74;
    row.done = row.total = 256;
    row.provenance = u"tiny-transformer, fp32, cpu, L2H5 off"_s;
    return row;
}

} // namespace

class TestWidgetsPanels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support)"_s)); }

    void whatIsTooLongEndsInAnEllipsis()
    {
        FewLinesLabel label(3);
        label.resize(120, label.sizeHint().height());
        label.setText(u"Two words"_s);
        QVERIFY(!label.isElided());
        label.setText(QString(40, u'w').append(u' ').repeated(9));
        QVERIFY(label.isElided());
        const QImage image = label.grab().toImage();
        for (int y = label.height() - 2; y < label.height(); ++y) // no line begins below the third
            for (int x = 0; x < image.width(); ++x)
                QCOMPARE(image.pixelColor(x, y), image.pixelColor(0, image.height() - 1));
    }

    void scoreboardModelKeepsItsContract()
    {
        ScoreboardModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.updateRow(kvRow());
        model.updateRow(kvRow());
        QCOMPARE(model.rowCount(), 1);
        model.markStale();
        model.setRows({kvRow(), kvRow()});
        model.setRows({});
    }

    void rowsWithoutANumberAreSortedBelowTheOthers()
    {
        ScoreboardModel model;
        std::vector<ScoreboardRow> rows;
        const double none = std::numeric_limits<double>::quiet_NaN();
        for (const double delta : {0.5, none, 0.3, 0.1, none, 0.4}) {
            ScoreboardRow row = kvRow();
            row.id = QString::number(rows.size());
            row.delta = delta;
            rows.push_back(row);
        }
        model.setRows(rows);
        QSortFilterProxyModel sorted;
        sorted.setSourceModel(&model);
        sorted.setSortRole(ScoreboardModel::SortRole);
        sorted.sort(ScoreboardModel::Delta);
        QStringList order;
        for (int row = 0; row < sorted.rowCount(); ++row)
            order.append(sorted.index(row, 0).data(ScoreboardModel::IdRole).toString());
        QCOMPARE(order.mid(2), (QStringList{u"3"_s, u"2"_s, u"5"_s, u"0"_s}));
    }

    void scoresReadAsInTheHouse()
    {
        ScoreboardModel model;
        model.setRows({kvRow()});
        const auto text = [&](int column) { return model.index(0, column).data().toString(); };
        QCOMPARE(text(ScoreboardModel::Now), u"0.02"_s);
        QCOMPARE(text(ScoreboardModel::Delta), u"\u22120.96 [\u2212.98,\u2009\u2212.93]"_s);
        QCOMPARE(text(ScoreboardModel::P), u"1e-74"_s);
        QCOMPARE(text(ScoreboardModel::N), u"256"_s);
        ScoreboardRow running = kvRow();
        running.running = true;
        running.done = 96;
        model.updateRow(running);
        QCOMPARE(text(ScoreboardModel::Now), u"≈ 0.02"_s);
        QCOMPARE(text(ScoreboardModel::N), u"96/256"_s);
        QCOMPARE(model.index(0, 0).data(ScoreboardModel::ProgressRole).toDouble(), 96.0 / 256);
        // With nothing off there is nothing to compare, and what streams in is the baseline.
        running.same = true;
        model.updateRow(running);
        QCOMPARE(text(ScoreboardModel::Baseline), u"≈ 0.98"_s);
        for (const int column : {ScoreboardModel::Now, ScoreboardModel::Delta, ScoreboardModel::P})
            QVERIFY(text(column).isEmpty());
        QCOMPARE(static_cast<Verdict>(model.index(0, 0).data(ScoreboardModel::VerdictRole).toInt()), Verdict::Unknown);
    }

    void verdictComesFromThePairedTest()
    {
        ScoreboardRow row = kvRow();
        QCOMPARE(verdictOf(row), Verdict::Worse);
        row.p = 0.2;
        QCOMPARE(verdictOf(row), Verdict::Unchanged);
        row.p = 0.001;
        row.delta = 0.1;
        QCOMPARE(verdictOf(row), Verdict::Better);
        row.lowerIsBetter = true; // perplexity went up
        QCOMPARE(verdictOf(row), Verdict::Worse);
        row.p = std::numeric_limits<double>::quiet_NaN();
        QCOMPARE(verdictOf(row), Verdict::Unknown);
    }

    void tickedBenchmarksFollowAndKeepTheirTick()
    {
        ScoreboardModel model;
        ScoreboardRow absent;
        absent.id = u"mmlu"_s;
        absent.unavailable = u"not for this model"_s;
        model.setRows({kvRow(), absent});
        QCOMPARE(model.followed(), QStringList{u"toy_kv:pairs=8"_s});
        QSignalSpy spy(&model, &ScoreboardModel::followChanged);
        QVERIFY(model.setData(model.index(0, 0), Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(spy.size(), 1);
        model.updateRow(kvRow()); // says follow = true; the person said no
        QVERIFY(model.followed().isEmpty());
        QVERIFY(!model.index(1, 0).data(Qt::CheckStateRole).isValid());
    }

    void copyingACellCopiesWhereItComesFrom()
    {
        ScoreboardView view;
        view.model()->setRows({kvRow()});
        view.details()->show();
        view.show();
        view.table()->setCurrentIndex(view.table()->model()->index(0, ScoreboardModel::Delta));
        QTest::keySequence(view.table(), QKeySequence::Copy);
        const QString copied = QApplication::clipboard()->text();
        for (const QString& part : {u"\u22120.96"_s, u"toy_kv:pairs=8"_s, u"L2H5 off"_s})
            QVERIFY2(copied.contains(part), qPrintable(copied));
    }

    void tablesForPapers()
    {
        ScoreboardModel model;
        model.setRows({kvRow()});
        QVERIFY(
            model.latex().contains(u"KV retrieval, 8 pairs & 0.98 & 0.02 & -0.96 [-.98, -.93] & 1e-74 & 256 \\\\"_s));
        QVERIFY(model.markdown().contains(u"| KV retrieval, 8 pairs | 0.98 |"_s));
    }

    void dropsAreRedAndUndecidedGrey()
    {
        ScoreboardView view;
        ScoreboardRow same = kvRow();
        same.id = u"k"_s;
        same.now = 0.98;
        same.delta = 0;
        same.p = 0.2; // a loss that is no more than chance
        same.delta = -0.11;
        ScoreboardRow better = kvRow();
        better.id = u"b"_s;
        better.delta = 0.3;
        view.model()->setRows({kvRow(), same, better});
        QWidget window;
        (new QVBoxLayout(&window))->addWidget(view.details());
        view.details()->show();
        window.resize(560, 240);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const QImage image = view.table()->viewport()->grab().toImage();
        const Theme theme = themeOf(view.palette());
        const auto has = [&](int row, const QColor& color) {
            const QRect cell = view.table()->visualRect(view.table()->model()->index(row, ScoreboardModel::Now));
            for (int y = cell.top(); y < cell.bottom(); ++y)
                for (int x = cell.left(); x < cell.right(); ++x)
                    if (image.pixelColor(x, y) == color)
                        return true;
            return false;
        };
        QVERIFY(has(0, theme.bad));
        QVERIFY(!has(0, theme.good));
        QVERIFY(!has(1, theme.good) && !has(1, theme.bad));
        QVERIFY(has(2, theme.good));
        view.details()->setParent(nullptr); // the window goes first
        delete view.details();
    }

    // Why there is no score is read to its end, however narrow the column.
    void aLongReasonIsShownWhole()
    {
        ScoreboardModel model;
        ScoreboardRow absent;
        absent.id = absent.name = u"own"_s;
        absent.unavailable = u"None of the 3 rows of 'good.json' can be scored with this model; the first: the word "
                             u"'Question:' is not in the vocabulary."_s;
        model.setRows({absent});
        CostView view(&model);
        for (const int width : {220, 400}) {
            view.resize(width, 300);
            view.show();
            QVERIFY(QTest::qWaitForWindowExposed(&view));
            QTest::qWait(0);
            const QRect box = view.visualRect(model.index(0, 0));
            const QRect words = view.fontMetrics().boundingRect(QRect(0, 0, box.width() - 12, 1000), Qt::TextWordWrap,
                                                                absent.unavailable);
            QVERIFY2(box.height() >= words.height() + view.fontMetrics().height(), qPrintable(QString::number(width)));
        }
    }

    void messageBarSaysOneSentenceAndTheNextStep()
    {
        QWidget window;
        window.resize(500, 60);
        MessageBar bar(&window);
        bar.resize(500, bar.sizeHint().height());
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const int high = bar.sizeHint().height();
        bar.showMessage(MessageBar::Kind::Error, u"The folder has no config.json."_s, u"Open another…"_s, u"open"_s);
        QVERIFY(button(bar, u"Open another"_s)->isVisible());
        QSignalSpy action(&bar, &MessageBar::actionTriggered);
        button(bar, u"Open another"_s)->click();
        QCOMPARE(action.at(0).at(0).toString(), u"open"_s);
        // News is told, and an error that nobody has read is not lost by it: it is one click away, and comes back.
        const auto buttons = bar.findChildren<QToolButton*>();
        const auto back = std::find_if(buttons.begin(), buttons.end(), [](const QToolButton* each) {
            return each->accessibleName() == u"Back to the error before"_s;
        });
        QVERIFY(back != buttons.end() && !(*back)->isVisible());
        for (const char* news : {"Scored.", "Exported.", "Merged."})
            bar.showMessage(MessageBar::Kind::Info, QLatin1String(news));
        QCOMPARE(bar.text(), u"Merged."_s);
        QVERIFY((*back)->isVisible());
        QVERIFY(!button(bar, u"Open another"_s)); // the news has no next step
        QSignalSpy closed(&bar, &MessageBar::closed);
        QTest::keyClick(&bar, Qt::Key_Escape);
        QCOMPARE(closed.size(), 1);
        QCOMPARE(bar.kind(), MessageBar::Kind::Error);
        QVERIFY(button(bar, u"Open another"_s)->isVisible());
        QVERIFY(!(*back)->isVisible());
        QTest::keyClick(&bar, Qt::Key_Escape);
        QCOMPARE(closed.size(), 2);
        QVERIFY(bar.text().isEmpty());
        QVERIFY(bar.isVisible()); // its line stays, so that nothing moves
        // However long, it is one line; the whole is read over it.
        bar.showMessage(MessageBar::Kind::Info, QString(u"word "_s).repeated(200));
        QCOMPARE(bar.sizeHint().height(), high);
        QTest::keyClick(&bar, Qt::Key_Return);
        bool whole = false;
        for (const QLabel* label : bar.findChildren<QLabel*>())
            whole = whole || (label->isVisible() && label->wordWrap() && label->text() == bar.text());
        QVERIFY(whole);
        bar.clear();
    }

    void costIsSaidInWords()
    {
        ScoreboardRow row = kvRow();
        row.broken = 247;
        QCOMPARE(costWords(row), u"247 of 256 now wrong · p = 1e-74"_s);
        row.p = 0.3;
        row.done = row.total = 11;
        row.broken = 2;
        QCOMPARE(costWords(row), u"no change seen (n = 11) · 2 now wrong"_s);
        row.total = 256; // it ended where it was decided
        QCOMPARE(costWords(row), u"no change seen (n = 11) · 2 now wrong"_s);
        row.running = true;
        row.done = 64;
        row.total = 256;
        QCOMPARE(costWords(row), u"undecided · 64 of 256 examples"_s);
        row.decided = true;
        QCOMPARE(costWords(row), u"decided · 64 of 256 examples"_s);
        row.same = true; // the baseline itself: nothing to decide
        row.decided = false;
        row.total = 1500;
        QCOMPARE(costWords(row), u"64 of 1,500 examples"_s);
        row = {};
        row.waiting = true;
        QCOMPARE(costWords(row), u"waiting"_s);
    }

    void aLargePerplexityPushesNothingOut()
    {
        ScoreboardView view;
        ScoreboardRow row = kvRow();
        row.lowerIsBetter = true;
        row.baseline = 5.91e9;
        row.now = 6.2e9;
        row.delta = 2.9e8;
        row.low = 1e8;
        row.high = 4e8;
        view.model()->setRows({row});
        QCOMPARE(view.model()->index(0, ScoreboardModel::Baseline).data().toString(), u"5.9e9"_s);
        view.details()->setParent(nullptr);
        view.details()->resize(560, 200);
        view.details()->show();
        QVERIFY(QTest::qWaitForWindowExposed(view.details()));
        const QRect last = view.table()->visualRect(view.table()->model()->index(0, ScoreboardModel::N));
        QVERIFY(last.right() <= view.table()->viewport()->width());
        delete view.details();
    }

    void tabLeavesTheTable()
    {
        QWidget window;
        ScoreboardView view;
        QLineEdit after;
        auto* column = new QVBoxLayout(&window);
        column->addWidget(view.details());
        column->addWidget(&after);
        view.model()->setRows({kvRow(), kvRow()});
        view.details()->show();
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        view.table()->setFocus();
        QTest::keyClick(view.table(), Qt::Key_Tab);
        QVERIFY(!view.table()->hasFocus());
        view.details()->setParent(nullptr);
        after.setParent(nullptr);
        delete view.details();
    }

    void finderFindsByAFewLetters()
    {
        const QList<FinderEntry> entries{{u"Open model folder …"_s, u"File"_s, u"Ctrl+O"_s, 0},
                                         {u"Ablate top heads by this metric"_s, u"Heads"_s, u"Ctrl+T"_s, 1},
                                         {u"L2H5"_s, u"show this head of A"_s, {}, 2},
                                         {u"L2H51"_s, u"show this head of B"_s, {}, 3}};
        const auto first = [&](const QString& text) {
            const auto found = finderMatches(entries, text);
            return found.isEmpty() ? -1 : found.first().id;
        };
        QCOMPARE(first(u"l2h5"_s), 2);
        QCOMPARE(first(u"l2h5 B"_s), 3);
        QCOMPARE(first(u"top"_s), 1);
        QCOMPARE(first(u"ctrl+o"_s), 0);
        QCOMPARE(first(u"heads"_s), 1);
        QCOMPARE(first(u"nothing of this"_s), -1);
        QCOMPARE(finderMatches(entries, {}).size(), 4);
        // A run that bears the name of a head changes what is off: it comes behind the head, listed as it may be.
        QList<FinderEntry> withRun = entries;
        for (const QString& run : {u"L2H5"_s, u"L2H5, L1H2"_s, u"l2h"_s})
            withRun.prepend({run, u"restore this run"_s, {}, 4, true, true});
        for (const QString& name : {u"L2H5"_s, u"l2h5"_s, u"L2H"_s, u"l2"_s, u" L2H5 "_s})
            QCOMPARE(finderMatches(withRun, name).first().id, 2);
        QWidget window;
        window.resize(900, 600);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        Finder finder(&window);
        finder.setEntries(entries);
        finder.open(window);
        QSignalSpy chosen(&finder, &Finder::chosen);
        auto* line = finder.findChild<QLineEdit*>();
        QTest::keyClicks(line, u"l2"_s);
        QTest::keyClick(line, Qt::Key_Down);
        QTest::keyClick(line, Qt::Key_Return);
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen.at(0).at(0).toInt(), 3);
        QVERIFY(!finder.isVisible());
    }

    void continuationTellsWhatElseTheModelThoughtOf()
    {
        ContinuationView view;
        view.resize(900, 80);
        view.begin(Side::A, u"L2H3 off"_s);
        QVERIFY(view.running());
        view.append(Side::A, {{u" 93"_s, 0.75, {{u" 93"_s, 0.75}, {u" 17"_s, 0.25}}}});
        view.append(Side::A, {{u"\n"_s, 1.0, {{u"\n"_s, 1.0}}}});
        view.finish(Side::A, {});
        QVERIFY(!view.running());
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        auto* text = view.text(Side::A);
        QCOMPARE(text->plainText(), u" 93\n"_s);
        QVERIFY(text->candidatesText(0).contains(u"0.250"_s) && text->candidatesText(0).contains(u"17"_s));
        QVERIFY(text->candidatesText(2).isEmpty());
        QTextCursor inside(text->document());
        inside.setPosition(1);
        QCOMPARE(text->wordAt(text->cursorRect(inside).center()), 0);
        QCOMPARE(text->wordAt(QPoint(text->width() - 4, text->height() - 2)), -1);
        // By keyboard too.
        text->setFocus();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        QSignalSpy pointed(text, &ContinuationText::wordPointedAt);
        QTest::keyClick(text, Qt::Key_Home);
        QTest::keyClick(text, Qt::Key_Right);
        QVERIFY(!pointed.isEmpty());
        QCOMPARE(pointed.last().at(0).toInt(), 0);
        QSignalSpy taken(&view, &ContinuationView::takeOverRequested);
        for (QToolButton* tool : view.findChildren<QToolButton*>())
            if (tool->text() == u"append to prompt"_s && tool->isVisible())
                tool->click();
        QCOMPARE(taken.at(0).at(0).toString(), u" 93\n"_s);
        view.begin(Side::A, {}); // anew
        QVERIFY(text->words().empty());
    }

    void chartsAreSavedAsPicturesAndNumbers()
    {
        QTemporaryDir folder;
        KvChart chart;
        chart.resize(430, 300);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        chart.setCurves(
            {{u"A \"base\""_s, Side::A, false, {{4, 1}, {8, 0.9}}}, {u"A off"_s, Side::A, true, {{8, 0.5}}}}, {});
        QCOMPARE(chartCsv(chart), u"x,\"A \"\"base\"\"\",\"A off\"\n4,1,\n8,0.9,0.5\n"_s);
        for (const QString& name : {u"c.svg"_s, u"c.pdf"_s, u"c.png"_s, u"c.csv"_s}) {
            QVERIFY(writeChart(chart, folder.filePath(name)).has_value());
            QVERIFY(QFileInfo(folder.filePath(name)).size() > 10);
        }
        QFile svg(folder.filePath(u"c.svg"_s));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        QVERIFY(svg.readAll().contains("pairs in the dictionary")); // real text
        const auto wrong = writeChart(chart, folder.filePath(u"c.txt"_s));
        QVERIFY(!wrong.has_value());
        QVERIFY(!writeChart(chart, u"/no/such/folder/c.svg"_s).has_value());
    }

    void anEmptyChartSaysWhatToDo()
    {
        RankingChart chart;
        chart.resize(400, 260);
        chart.setEmptyText(u"Press F6."_s);
        chart.show();
        const auto* label = chart.findChild<QLabel*>();
        QVERIFY(label->isVisible() && label->text() == u"Press F6."_s);
        QCOMPARE(label->size(), chart.viewport()->size());
        chart.setRanking(u"t"_s, u"x"_s, u"y"_s, {{u"top k"_s, Side::A, false, {{0, 1}, {1, 1}}}});
        QVERIFY(!label->isVisible());
    }

    void busyStripShowsAndStops()
    {
        BusyStrip strip;
        strip.show();
        auto* stop = strip.findChild<QToolButton*>();
        QVERIFY(!stop->isVisible());
        strip.showWork(u"Scoring A"_s, 2, 5);
        QVERIFY(stop->isVisible());
        QSignalSpy stopped(&strip, &BusyStrip::stopRequested);
        stop->click();
        QCOMPARE(stopped.size(), 1);
        strip.clear();
        QVERIFY(strip.text().isEmpty() && !stop->isVisible());
    }

    void scoreboardNamesWhatItComparesWith()
    {
        ScoreboardModel model;
        QSignalSpy changed(&model, &QAbstractItemModel::headerDataChanged);
        QCOMPARE(model.headerData(ScoreboardModel::Baseline, Qt::Horizontal, Qt::DisplayRole).toString(),
                 u"baseline"_s);
        model.setReferenceName(u"A without L1H3"_s);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(model.headerData(ScoreboardModel::Baseline, Qt::Horizontal, Qt::DisplayRole).toString(), u"before"_s);
        QCOMPARE(model.headerData(ScoreboardModel::Baseline, Qt::Horizontal, Qt::ToolTipRole).toString(),
                 u"A without L1H3"_s);
    }

    void chartsHideAndShowLines()
    {
        KvChart chart;
        chart.setCurves(
            {{u"A baseline"_s, Side::A, false, {{4, 1}, {8, 0.9}}}, {u"A off"_s, Side::A, true, {{4, 0}, {8, 0}}}},
            {{u"chance"_s, Side::A, false, {{4, 0.25}, {8, 0.125}}}});
        QCOMPARE(chart.lines().size(), std::size_t{3});
        chart.setLineVisible(1, false);
        QVERIFY(!chart.lineVisible(1));
        chart.setLineVisible(1, true);
        QVERIFY(chart.lineVisible(1));
        chart.setCurves({}, {});
        RankingChart ranking;
        ranking.setRanking(u"t"_s, u"x"_s, u"y"_s, {{u"top k"_s, Side::A, false, {{0, 1}}}});
        ranking.resize(300, 200);
        ranking.grab();
    }

    void everythingDrawsInTheDark()
    {
        ScoreboardView scores;
        scores.model()->setRows({kvRow()});
        scores.setPalette(darkPalette());
        scores.resize(500, 200);
        const QImage image = scores.grab().toImage();
        QVERIFY(image.pixelColor(496, 100).lightness() < 80);
        QVERIFY(themeOf(darkPalette()).dark);
        QVERIFY(!themeOf(lightPalette()).dark);
    }
};

QTEST_MAIN(TestWidgetsPanels)
#include "tst_widgets_panels.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The list of runs, and the jobs below it.
#include "tests/support/widgetfixture.h"
#include "widgets/scores/runsview.h"

#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>

using namespace headscope::widgets;
using headscope::testing::button;
using namespace Qt::StringLiterals;

namespace {

bool showTwoRuns(RunsView& view)
{
    view.model()->setRuns(
        {{1, u"baseline"_s, {}, {}, {}, false, false, {}}, {7, u"L2H5 off"_s, {}, {}, {}, true, false, {}}});
    view.resize(400, 200);
    view.show();
    return QTest::qWaitForWindowExposed(&view);
}

} // namespace

class TestWidgetsRuns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support)"_s)); }

    void runsModelKeepsItsContractAndReorders()
    {
        RunsModel model;
        model.setRuns({{1, u"baseline"_s, {}, {}, {}, false, false, {}},
                       {2, u"L1H3 off"_s, {}, {}, {}, false, false, {}},
                       {3, u"L2H5 off"_s, {}, {}, {}, true, false, {}}});
        QSignalSpy order(&model, &RunsModel::orderChanged);
        QVERIFY(model.moveRow({}, 0, {}, 3));
        QCOMPARE(order.at(0).at(0).value<QList<qint64>>(), (QList<qint64>{2, 3, 1}));
        QVERIFY(model.moveRow({}, 2, {}, 0));
        QCOMPARE(model.runs().front().id, qint64{1});
        QVERIFY(!model.moveRow({}, 1, {}, 1));
        QSignalSpy notes(&model, &RunsModel::noteChanged);
        QVERIFY(model.setData(model.index(2, RunsModel::Note), u"the one"_s));
        QCOMPARE(notes.at(0).at(0).toLongLong(), 3);
        QSignalSpy names(&model, &RunsModel::nameChanged);
        QVERIFY(model.setData(model.index(1, RunsModel::Name), u"the other"_s));
        QCOMPARE(names.at(0).at(1).toString(), u"the other"_s);
        QVERIFY(!model.setData(model.index(1, RunsModel::Name), u"  "_s)); // a run is never nameless
        // Runs of several models say whose they are; ticks outlive a new list.
        QVERIFY(model.setData(model.index(0, RunsModel::Name), Qt::Checked, Qt::CheckStateRole));
        const qint64 ticked = model.ticked().at(0);
        auto runs = model.runs();
        for (RunRow& run : runs) {
            run.ticked = false;
            run.model = u"B"_s;
        }
        model.setRuns(runs);
        QCOMPARE(model.ticked(), QList<qint64>{ticked});
        QVERIFY(model.index(0, RunsModel::Name).data().toString().startsWith(u"B "_s));
    }

    void doubleClickRestoresAndTwoTicksCompare()
    {
        RunsView view;
        view.model()->setRuns({{1, u"baseline"_s, {{u"KV .98"_s, 0.98}}, {}, {}, false, false, {}},
                               {7, u"L2H5 off"_s, {{u"KV .02"_s, 0.02}}, {}, {}, true, false, {}}});
        view.resize(400, 200);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QSignalSpy restored(&view, &RunsView::restoreRequested);
        const QRect line = view.list()->visualRect(view.model()->index(1, RunsModel::Name));
        QTest::mouseClick(view.list()->viewport(), Qt::LeftButton, Qt::NoModifier, line.center());
        QCOMPARE(restored.size(), 0); // a click chooses the line
        // A tick chooses for comparing and changes nothing else.
        const QRect name = view.list()->visualRect(view.model()->index(1, RunsModel::Name));
        QTest::mouseClick(view.list()->viewport(), Qt::LeftButton, Qt::NoModifier,
                          QPoint(name.left() + 8, name.center().y()));
        QCOMPARE(view.model()->ticked(), QList<qint64>{7});
        QCOMPARE(restored.size(), 0);
        view.model()->setData(view.model()->index(1, 0), Qt::Unchecked, Qt::CheckStateRole);
        for (const int x : {line.center().x(), line.right() - 8}) { // its name, its time
            restored.clear();
            const QPoint at(x, line.center().y());
            QTest::mouseClick(view.list()->viewport(), Qt::LeftButton, Qt::NoModifier, at);
            QTest::mouseDClick(view.list()->viewport(), Qt::LeftButton, Qt::NoModifier, at);
            QCOMPARE(restored.size(), 1);
            QCOMPARE(restored.at(0).at(0).toLongLong(), 7);
        }
        QVERIFY(!view.list()->findChild<QLineEdit*>()); // F2 renames
        QSignalSpy compared(&view, &RunsView::compareRequested);
        view.model()->setData(view.model()->index(0, 0), Qt::Checked, Qt::CheckStateRole);
        view.model()->setData(view.model()->index(1, 0), Qt::Checked, Qt::CheckStateRole);
        for (QToolButton* tool : view.findChildren<QToolButton*>())
            if (tool->text().startsWith(u"Compare"_s)) {
                QVERIFY(tool->isVisible());
                tool->click();
            }
        QCOMPARE(compared.at(0).at(1).toLongLong(), 7);
    }

    // Whatever is being written when the next name is asked for: it is kept, and nothing warns.
    void oneNameAfterTheOtherIsWritten()
    {
        RunsView view;
        QVERIFY(showTwoRuns(view));
        const auto editor = [&view](int row, int column) {
            return qobject_cast<QLineEdit*>(view.list()->indexWidget(view.model()->index(row, column)));
        };
        QSignalSpy starts(&view, &RunsView::nameEditingStarted);
        view.editName(1);
        QVERIFY(editor(0, RunsModel::Name));
        editor(0, RunsModel::Name)->setText(u"before"_s);
        view.editName(7); // without a click that would have taken the focus
        QVERIFY(editor(1, RunsModel::Name));
        QVERIFY(!editor(0, RunsModel::Name));
        QCOMPARE(view.model()->runs()[0].name, u"before"_s);
        view.editName(7);
        QVERIFY(editor(1, RunsModel::Name));
        Q_EMIT view.list()->doubleClicked(view.model()->index(0, RunsModel::Note));
        QVERIFY(editor(0, RunsModel::Note));
        QCOMPARE(starts.size(), 3);
    }

    void theMenuOfARunDoesWhatKeysDo()
    {
        RunsView view;
        QVERIFY(showTwoRuns(view));
        QSignalSpy restored(&view, &RunsView::restoreRequested);
        const QPoint at = view.list()->visualRect(view.model()->index(1, RunsModel::Name)).center();
        const auto choose = [&](const QString& entry) {
            QTimer::singleShot(0, this, [entry] {
                auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
                QVERIFY(menu);
                for (QAction* action : menu->actions())
                    if (action->text() == entry)
                        action->trigger();
                menu->close();
            });
            Q_EMIT view.list()->customContextMenuRequested(at);
        };
        choose(u"Restore this state"_s);
        QCOMPARE(restored.value(0).value(0).toLongLong(), 7);
        choose(u"Select for comparison"_s);
        QCOMPARE(view.model()->ticked(), QList<qint64>{7});
        choose(u"Exclude from comparison"_s);
        QVERIFY(view.model()->ticked().isEmpty());
        choose(u"Write a note"_s);
        QVERIFY(view.list()->indexWidget(view.model()->index(1, RunsModel::Note)));
        choose(u"Rename"_s);
        QVERIFY(view.list()->indexWidget(view.model()->index(1, RunsModel::Name)));
    }

    void jobsShowTimeLeftAndStop()
    {
        RunsView view;
        const JobState job{5, u"Rank all heads of B"_s, 16, 32, 2, u"heads"_s, false, true};
        QCOMPARE(JobStrip::rateText(job), u"50 % · 8.0 s · 2 heads/s"_s);
        JobState fast = job;
        fast.perSecond = 7160;
        QVERIFY(JobStrip::rateText(fast).endsWith(QLocale().toString(7160) + u" heads/s"_s)); // no power of ten
        view.setJob(job);
        QSignalSpy stopped(&view, &RunsView::stopRequested);
        for (QToolButton* tool : view.strip(5)->findChildren<QToolButton*>())
            if (tool->accessibleName().startsWith(u"Stop"_s))
                tool->click();
        QCOMPARE(stopped.at(0).at(0).toLongLong(), 5);
        view.setJob({6, u"unknown length"_s, 3, 0, 0, {}, false, false});
        view.removeJob(5);
        QVERIFY(!view.strip(5));
        QVERIFY(view.strip(6));
    }

    void jobsAskForNoRoom()
    {
        RunsView view;
        view.resize(250, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QSize least = view.minimumSizeHint();
        for (qint64 id = 1; id <= 5; ++id)
            view.setJob({id, u"Scoring A"_s, 16, 32, 2, u"heads"_s, false, true});
        QTRY_VERIFY(!view.strip(1)->visibleRegion().isEmpty()); // a layout or two later
        QCOMPARE(view.minimumSizeHint(), least);                // else the docks above would shrink
        QVERIFY(view.list()->height() > 0);
        for (qint64 id = 1; id <= 5; ++id)
            view.removeJob(id);
        QTRY_COMPARE(view.minimumSizeHint(), least);
    }

    void everyJobIsWholeWhereThereIsRoom()
    {
        RunsView view;
        QVERIFY(showTwoRuns(view));
        for (qint64 id = 1; id <= 2; ++id) {
            view.setJob({id, u"Scoring A"_s, 16, 32, 2, u"heads"_s, false, true});
            QTest::qWait(0); // each comes when the one before has its place
        }
        for (qint64 id = 1; id <= 2; ++id) {
            const JobStrip* strip = view.strip(id);
            QTRY_COMPARE(strip->visibleRegion().boundingRect(), strip->rect());
            QTRY_VERIFY(strip->height() >= strip->sizeHint().height());
        }
    }

    void runsFoldWhatARankingScored()
    {
        RunsView view;
        std::vector<RunRow> rows;
        for (int i = 0; i < 40; ++i)
            rows.push_back({.id = i, .name = u"state %1"_s.arg(i), .onTheWay = i >= 3});
        rows[20].current = true;
        view.model()->setRuns(rows);
        view.show();
        const auto shown = [&view] {
            int count = 0;
            for (int row = 0; row < view.model()->rowCount(); ++row)
                count += view.list()->isRowHidden(row, {}) ? 0 : 1;
            return count;
        };
        QCOMPARE(shown(), 4); // three that were made, and the one on the screen
        QVERIFY(view.unfoldButton()->isVisible());
        QVERIFY(view.unfoldButton()->text().contains(u"37"_s));
        view.unfoldButton()->click();
        QCOMPARE(shown(), 40);
        rows.resize(8);
        view.model()->setRuns(rows); // few need no fold
        QCOMPARE(shown(), 8);
        QVERIFY(!view.unfoldButton()->isVisible());
    }
};

QTEST_MAIN(TestWidgetsRuns)
#include "tst_widgets_runs.moc"

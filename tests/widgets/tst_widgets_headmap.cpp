// SPDX-License-Identifier: GPL-3.0-or-later
// Head map: model, mouse, keys, pixels.
#include "widgets/heads/headmapoverview.h"
#include "widgets/heads/headmappanel.h"
#include "widgets/heads/headstrip.h"
#include "widgets/look/labels/elidedlabel.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <cmath>
#include <memory>

using headscope::Side;
using namespace headscope::widgets;
using namespace Qt::StringLiterals;

Q_DECLARE_METATYPE(headscope::widgets::HeadSpan)

namespace {

std::vector<HeadRow> tinyRows()
{
    std::vector<HeadRow> rows;
    for (int layer = 0; layer < 4; ++layer)
        rows.push_back({.layer = layer, .kind = HeadKind::Attention, .heads = 8, .block = 1, .note = {}, .groups = {}});
    return rows;
}

HeadMetric metric(bool isSigned)
{
    HeadMetric m{u"effect"_s, {}, isSigned, {}};
    for (int layer = 0; layer < 4; ++layer)
        m.values.push_back(std::vector<float>(8, 0.0F));
    m.values[2][5] = 1;
    return m;
}

HeadSpan head(int layer, int index)
{
    return {layer, HeadKind::Attention, index, 1};
}

} // namespace

class TestWidgetsHeadMap : public QObject
{
    Q_OBJECT

    std::unique_ptr<HeadMapPanel> m_panel;
    HeadMapView* m_view = nullptr;
    HeadMapModel* m_model = nullptr;

    QPoint at(int row, int col) const { return m_view->visualRect(m_model->index(row, col)).center(); }
    void click(int row, int col, Qt::KeyboardModifiers keys = Qt::NoModifier)
    {
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, keys, at(row, col));
    }

private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support)"_s));
        m_panel = std::make_unique<HeadMapPanel>(Side::A);
        m_view = m_panel->view();
        m_model = m_panel->model();
        m_model->setRows(tinyRows());
        m_model->setMetric(metric(false));
        m_panel->resize(320, 320);
        m_panel->show();
        QVERIFY(QTest::qWaitForWindowActive(m_panel.get()));
        m_view->setFocus();
    }

    void modelKeepsItsContract()
    {
        HeadMapModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRows(tinyRows());
        model.setMetric(metric(false));
        model.setOff({head(2, 5)});
        std::vector<HeadRow> mamba(
            3, HeadRow{.layer = 0, .kind = HeadKind::Channels, .heads = 100, .block = 16, .note = {}, .groups = {}});
        for (int i = 0; i < 3; ++i)
            mamba[static_cast<std::size_t>(i)].layer = i;
        model.setRows(mamba);
        QCOMPARE(model.columnCount(), 7); // 6 blocks of 16 and one of 4
        model.setBlockOpen(model.index(1, 2), true);
        model.setBlockOpen(model.index(1, 0), true);
        QCOMPARE(model.rowCount(), 3 + 3 + 3); // 16 channels take 3 lines of 7
        QVERIFY(model.index(1, 0).data(HeadMapModel::OpenRole).toBool());
        QCOMPARE(model.spanAt(model.index(2, 0)).text(), u"L1C0"_s);
        QCOMPARE(model.spanAt(model.index(5, 1)).text(), u"L1C33"_s);
        QCOMPARE(model.indexOf({1, HeadKind::Channels, 33, 1}), model.index(5, 1));
        model.setBlockOpen(model.index(1, 0), false);
        model.setBlockOpen(model.index(1, 2), false);
        QCOMPARE(model.rowCount(), 3);
        model.setRows({});
    }

    void namesFollowTheHouse()
    {
        QCOMPARE(head(17, 24).text(), u"L17H24"_s);
        QCOMPARE((HeadSpan{35, HeadKind::Channels, 3186, 1}).text(), u"L35C3186"_s);
        QCOMPARE((HeadSpan{0, HeadKind::Channels, 64, 64}).text(), u"L0C64-127"_s);
    }

    void rowsOfDifferentLengthHaveNoCellsBeyondTheirEnd()
    {
        HeadMapModel model;
        model.setRows({{.layer = 0, .kind = HeadKind::Ssm, .heads = 5, .block = 1, .note = {}, .groups = {}},
                       {.layer = 1, .kind = HeadKind::Attention, .heads = 8, .block = 1, .note = {}, .groups = {}}});
        QVERIFY(model.hasTwoKinds());
        QCOMPARE(model.flags(model.index(0, 6)), Qt::ItemFlags(Qt::NoItemFlags));
        QVERIFY(!model.index(0, 6).data(HeadMapModel::TextRole).isValid());
        QCOMPARE(model.index(0, 4).data(HeadMapModel::TextRole).toString(), u"L0H4"_s);
    }

    void partlyOffBlocksAndStrongestChannel()
    {
        HeadMapModel model;
        model.setRows({{.layer = 0, .kind = HeadKind::Channels, .heads = 8, .block = 4, .note = {}, .groups = {}}});
        model.setMetric({u"m"_s, {}, true, {{0.1F, -0.9F, 0, 0, 0, 0, 0, 0}}});
        QCOMPARE(model.index(0, 0).data(HeadMapModel::ValueRole).toFloat(), -0.9F);
        model.setOff({{0, HeadKind::Channels, 1, 2}});
        QCOMPARE(model.index(0, 0).data(HeadMapModel::OffRole).toDouble(), 0.5);
        QVERIFY(!model.allOff({0, HeadKind::Channels, 0, 4}));
        QVERIFY(model.allOff({0, HeadKind::Channels, 1, 2}));
        QVERIFY(model.index(0, 0).data(Qt::AccessibleTextRole).toString().contains(u"partly ablated"_s));
    }

    void headsThatChangeAtSomeTokensHaveOneStroke()
    {
        m_model->setOff({head(1, 1)}, {head(1, 1), head(2, 5)});
        QCOMPARE(m_model->offCount(), 1);
        QCOMPARE(m_model->partlyAblatedCount(), 1); // off is more
        QCOMPARE(m_model->index(1, 1).data(HeadMapModel::OffRole).toDouble(), 1.0);
        const QModelIndex partly = m_model->index(2, 5);
        QCOMPARE(partly.data(HeadMapModel::OffRole).toDouble(), 0.5);
        QVERIFY(!m_model->allOff(head(2, 5))); // a click ablates it
        QVERIFY(partly.data(Qt::ToolTipRole).toString().contains(u"some tokens only"_s));
        QVERIFY(partly.data(Qt::AccessibleTextRole).toString().contains(u"changed in part"_s));
        m_model->setOff({});
        QCOMPARE(partly.data(HeadMapModel::OffRole).toDouble(), 0.0);
    }

    void tagsAreDrawnInTheirCells()
    {
        const auto picture = [&](int row, int column) {
            const QRect cell = m_view->visualRect(m_model->index(row, column));
            return m_view->viewport()->grab(cell.adjusted(3, 3, -4, -4)).toImage();
        };
        const QImage bare = picture(2, 5), other = picture(2, 4);
        m_model->setTags({{head(2, 5), u"In"_s, u"induction <0.93>"_s}});
        QCOMPARE(m_model->index(2, 5).data(HeadMapModel::TagRole).toString(), u"In"_s);
        QVERIFY(m_model->index(2, 4).data(HeadMapModel::TagRole).toString().isEmpty());
        QVERIFY(m_model->index(2, 5).data(Qt::ToolTipRole).toString().contains(u"<b>In</b>: induction &lt;0.93&gt;"_s));
        QVERIFY(m_model->index(2, 5).data(Qt::AccessibleTextRole).toString().contains(u"induction <0.93>"_s));
        QVERIFY(picture(2, 5) != bare);
        QCOMPARE(picture(2, 4), other);
        m_model->setTags({});
        QCOMPARE(picture(2, 5), bare);
    }

    void tooltipSaysWhatIsKnown()
    {
        m_model->setOff({head(2, 5)});
        m_model->setMarks({}, {head(2, 5)});
        m_model->setName(head(2, 5), u"<reader>"_s);
        QImage picture(8, 8, QImage::Format_RGB32);
        picture.fill(Qt::red);
        m_model->setThumbnail(head(2, 5), picture);
        const QString tip = m_model->index(2, 5).data(Qt::ToolTipRole).toString();
        for (const QString& part : {u"L2H5"_s, u"aggregate"_s, u"ablated"_s, u"&lt;reader&gt;"_s, u"data:image/png"_s})
            QVERIFY2(tip.contains(part), qPrintable(part));
    }

    void clickAsksForOffAndThenForOn()
    {
        QSignalSpy spy(m_view, &HeadMapView::switchRequested);
        click(2, 5);
        QCOMPARE(spy.size(), 1);
        QCOMPARE(spy.at(0).at(0).value<QList<HeadSpan>>(), QList<HeadSpan>{head(2, 5)});
        QCOMPARE(spy.at(0).at(1).toBool(), true);
        m_model->setOff({head(2, 5)});
        click(2, 5);
        QCOMPARE(spy.at(1).at(1).toBool(), false);
    }

    void controlClickOnlyLooks()
    {
        QSignalSpy switched(m_view, &HeadMapView::switchRequested);
        QSignalSpy looked(m_view, &HeadMapView::currentHeadChanged);
        click(1, 3, Qt::ControlModifier);
        QCOMPARE(switched.size(), 0);
        QCOMPARE(looked.size(), 1);
        QCOMPARE(m_view->currentHead(), head(1, 3));
    }

    void aSettingExchangesTheClicks()
    {
        const auto* state = m_panel->findChild<ElidedLabel*>();
        QVERIFY(state && state->toolTip().contains(u"Click: ablate"_s));
        m_panel->setClickLooks(true);
        QVERIFY2(state->toolTip().contains(u"Click: look only"_s), qPrintable(state->toolTip()));
        QSignalSpy switched(m_view, &HeadMapView::switchRequested);
        click(1, 3);
        QCOMPARE(m_view->currentHead(), head(1, 3));
        QCOMPARE(switched.size(), 0);
        click(2, 5, Qt::ControlModifier);
        QCOMPARE(switched.size(), 1);
        QCOMPARE(switched.at(0).at(0).value<QList<HeadSpan>>(), QList<HeadSpan>{head(2, 5)});
    }

    void dragSelectsARectangleAndSwitchesNothing()
    {
        QSignalSpy switched(m_view, &HeadMapView::switchRequested);
        QTest::mousePress(m_view->viewport(), Qt::LeftButton, Qt::NoModifier, at(1, 2));
        QTest::mouseMove(m_view->viewport(), at(2, 3));
        QTest::mouseMove(m_view->viewport(), at(2, 4));
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, Qt::NoModifier, at(2, 4));
        QCOMPARE(switched.size(), 0);
        const QList<HeadSpan> expected{{1, HeadKind::Attention, 2, 3}, {2, HeadKind::Attention, 2, 3}};
        QCOMPARE(m_view->selectedHeads(), expected);
        QSignalSpy kept(m_view, &HeadMapView::keepOnlyRequested);
        QTest::keyClick(m_view, Qt::Key_K);
        QCOMPARE(kept.at(0).at(0).value<QList<HeadSpan>>(), expected);
    }

    void lassoSelectsWhatItEncloses()
    {
        QSignalSpy switched(m_view, &HeadMapView::switchRequested);
        const QPoint reach(m_view->cellSize().width() * 3 / 4, m_view->cellSize().height() * 3 / 4);
        QTest::mousePress(m_view->viewport(), Qt::LeftButton, Qt::AltModifier, at(1, 2) - reach);
        const QPoint part(m_view->cellSize().width() * 2 / 5, m_view->cellSize().height() * 2 / 5);
        for (const QPoint& corner :
             {at(1, 4) + QPoint(reach.x(), -reach.y()), at(2, 4) + reach, at(2, 3) + QPoint(-part.x(), reach.y()),
              at(1, 3) + QPoint(-part.x(), part.y()), at(1, 2) + QPoint(-reach.x(), part.y())})
            QTest::mouseMove(m_view->viewport(), corner);
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, Qt::AltModifier, at(1, 2) - reach);
        QCOMPARE(switched.size(), 0);
        QCOMPARE(m_view->selectedHeads(),
                 (QList<HeadSpan>{{1, HeadKind::Attention, 2, 3}, {2, HeadKind::Attention, 3, 2}}));
    }

    void sortingKeepsWhatIsChosen()
    {
        QAbstractItemModelTester tester(m_model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        m_view->setCurrentHead(head(2, 1));
        m_model->setSorted(true);
        QCOMPARE(m_model->spanAt(m_model->index(2, 0)), head(2, 5)); // the strongest comes first
        QCOMPARE(m_view->currentHead(), head(2, 1));
        QCOMPARE(m_model->indexOf(head(2, 5)), m_model->index(2, 0));
        QVERIFY(!m_model->headerData(0, Qt::Horizontal, Qt::DisplayRole).isValid());
        HeadMetric other = metric(false);
        other.values[2][7] = 2;
        m_model->setMetric(other);
        QCOMPARE(m_model->spanAt(m_model->index(2, 0)), head(2, 7));
        QCOMPARE(m_view->currentHead(), head(2, 1));
        m_model->setSorted(false);
        QCOMPARE(m_model->spanAt(m_model->index(2, 0)), head(2, 0));
        QCOMPARE(m_view->currentHead(), head(2, 1));
    }

    void noiseDoesNotShine()
    {
        HeadMetric noise = metric(false);
        noise.values[2][5] = -0.015F; // no head costs anything
        m_model->setMetric(noise);
        QVERIFY(m_model->metricHigh() < 0.01);
        noise.atLeast = 0.05;
        m_model->setMetric(noise);
        QCOMPARE(m_model->metricHigh(), 0.05);
        noise.values[1][1] = 1; // a real loss stretches the scale as before
        m_model->setMetric(noise);
        QCOMPARE(m_model->metricHigh(), 1.0);
    }

    void floorHidesWeakHeads()
    {
        QVERIFY(!m_model->index(0, 0).data(HeadMapModel::HiddenRole).toBool());
        m_model->setFloor(0.5);
        QVERIFY(m_model->index(0, 0).data(HeadMapModel::HiddenRole).toBool());
        QVERIFY(!m_model->index(2, 5).data(HeadMapModel::HiddenRole).toBool());
        const QPoint inside = m_view->visualRect(m_model->index(0, 0)).topLeft() + QPoint(3, 8);
        QCOMPARE(m_view->viewport()->grab().toImage().pixelColor(inside).rgb(),
                 themeOf(m_view->palette()).raised.rgb());
        // It is a value of this metric: new numbers keep it, another metric does not.
        HeadMetric metric = m_model->metric();
        m_model->setMetric(metric);
        QVERIFY(m_model->index(0, 0).data(HeadMapModel::HiddenRole).toBool());
        metric.name = u"another"_s;
        m_model->setMetric(metric);
        QVERIFY(!m_model->index(0, 0).data(HeadMapModel::HiddenRole).toBool());
    }

    void dragOnTheLegendHidesAndDoubleClickShows()
    {
        auto* legend = m_panel->findChild<MetricLegend*>();
        QVERIFY(legend);
        QTest::mouseClick(legend, Qt::LeftButton, Qt::NoModifier, legend->rect().center());
        QVERIFY(m_model->floor() > 0.3 && m_model->floor() < 0.7);
        QTest::mouseDClick(legend, Qt::LeftButton, Qt::NoModifier, legend->rect().center());
        QVERIFY(std::isnan(m_model->floor()));
    }

    void headsAreNamedInPlace()
    {
        QSignalSpy named(m_model, &HeadMapModel::nameEdited);
        m_view->setCurrentHead(head(2, 5));
        m_view->setFocus();
        QTest::keyClick(m_view, Qt::Key_F2);
        auto* editor = m_view->viewport()->findChild<QLineEdit*>();
        QVERIFY(editor && editor->width() >= 100);
        QTest::failOnWarning(QRegularExpression(u"editing failed"_s));
        for (QAction* action : m_view->actions())
            if (action->shortcut() == Qt::Key_F2)
                action->trigger(); // a name is being written: it goes on
        QTest::keyClicks(editor, u"the reader"_s);
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(named.size(), 1);
        QCOMPARE(named.at(0).at(1).toString(), u"the reader"_s);
        QCOMPARE(m_model->index(2, 5).data(HeadMapModel::NameRole).toString(), u"the reader"_s);
    }

    void rankingAsksWithItsNumbers()
    {
        QSignalSpy top(m_panel.get(), &HeadMapPanel::topRequested);
        QSignalSpy random(m_panel.get(), &HeadMapPanel::randomRequested);
        m_panel->requestTop();
        m_panel->requestRandom();
        QCOMPARE(top.at(0).at(0).toInt(), 3);
        QCOMPARE(random.at(0).at(1).toInt(), 0);
    }

    void everyActionHasANameAndAKeyOfItsOwn()
    {
        QSet<QString> keys;
        for (const QAction* action : m_view->actions()) {
            if (action->isSeparator())
                continue;
            QVERIFY(!action->text().isEmpty());
            QVERIFY2(!keys.contains(action->shortcut().toString()), qPrintable(action->text()));
            keys.insert(action->shortcut().toString());
        }
        QVERIFY(keys.size() >= 10);
    }

    void shiftClickSelectsARange()
    {
        click(0, 1, Qt::ControlModifier);
        QSignalSpy switched(m_view, &HeadMapView::switchRequested);
        click(0, 4, Qt::ShiftModifier);
        QCOMPARE(switched.size(), 0);
        QCOMPARE(m_view->selectedHeads(), (QList<HeadSpan>{{0, HeadKind::Attention, 1, 4}}));
    }

    void layerLabelSwitchesTheLayer()
    {
        QSignalSpy spy(m_view, &HeadMapView::switchRequested);
        const QHeaderView* header = m_view->verticalHeader();
        const QPoint label(5, header->sectionViewportPosition(3) + header->sectionSize(3) / 2);
        QTest::mouseClick(header->viewport(), Qt::LeftButton, Qt::NoModifier, label);
        QCOMPARE(spy.size(), 1);
        QCOMPARE(spy.at(0).at(0).value<QList<HeadSpan>>(), (QList<HeadSpan>{{3, HeadKind::Attention, 0, 8}}));
    }

    void arrowsWalkSpaceSwitchesCopyCopies()
    {
        m_view->setCurrentHead(head(1, 1));
        QTest::keyClick(m_view, Qt::Key_Right);
        QTest::keyClick(m_view, Qt::Key_Down);
        QCOMPARE(m_view->currentHead(), head(2, 2));
        QSignalSpy spy(m_view, &HeadMapView::switchRequested);
        QTest::keyClick(m_view, Qt::Key_Space);
        QCOMPARE(spy.at(0).at(0).value<QList<HeadSpan>>(), QList<HeadSpan>{head(2, 2)});
        QTest::keySequence(m_view, QKeySequence::Copy);
        QCOMPARE(QApplication::clipboard()->text(), u"L2H2"_s);
    }

    void paintsColourAndCross()
    {
        const auto pixel = [this](QPoint p) { return m_view->viewport()->grab().toImage().pixelColor(p); };
        const QRect cell = m_view->visualRect(m_model->index(2, 5));
        const QPoint corner = cell.topLeft() + QPoint(3, cell.height() / 2);
        QCOMPARE(pixel(corner), QColor(colorAt(ColorMap::Viridis, 1)));
        QCOMPARE(pixel(m_view->visualRect(m_model->index(0, 0)).topLeft() + QPoint(3, 8)),
                 QColor(colorAt(ColorMap::Viridis, 0)));
        m_model->setOff({head(2, 5)});
        const QPoint centre = QRectF(cell).adjusted(0, 0, -2, -2).center().toPoint();
        const QColor crossed = pixel(centre);
        QVERIFY2(crossed.red() > 150 && crossed.green() < 110, qPrintable(crossed.name()));
    }

    void fewHeadsAreSmallerBeforeTheyAreScrolled()
    {
        std::vector<HeadRow> rows;
        for (int layer = 0; layer < 4; ++layer)
            rows.push_back(
                {.layer = layer, .kind = HeadKind::Attention, .heads = 8, .block = 1, .note = {}, .groups = {}});
        m_model->setRows(rows);
        bool shrunk = false;
        for (int height = 160; height <= 420; height += 4) {
            m_panel->resize(290, height);
            QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
            const QSize cell = m_view->cellSize();
            QCOMPARE(cell.width(), cell.height());
            QVERIFY(cell.width() >= 22);
            const int room = m_view->height() - m_view->horizontalHeader()->sizeHint().height() - 2;
            if (room >= 4 * 22)
                QVERIFY2(m_view->visualRect(m_model->index(3, 7)).bottom() < m_view->viewport()->height(),
                         qPrintable(QString::number(height)));
            shrunk = shrunk || (room >= 4 * 22 && room < 4 * 28);
        }
        QVERIFY(shrunk);                          // there were such heights
        QVERIFY(m_view->cellSize().width() > 28); // as large as the width allows where there is room
    }

    void thousandHeadsFitANarrowDock()
    {
        std::vector<HeadRow> rows;
        for (int layer = 0; layer < 32; ++layer)
            rows.push_back(
                {.layer = layer, .kind = HeadKind::Attention, .heads = 32, .block = 1, .note = {}, .groups = {}});
        m_panel->resize(290, 420);
        m_model->setRows(rows);
        QTRY_VERIFY(m_view->cellSize().width() >= 7);
        const QRect last = m_view->visualRect(m_model->index(0, 31));
        QVERIFY(last.right() <= m_view->viewport()->width());
    }

    void manyHeadsAreZoomedAndPanned()
    {
        std::vector<HeadRow> rows;
        for (int layer = 0; layer < 80; ++layer)
            rows.push_back(
                {.layer = layer, .kind = HeadKind::Attention, .heads = 64, .block = 1, .note = {}, .groups = {}});
        m_panel->resize(290, 420);
        m_model->setRows(rows);
        const QSize fitting = m_view->cellSize();
        QVERIFY(fitting.width() < 12);
        auto* overview = m_view->findChild<HeadMapOverview*>();
        QTRY_VERIFY(overview->isVisible()); // 64 heads do not fit
        const QPoint place = m_view->visualRect(m_model->index(9, 11)).center();
        const auto turn = [&](int steps) {
            QWheelEvent event(place, m_view->viewport()->mapToGlobal(place), {}, {0, steps * 120}, Qt::NoButton,
                              Qt::ControlModifier, Qt::NoScrollPhase, false);
            QApplication::sendEvent(m_view->viewport(), &event);
        };
        turn(1);
        QVERIFY(m_view->cellSize().width() >= 12 && m_view->cellSize().height() >= 12);
        QCOMPARE(m_view->indexAt(place), m_model->index(9, 11)); // what one looks at stays where it is
        for (int i = 0; i < 20; ++i)
            turn(1);
        QVERIFY(m_view->cellSize().width() <= 40);
        QCOMPARE(m_view->indexAt(place), m_model->index(9, 11));

        // The middle button takes the map along, and switches nothing.
        QSignalSpy asked(m_view, &HeadMapView::switchRequested);
        QTest::mousePress(m_view->viewport(), Qt::MiddleButton, {}, place);
        QTest::mouseMove(m_view->viewport(), place - QPoint(30, 50));
        QTest::mouseRelease(m_view->viewport(), Qt::MiddleButton, {}, place - QPoint(30, 50));
        QCOMPARE(m_view->indexAt(place - QPoint(30, 50)), m_model->index(9, 11));
        // A click into the overview's corner goes there.
        QTest::mouseClick(overview, Qt::LeftButton, {}, QPoint(overview->width() - 2, overview->height() - 2));
        QVERIFY(m_view->visualRect(m_model->index(79, 63)).intersects(m_view->viewport()->rect()));
        QCOMPARE(asked.size(), 0);

        for (int i = 0; i < 25; ++i)
            turn(-1);
        QCOMPARE(m_view->cellSize(), fitting);
        m_view->setZoom(3);
        m_model->setRows(tinyRows()); // another model begins with all of its heads
        QCOMPARE(m_view->zoom(), 1.0);
        QTRY_VERIFY(!overview->isVisible());
    }

    void strongestHeadsComeFirst()
    {
        HeadMetric values = metric(true);
        values.values[0][3] = -2;
        values.values[3][7] = std::numeric_limits<float>::quiet_NaN();
        m_model->setMetric(values);
        QCOMPARE(m_model->strongest(2), (QList<HeadSpan>{head(0, 3), head(2, 5)}));
        QCOMPARE(m_model->strongest(99).size(), 31); // those without a value are not among them
    }

    void stripShowsPicturesAndChooses()
    {
        m_panel->hide();
        HeadStrip strip;
        strip.setHeads({head(2, 0), head(2, 1), head(2, 2)}, {head(2, 1)});
        strip.resize(strip.sizeHint());
        QImage picture(HeadStrip::kSide, HeadStrip::kSide, QImage::Format_RGB32);
        picture.fill(QColor(10, 200, 30));
        strip.setPicture(head(2, 1), picture);
        strip.setPicture(head(3, 1), picture); // came too late: another layer is shown
        strip.show();
        QVERIFY(QTest::qWaitForWindowExposed(&strip));
        const QRect second = strip.visualRect(strip.model()->index(1, 0));
        const QImage drawn = strip.viewport()->grab().toImage();
        QCOMPARE(drawn.pixelColor(second.center().x(), second.top() + 60), QColor(10, 200, 30));
        QVERIFY(drawn.pixelColor(30, 60) != QColor(10, 200, 30));
        QSignalSpy spy(&strip, &HeadStrip::headChosen);
        QTest::mouseClick(strip.viewport(), Qt::LeftButton, Qt::NoModifier, second.center());
        QVERIFY(spy.size() >= 1);
        QCOMPARE(spy.at(0).at(0).value<HeadSpan>(), head(2, 1));
        strip.setCurrentHead(head(2, 2));
        QCOMPARE(strip.currentIndex().row(), 2);
    }

    // All of four layers of eight heads, as large as they fit: a line each, nothing outside, no line wider than a
    // layer.
    void everyHeadHasItsPlace()
    {
        m_panel->hide();
        QList<HeadSpan> all;
        for (int layer = 0; layer < 4; ++layer)
            for (int each = 0; each < 8; ++each)
                all.append(head(layer, each));
        HeadStrip strip;
        strip.setAcross(8);
        strip.setHeads(all, {});
        for (const QSize size : {QSize(820, 560), QSize(430, 560), QSize(430, 320)}) {
            strip.resize(size);
            strip.show();
            QVERIFY(QTest::qWaitForWindowExposed(&strip));
            const auto place = [&](int index) { return strip.visualRect(strip.model()->index(index, 0)); };
            for (int layer = 1; layer < 4; ++layer) {
                QCOMPARE(place(8 * layer).left(), place(0).left());
                QVERIFY(place(8 * layer).top() > place(8 * layer - 1).top());
            }
            QVERIFY(strip.viewport()->rect().contains(place(31)));
            QVERIFY(strip.side() >= 40);
        }
        strip.resize(200, 100); // too small: fewer beside each other, and it scrolls
        QTest::qWait(1);
        QVERIFY(strip.visualRect(strip.model()->index(3, 0)).right() < 200);
        QCOMPARE(strip.side(), 40);
    }

    void cellsSpeakToScreenReaders()
    {
        m_model->setOff({head(2, 5)});
        QCOMPARE(m_model->index(2, 5).data(Qt::AccessibleTextRole).toString(), u"L2H5, effect 1, off"_s);
        QVERIFY(!m_view->accessibleName().isEmpty());
    }
};

QTEST_MAIN(TestWidgetsHeadMap)
#include "tst_widgets_headmap.moc"

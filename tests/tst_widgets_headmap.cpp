// SPDX-License-Identifier: GPL-3.0-or-later
// Head map: model, mouse, keys, pixels.
#include "widgets/headmappanel.h"
#include "widgets/headstrip.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <memory>

using namespace headscope::widgets;
using namespace Qt::StringLiterals;

Q_DECLARE_METATYPE(headscope::widgets::HeadSpan)

namespace {

std::vector<HeadRow> tinyRows()
{
    std::vector<HeadRow> rows;
    for (int layer = 0; layer < 4; ++layer)
        rows.push_back({layer, HeadKind::Attention, 8, 1, {}, {}});
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
        QVERIFY(QTest::qWaitForWindowExposed(m_panel.get()));
    }

    void modelKeepsItsContract()
    {
        HeadMapModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRows(tinyRows());
        model.setMetric(metric(false));
        model.setOff({head(2, 5)});
        std::vector<HeadRow> mamba(3, HeadRow{0, HeadKind::Channels, 100, 16, {}, {}});
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
        model.setRows({{0, HeadKind::Ssm, 5, 1, {}, {}}, {1, HeadKind::Attention, 8, 1, {}, {}}});
        QVERIFY(model.hasTwoKinds());
        QCOMPARE(model.flags(model.index(0, 6)), Qt::ItemFlags(Qt::NoItemFlags));
        QVERIFY(!model.index(0, 6).data(HeadMapModel::TextRole).isValid());
        QCOMPARE(model.index(0, 4).data(HeadMapModel::TextRole).toString(), u"L0H4"_s);
    }

    void partlyOffBlocksAndStrongestChannel()
    {
        HeadMapModel model;
        model.setRows({{0, HeadKind::Channels, 8, 4, {}, {}}});
        model.setMetric({u"m"_s, {}, true, {{0.1F, -0.9F, 0, 0, 0, 0, 0, 0}}});
        QCOMPARE(model.index(0, 0).data(HeadMapModel::ValueRole).toFloat(), -0.9F);
        model.setOff({{0, HeadKind::Channels, 1, 2}});
        QCOMPARE(model.index(0, 0).data(HeadMapModel::OffRole).toDouble(), 0.5);
        QVERIFY(!model.allOff({0, HeadKind::Channels, 0, 4}));
        QVERIFY(model.allOff({0, HeadKind::Channels, 1, 2}));
        QVERIFY(model.index(0, 0).data(Qt::AccessibleTextRole).toString().contains(u"partly off"_s));
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
        for (const QString& part : {u"L2H5"_s, u"aggregate"_s, u"switched off"_s, u"&lt;reader&gt;"_s, u"data:image/png"_s})
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
        QCOMPARE(pixel(m_view->visualRect(m_model->index(0, 0)).topLeft() + QPoint(3, 8)), QColor(colorAt(ColorMap::Viridis, 0)));
        m_model->setOff({head(2, 5)});
        const QPoint centre = QRectF(cell).adjusted(0, 0, -2, -2).center().toPoint();
        const QColor crossed = pixel(centre);
        QVERIFY2(crossed.red() > 150 && crossed.green() < 110, qPrintable(crossed.name()));
    }

    void thousandHeadsFitANarrowDock()
    {
        std::vector<HeadRow> rows;
        for (int layer = 0; layer < 32; ++layer)
            rows.push_back({layer, HeadKind::Attention, 32, 1, {}, {}});
        m_panel->resize(290, 420);
        m_model->setRows(rows);
        QTRY_VERIFY(m_view->cellSize().width() >= 7);
        const QRect last = m_view->visualRect(m_model->index(0, 31));
        QVERIFY(last.right() <= m_view->viewport()->width());
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
        QCOMPARE(drawn.pixelColor(second.left() + 30, second.top() + 60), QColor(10, 200, 30));
        QVERIFY(drawn.pixelColor(30, 60) != QColor(10, 200, 30));
        QSignalSpy spy(&strip, &HeadStrip::headChosen);
        QTest::mouseClick(strip.viewport(), Qt::LeftButton, Qt::NoModifier, second.center());
        QVERIFY(spy.size() >= 1);
        QCOMPARE(spy.at(0).at(0).value<HeadSpan>(), head(2, 1));
        strip.setCurrentHead(head(2, 2));
        QCOMPARE(strip.currentIndex().row(), 2);
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

// SPDX-License-Identifier: GPL-3.0-or-later
// Pattern view and row profile: mouse, keys, linking, pixels.
#include "tests/support/paintedtexts.h"
#include "widgets/pattern/card/patterncard.h"

#include <QProxyStyle>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <cmath>
#include <memory>

using namespace headscope;
using namespace headscope::widgets;
using namespace Qt::StringLiterals;

namespace {

constexpr int kTokens = 20;

PatternData sample(bool isSigned = false)
{
    PatternData data;
    auto values = std::make_shared<Matrix>(kTokens, kTokens);
    for (int r = 0; r < kTokens; ++r)
        values->at(r, 0) = 0.25F;
    values->at(12, 4) = 1;
    if (isSigned)
        values->at(15, 3) = -1;
    data.values = values;
    for (int i = 0; i < kTokens; ++i)
        data.tokens << (i == 4 ? u" 62"_s : i == 5 ? u"\n"_s : u" t%1"_s.arg(i));
    data.segments = {{Role::Key, 2, 4, true}, {Role::Value, 4, 5, true}};
    data.head = u"A L2H5"_s;
    data.meaning = u"softmax attention"_s;
    data.isSigned = isSigned;
    return data;
}

/// A desktop that wants motion.
class Moving : public QProxyStyle
{
public:
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* returned) const override
    {
        return hint == SH_Widget_Animation_Duration ? 200 : QProxyStyle::styleHint(hint, option, widget, returned);
    }
};

} // namespace

class TestWidgetsPattern : public QObject
{
    Q_OBJECT

    std::unique_ptr<PatternView> m_view;

    QPoint at(int row, int col) const { return m_view->mapGeometry().cellRect(row, col).center().toPoint(); }
    QColor pixel(const QPointF& p) const { return m_view->grab().toImage().pixelColor(p.toPoint()); }
    void wheel(const QPoint& p, int delta)
    {
        QWheelEvent event(p, m_view->mapToGlobal(p), QPoint(), QPoint(0, delta), Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(m_view.get(), &event);
    }

private Q_SLOTS:
    void theHeadsTagIsWholeOrNotThere()
    {
        const QString full = u"aggregates · KV -0.98"_s;
        m_view->setTag({full, u"aggregates"_s});
        QStringList seen;
        for (int width = 600; width >= 60; width -= 5) {
            m_view->resize(width, 300);
            if (!seen.contains(m_view->tag()))
                seen += m_view->tag();
        }
        QCOMPARE(seen, (QStringList{full, u"aggregates"_s, QString()}));
        m_view->resize(600, 300);
        QVERIFY(m_view->accessibleDescription().startsWith(full));
        const QImage with = m_view->grab().toImage();
        m_view->setTagShown(false);
        QCOMPARE(m_view->tag(), QString());
        QVERIFY(!m_view->accessibleDescription().contains(u"aggregates"_s));
        QVERIFY(m_view->grab().toImage() != with);
        m_view->setTagShown(true);
        QCOMPARE(m_view->grab().toImage(), with);
    }

    void init()
    {
        QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support)"_s));
        m_view = std::make_unique<PatternView>();
        m_view->setPattern(sample());
        m_view->resize(420, 460);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }

    void paintsCellsExactly()
    {
        const QRectF cell = m_view->mapGeometry().cellRect(12, 4);
        QCOMPARE(pixel(cell.center()), QColor(colorAt(ColorMap::Viridis, 1)));
        QCOMPARE(pixel(cell.topLeft() + QPointF(1, 1)), QColor(colorAt(ColorMap::Viridis, 1)));
        QCOMPARE(pixel(m_view->mapGeometry().cellRect(12, 6).center()), QColor(colorAt(ColorMap::Viridis, 0)));
    }

    void aChangeFadesInWhereThereIsMotion()
    {
        Moving style;
        m_view->setStyle(&style);
        const QPointF cell = m_view->mapGeometry().cellRect(12, 4).center();
        PatternData other = sample();
        auto values = std::make_shared<Matrix>(*other.values);
        values->at(12, 4) = 0;
        values->at(12, 8) = 1;
        other.values = values;
        const QColor bright(colorAt(ColorMap::Viridis, 1)), dark(colorAt(ColorMap::Viridis, 0));
        QCOMPARE(pixel(cell), bright); // it was drawn
        m_view->setPattern(other);
        QCOMPARE(pixel(cell), dark); // no motion unless it was asked for
        Fade::setMotion(true);
        m_view->setPattern(sample());
        QVERIFY(pixel(cell) != bright); // on the way
        QTRY_COMPARE(pixel(cell), bright);
        Fade::setMotion(false);
        m_view->setPattern(other);
        QCOMPARE(pixel(cell), dark);
        m_view->setStyle(nullptr);
    }

    void futureIsNeutralNotZero()
    {
        const QColor future = pixel(m_view->mapGeometry().cellRect(2, 15).center());
        QCOMPARE(future.rgb(), themeOf(m_view->palette()).unused.rgb());
        QVERIFY(future != QColor(colorAt(ColorMap::Viridis, 0)));
    }

    void bracketsStandOverTheirTokens()
    {
        const PatternGeometry g = m_view->mapGeometry();
        QCOMPARE(pixel({g.xOf(4.5), g.plot().top() - 5}), roleColor(Role::Value));
        QCOMPARE(pixel({g.xOf(3), g.plot().top() - 5}), roleColor(Role::Key));
    }

    void signedMapsAreBlueAndRed()
    {
        m_view->setPattern(sample(true));
        QVERIFY(m_view->scale().diverging());
        QCOMPARE(pixel(m_view->mapGeometry().cellRect(12, 4).center()), QColor(colorAt(ColorMap::BlueRed, 1)));
        QCOMPARE(pixel(m_view->mapGeometry().cellRect(15, 3).center()), QColor(colorAt(ColorMap::BlueRed, 0)));
    }

    void hoverTellsTheValue()
    {
        QSignalSpy spy(m_view.get(), &PatternView::cellHovered);
        QTest::mouseMove(m_view.get(), at(12, 4));
        QVERIFY(!spy.isEmpty());
        QCOMPARE(spy.last().at(0).toInt(), 12);
        QCOMPARE(spy.last().at(1).toInt(), 4);
        QCOMPARE(spy.last().at(2).toDouble(), 1.0);
        QCOMPARE(m_view->readout(), u"“␣t12” (12) → “␣62” (4)   1"_s);
        QSignalSpy ended(m_view.get(), &PatternView::hoverEnded);
        QTest::mouseMove(m_view.get(), QPoint(2, 2));
        QCOMPARE(ended.size(), 1);
    }

    void pooledMapAsksForTheRowsItShowsAndReadsThem()
    {
        constexpr int kCells = 4096;
        PatternData data;
        auto pooled = std::make_shared<Matrix>(kCells / 8, kCells / 8);
        pooled->at(300, 100) = 0.75F;
        data.values = pooled;
        data.pool = 8;
        for (int i = 0; i < kCells; ++i)
            data.tokens << u"t%1"_s.arg(i);
        QSignalSpy wanted(m_view.get(), &PatternView::rowsWanted);
        m_view->setPattern(data);
        QCOMPARE(m_view->mapGeometry().rows(), kCells);
        QCOMPARE(wanted.size(), 0); // the whole map is too much to read exactly
        m_view->setCrosshair(2403, 805);
        QCOMPARE(wanted.size(), 1); // but the row under the cursor is not
        QCOMPARE(wanted.at(0).at(0).toInt(), 2403);
        QCOMPARE(wanted.at(0).at(1).toInt(), 1);
        QVERIFY2(m_view->readout().contains(u"at most 0.75"_s), qPrintable(m_view->readout()));
        auto row = std::make_shared<Matrix>(1, kCells);
        row->at(0, 805) = 0.5F;
        m_view->setExactRows({2403, row});
        QVERIFY2(m_view->readout().endsWith(u"0.5"_s), qPrintable(m_view->readout()));
        // Closer, a block of rows is asked for and drawn.
        m_view->setCrosshair(-1, -1);
        m_view->setViewport({0.2, 0.5865, 64}); // cells of some pixels
        QCOMPARE(wanted.size(), 2);
        const int first = wanted.at(1).at(0).toInt(), count = wanted.at(1).at(1).toInt();
        QVERIFY(first <= 2403 && first + count > 2403 && count <= 512);
        auto block = std::make_shared<Matrix>(count, kCells);
        block->at(2403 - first, 805) = 0.75F;
        m_view->setExactRows({first, block});
        const QRectF cell = m_view->mapGeometry().cellRect(2403, 805);
        QCOMPARE(pixel(cell.center()), QColor(colorTable(ColorMap::Viridis, 0)[colorIndex(0.75)]));
        QCOMPARE(pixel(m_view->mapGeometry().cellRect(2403, 803).center()), QColor(colorAt(ColorMap::Viridis, 0)));
        m_view->setViewport({0.2001, 0.5866, 64});
        QCOMPARE(wanted.size(), 2); // still inside
    }

    void linesOfHeadsHaveNames()
    {
        PatternData data = sample();
        data.values = std::make_shared<Matrix>(6, kTokens);
        data.rowLabels = {u"L0H0"_s, u"L0H1"_s, u"L0H2"_s, u"L1H0"_s, u"L1H1"_s, u"L1H2"_s};
        data.causal = false;
        m_view->setPattern(data);
        m_view->setCrosshair(4, 12);
        QCOMPARE(m_view->readout(), u"L1H1 → “␣t12” (12)   0"_s);
    }

    void clickLocksAndUnlocksARow()
    {
        QSignalSpy spy(m_view.get(), &PatternView::rowLocked);
        QCOMPARE(m_view->profileRow(), kTokens - 1);
        QTest::mouseClick(m_view.get(), Qt::LeftButton, Qt::NoModifier, at(12, 4));
        QCOMPARE(m_view->profileRow(), 12);
        QTest::mouseClick(m_view.get(), Qt::LeftButton, Qt::NoModifier, at(12, 2));
        QCOMPARE(m_view->profileRow(), kTokens - 1);
        QCOMPARE(spy.size(), 2);
        QCOMPARE(spy.at(0).at(0).toInt(), 12);
        QCOMPARE(spy.at(1).at(0).toInt(), -1);
    }

    void wheelZoomsAtTheCursorAndRResets()
    {
        QSignalSpy spy(m_view.get(), &PatternView::viewportChanged);
        const QPoint p = at(12, 4);
        for (int i = 0; i < 5; ++i)
            wheel(p, 120);
        QCOMPARE(spy.size(), 5);
        QVERIFY(m_view->viewport().zoom > 2);
        QCOMPARE(m_view->mapGeometry().rowAt(p.y()), 12);
        QCOMPARE(m_view->mapGeometry().colAt(p.x()), 4);
        QTest::keyClick(m_view.get(), Qt::Key_R);
        QCOMPARE(m_view->viewport(), Viewport());
        wheel(p, -120);
        QCOMPARE(spy.size(), 6); // already whole: nothing changes, nothing is said
    }

    void dragPansAndLocksNothing()
    {
        wheel(at(10, 5), 600);
        QSignalSpy locked(m_view.get(), &PatternView::rowLocked);
        const QPoint p = m_view->mapGeometry().plot().center().toPoint();
        const int col = m_view->mapGeometry().colAt(p.x());
        QTest::mousePress(m_view.get(), Qt::LeftButton, Qt::NoModifier, p);
        QTest::mouseMove(m_view.get(), p - QPoint(30, 0));
        QTest::mouseMove(m_view.get(), p - QPoint(60, 0));
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, Qt::NoModifier, p - QPoint(60, 0));
        QVERIFY(locked.isEmpty());
        QVERIFY(m_view->mapGeometry().colAt(p.x()) > col);
    }

    // A plain drag pans; with Shift held it marks cells and moves nothing.
    void aDragWithShiftMarksCells()
    {
        QSignalSpy marked(m_view.get(), &PatternView::regionMarked);
        QSignalSpy locked(m_view.get(), &PatternView::rowLocked);
        const auto drag = [&](const QPoint& from, const QPoint& to) {
            QTest::mousePress(m_view.get(), Qt::LeftButton, Qt::ShiftModifier, from);
            QTest::mouseMove(m_view.get(), (from + to) / 2);
            QTest::mouseMove(m_view.get(), to);
            QTest::mouseRelease(m_view.get(), Qt::LeftButton, Qt::ShiftModifier, to);
        };
        drag(at(15, 7), at(12, 2)); // from any corner
        QCOMPARE(marked.takeFirst(), (QList<QVariant>{12, 15, 2, 7}));
        drag(at(12, 2), at(12, 6)); // one row
        QCOMPARE(marked.takeFirst(), (QList<QVariant>{12, 12, 2, 6}));
        drag(at(18, 3), m_view->rect().bottomRight()); // what is drawn beyond the map ends at its edge
        QCOMPARE(marked.takeFirst(), (QList<QVariant>{18, 19, 3, 19}));
        QVERIFY(locked.isEmpty());
        QCOMPARE(m_view->viewport(), Viewport());
        QTest::mouseClick(m_view.get(), Qt::LeftButton, Qt::ShiftModifier, at(9, 4)); // a click is a click
        QVERIFY(marked.isEmpty());
        QCOMPARE(locked.size(), 1);
        drag(QPoint(2, 40), QPoint(2, 90)); // it begins beside the map
        QVERIFY(marked.isEmpty());
    }

    void linkedViewsFollowWithoutEcho()
    {
        PatternView other;
        other.setPattern(sample());
        other.resize(300, 360);
        connect(m_view.get(), &PatternView::viewportChanged, &other, &PatternView::setViewport);
        connect(&other, &PatternView::viewportChanged, m_view.get(), &PatternView::setViewport);
        QSignalSpy echo(&other, &PatternView::viewportChanged);
        wheel(at(12, 4), 240);
        QCOMPARE(echo.size(), 0);
        QCOMPARE(other.viewport(), m_view->viewport());
        other.setCrosshair(12, 4);
        QVERIFY(other.readout().contains(u"62"_s));
    }

    void keyboardMovesTheCrosshair()
    {
        QSignalSpy spy(m_view.get(), &PatternView::cellHovered);
        QTest::keyClick(m_view.get(), Qt::Key_Right); // appears at the profile row, first column
        QCOMPARE(m_view->crosshairRow(), kTokens - 1);
        QCOMPARE(m_view->crosshairCol(), 0);
        QTest::keyClick(m_view.get(), Qt::Key_Right);
        QTest::keyClick(m_view.get(), Qt::Key_Up);
        QCOMPARE(m_view->crosshairCol(), 1);
        QCOMPARE(m_view->crosshairRow(), kTokens - 2);
        QTest::keyClick(m_view.get(), Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(m_view->crosshairCol(), 0);
        QTest::keyClick(m_view.get(), Qt::Key_Return);
        QCOMPARE(m_view->profileRow(), kTokens - 2);
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QCOMPARE(m_view->profileRow(), kTokens - 1);
        QCOMPARE(m_view->crosshairRow(), -1);
        QCOMPARE(spy.size(), 4);
    }

    void emptyViewSaysWhatToDo()
    {
        m_view->clearPattern(u"Choose a head."_s);
        QVERIFY(!m_view->mapGeometry().valid());
        QTest::keyClick(m_view.get(), Qt::Key_Right);
        QTest::mouseMove(m_view.get(), QPoint(100, 100));
        QCOMPARE(m_view->readout(), QString());
        m_view->grab();
    }

    void sizeOnePromptIsDrawn()
    {
        PatternData one = sample();
        auto m = std::make_shared<Matrix>(1, 1);
        m->at(0, 0) = 1;
        one.values = m;
        one.tokens = QStringList{u"x"_s};
        one.segments.clear();
        m_view->setPattern(one);
        m_view->setScale({ScaleKind::Log, true, ColorMap::Cividis});
        QCOMPARE(pixel(m_view->mapGeometry().plot().center()), QColor(colorAt(ColorMap::Cividis, 1)));
    }

    void rowProfileSaysSharpOrSmooth()
    {
        RowProfile p;
        p.head = u"L2H5"_s;
        p.row = 35;
        p.tokens = sample().tokens;
        p.values.assign(20, 0.01F);
        p.effectiveTokens = 1.4;
        p.targetMass = 0.92;
        p.target = u"80"_s;
        QCOMPARE(rowSummary(Side::A, p), u"A  L2H5  peaked · 1.4 effective tokens · 0.92 on “80”"_s);
        for (const int row : {1, 30, 300, 3000}) { // whatever its length
            p.row = row;
            p.effectiveTokens = 3;
            QVERIFY(p.peaked());
            p.effectiveTokens = 3.01;
            QVERIFY(!p.peaked());
        }
        p.effectiveTokens = 26;
        QVERIFY(rowSummary(Side::B, p, 1).endsWith(u"diffuse"_s));
    }

    void rowsBesideEachOtherShareAnAxis()
    {
        RowProfile sharp, smooth, signedRow;
        sharp.values = {0, 0.99F, 0.01F};
        smooth.values = {0.001F, 0.0053F};
        signedRow.values = {-0.044F, 0.27F};
        const auto axis = [](const std::vector<const RowProfile*>& rows) {
            return std::pair(commonAxis(rows).low, commonAxis(rows).high);
        };
        QCOMPARE(axis({&sharp, &signedRow}), std::pair(-0.05, 1.0));
        QCOMPARE(axis({&smooth}), std::pair(0.0, 0.01)); // alone it is not flat
        QCOMPARE(axis({&signedRow}), std::pair(-0.05, 0.5));
        QCOMPARE(axis({}), std::pair(0.0, 1.0));
    }

    void aRowProfileBearsNoRoom()
    {
        RowProfileView view(Side::A);
        view.setMinimumSize(0, 0);
        view.resize(300, 120);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        for (const QSize size : {QSize(300, 0), QSize(0, 120), QSize(0, 0)}) {
            view.resize(size);
            view.setAxis(ValueAxis{});
            QCoreApplication::processEvents();
        }
    }

    void barsHoldEveryTokenOnce()
    {
        std::vector<float> values(1000);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>((i * 7919) % 1000) * (i % 2 ? -0.001F : 0.001F);
        values[10] = std::numeric_limits<float>::quiet_NaN();
        for (const double cell : {0.0, 2.0, 1.0, 0.9, 0.5, 0.3, 0.01, 1e-300}) {
            int next = 0;
            for (const RowBar& bar : rowBars(values, cell)) {
                QCOMPARE(bar.first, next);
                next += bar.count;
                float most = 0;
                for (int i = bar.first; i < next; ++i)
                    most = std::fmax(most, std::abs(values[static_cast<std::size_t>(i)]));
                QVERIFY(std::abs(bar.value) == most || (bar.count == 1 && bar.first == 10));
            }
            QCOMPARE(next, 1000);
        }
        QVERIFY(rowBars({}, 0.5).empty());
    }

    // 32 tokens share a pixel: the one that is read most stands there, in the full colour.
    void barsOfALongTextAreSeen()
    {
        constexpr int kTokens = 16000, kPeak = 8003;
        RowProfileView view(Side::A);
        view.resize(600, 200);
        RowProfile p;
        p.row = kTokens - 1;
        p.tokens = QStringList(kTokens, u"word"_s);
        p.values.assign(kTokens, 0.2F);
        p.values[kPeak] = 0.9F;
        const AxisSpan columns{.origin = 50, .cell = 500.0 / kTokens, .count = kTokens, .begin = 50, .end = 550};
        view.setProfile(p);
        view.setColumns(columns, p.tokens);
        view.setAxis({0, 1});
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QCoreApplication::processEvents();
        const QImage image = view.grab().toImage();
        const QRgb color = sideColor(themeOf(view.palette()), Side::A).rgb();
        const auto heightAt = [&](double token) {
            int count = 0;
            for (int y = 0; y < image.height(); ++y)
                count += image.pixel(static_cast<int>(columns.begin + columns.cell * token), y) == color ? 1 : 0;
            return count;
        };
        const int peak = heightAt(kPeak), low = heightAt(4000);
        QVERIFY2(low > 5 && peak > 3 * low, qPrintable(u"%1 %2"_s.arg(peak).arg(low)));
    }

    void hoveringABarNamesItsToken()
    {
        m_view->hide(); // it lies where the other window will be
        PatternCard card(Side::A);
        card.view()->setPattern(sample());
        RowProfile p;
        p.row = 19;
        p.tokens = sample().tokens;
        p.values.assign(20, 0.05F);
        card.setProfile(p);
        card.resize(520, 700);
        card.show();
        QVERIFY(QTest::qWaitForWindowExposed(&card));
        QSignalSpy spy(card.profile(), &RowProfileView::tokenHovered);
        QWidget* plot = nullptr;
        for (QWidget* child : card.profile()->findChildren<QWidget*>())
            if (child->accessibleName() == u"Row profile of A"_s)
                plot = child;
        QVERIFY(plot);
        // Exactly below the column of the map, whatever part of it is shown.
        for (const Viewport& seen : {Viewport{}, Viewport{0.3, 0.4, 2.5}}) {
            card.view()->setViewport(seen);
            for (const int token : {3, 7}) {
                const int x = static_cast<int>(card.view()->mapGeometry().xOf(token + 0.5));
                QTRY_VERIFY(
                    (QTest::mouseMove(plot, QPoint(x, 30)), !spy.isEmpty() && spy.last().at(0).toInt() == token));
            }
        }
        // What was pointed at is left with the mouse.
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(plot, &leave);
        QCOMPARE(spy.last().at(0).toInt(), -1);
        card.clearProfile();
        card.grab();
    }

    void theReadoutLeavesWithTheMouse()
    {
        QTest::mouseMove(m_view.get(), at(12, 4));
        QVERIFY(!m_view->readout().isEmpty());
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(m_view.get(), &leave);
        QVERIFY(m_view->readout().isEmpty());
        QCOMPARE(m_view->crosshairRow(), -1);
    }

    void sharesAreReadWithTheirValues()
    {
        PatternData data = sample();
        auto raw = std::make_shared<Matrix>(*data.values);
        raw->at(12, 4) = -0.0132F;
        data.raw = raw;
        m_view->setPattern(data);
        m_view->setCrosshair(12, 4);
        QVERIFY2(m_view->readout().endsWith(u"1 of the row (M = \u22120.0132)"_s), qPrintable(m_view->readout()));
    }

    // A prompt of pairs has a period; labels at every k-th token were all its line breaks.
    void labelsDoNotAliasWithThePrompt()
    {
        QStringList tokens{u"<s>"_s};
        std::vector<TokenSpan> segments;
        for (int pair = 0; pair < 10; ++pair) {
            tokens << u"fox"_s << u"cub"_s << u" :"_s << u" %1"_s.arg(10 + pair) << u"\n"_s;
            segments.push_back({Role::Key, 5 * pair + 1, 5 * pair + 3, pair == 4});
            segments.push_back({Role::Value, 5 * pair + 4, 5 * pair + 5, pair == 4});
        }
        tokens << u"is"_s;
        const auto count = static_cast<int>(tokens.size());
        for (const double cell : {2.1, 3.3, 5.0, 7.0, 9.0}) {
            const AxisSpan span{0, cell, count, 0, count * cell};
            const auto labels = placeLabels(span, 15, labelChoice(tokens, segments, {count - 1, 24}));
            bool last = false, target = false;
            for (std::size_t i = 0; i < labels.size(); ++i) {
                QVERIFY(i == 0 || labels[i].centre - labels[i - 1].centre >= 15 - 1e-6);
                const QString text = tokenLabelAt(tokens, labels[i].token);
                QVERIFY2(text != u":"_s && text != QString(QChar(0x23CE)), qPrintable(text));
                last = last || labels[i].token == count - 1;
                target = target || labels[i].token == 24;
            }
            QVERIFY(last && target);
        }
    }

    void theNoticeStaysInItsMap()
    {
        PatternData data = sample();
        data.notice = u"the output is ablated"_s;
        m_view->setPattern(data);
        for (const QSize size : {QSize(500, 500), QSize(150, 160)}) {
            m_view->resize(size);
            headscope::testing::WatchedPage page(size);
            QPainter painter(&page);
            m_view->render(&painter);
            painter.end();
            const QRectF plot = m_view->mapGeometry().plot();
            int notices = 0;
            for (const auto& [text, place] : page.texts())
                if (text == data.notice || text == u"✕") {
                    ++notices;
                    QVERIFY2(plot.contains(place), qPrintable(u"%1 at a width of %2"_s.arg(text).arg(size.width())));
                }
            QCOMPARE(notices, 1);
        }
    }
};

QTEST_MAIN(TestWidgetsPattern)
#include "tst_widgets_pattern.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Colour maps, scales, token axes, zoom arithmetic and the byte pyramid: everything of the pattern view without a
// window.
#include "widgets/look/colormap.h"
#include "widgets/look/numbertext.h"
#include "widgets/pattern/patterndata.h"
#include "widgets/pattern/patterngeometry.h"
#include "widgets/pattern/patternpyramid.h"
#include "widgets/pattern/patternscale.h"
#include "widgets/pattern/tokenaxis.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace headscope;
using namespace headscope::widgets;
using namespace Qt::StringLiterals;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Matrix causalRamp(int n)
{
    Matrix m(n, n);
    for (int r = 0; r < n; ++r)
        for (int c = 0; c <= r; ++c)
            m.at(r, c) = 1.0F / static_cast<float>(r + 1);
    return m;
}

double luma(QRgb c)
{
    return 0.299 * qRed(c) + 0.587 * qGreen(c) + 0.114 * qBlue(c);
}

} // namespace

class TestWidgetsGeometry : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void colorMapsHaveTheirPublishedEnds()
    {
        QCOMPARE(colorAt(ColorMap::Viridis, 0), qRgb(0x44, 0x01, 0x54));
        QCOMPARE(colorAt(ColorMap::Viridis, 1), qRgb(0xfd, 0xe7, 0x25));
        QCOMPARE(colorAt(ColorMap::Cividis, 0), qRgb(0x00, 0x20, 0x4d));
        QCOMPARE(colorAt(ColorMap::Cividis, 7), qRgb(0xff, 0xea, 0x46)); // clamped
        QCOMPARE(colorAt(ColorMap::BlueRed, 0.5), qRgb(0xf7, 0xf7, 0xf7));
    }

    void sequentialMapsOnlyGetLighter()
    {
        for (const ColorMap map : {ColorMap::Viridis, ColorMap::Cividis})
            for (int i = 1; i <= 100; ++i)
                QVERIFY(luma(colorAt(map, i / 100.0)) > luma(colorAt(map, (i - 1) / 100.0)));
    }

    void divergingMapIsDarkAtBothEnds()
    {
        QVERIFY(qBlue(colorAt(ColorMap::BlueRed, 0.1)) > qRed(colorAt(ColorMap::BlueRed, 0.1)));
        QVERIFY(qRed(colorAt(ColorMap::BlueRed, 0.9)) > qBlue(colorAt(ColorMap::BlueRed, 0.9)));
        QVERIFY(luma(colorAt(ColorMap::BlueRed, 0.5)) > luma(colorAt(ColorMap::BlueRed, 0.25)));
    }

    void colorIndexKeepsZeroForCellsWithoutMeaning()
    {
        QCOMPARE(colorIndex(std::numeric_limits<double>::quiet_NaN()), std::uint8_t{0});
        QCOMPARE(colorIndex(-std::numeric_limits<double>::infinity()), std::uint8_t{1});
        QCOMPARE(colorIndex(0.5), std::uint8_t{128});
        QCOMPARE(colorIndex(2), std::uint8_t{255});
        QCOMPARE(colorTable(ColorMap::Viridis, qRgb(1, 2, 3))[0], qRgb(1, 2, 3));
    }

    void inkIsReadable()
    {
        QCOMPARE(inkOn(qRgb(0x44, 0x01, 0x54)), qRgb(255, 255, 255));
        QCOMPARE(inkOn(qRgb(0xfd, 0xe7, 0x25)), qRgb(0, 0, 0));
    }

    void numbersReadTheSameEverywhere()
    {
        QCOMPARE(numberText(-0.001), u"0.00"_s);
        QCOMPARE(numberText(-0.5), u"\u22120.50"_s);
        QCOMPARE(signedText(0.5), u"+0.50"_s);
        QCOMPARE(signedText(0.001), u"0.00"_s);
        QCOMPARE(numberText(std::nan("")), u"—"_s);
        QCOMPARE(pText(1), u"1.0"_s);
        QCOMPARE(pText(0.0123), u"0.012"_s);
        QCOMPARE(pText(1.2e-74), u"1e-74"_s);
        QCOMPARE(pText(9.7e-5), u"1e-4"_s);
        QCOMPARE(pText(0), u"< 1e-300"_s);
        QCOMPARE(durationText(9.2), u"9.2 s"_s);
        QCOMPARE(durationText(4800), u"1 h 20 min"_s);
        QCOMPARE(bytesText(1.21e9), u"1.2 GB"_s);
    }

    void tokensAreLabelledVisibly()
    {
        QCOMPARE(tokenLabel(u" fox"_s), u"fox"_s);
        QCOMPARE(tokenLabel(u"\n"_s), u"\u23CE"_s);
        QCOMPARE(tokenLabel(u" "_s), u"\u2423"_s);
        QCOMPARE(tokenQuoted(u" fox"_s), u"\u2423fox"_s);
        for (const auto& [token, label] : {std::pair(u"\u200b"_s, u"<U+200B>"_s), std::pair(u"\u202e"_s, u"<U+202E>"_s),
                                           std::pair(u"\u00ad"_s, u"<U+00AD>"_s), std::pair(u"\u00a0"_s, u"<U+00A0>"_s),
                                           std::pair(u"\u0007"_s, u"<U+0007>"_s), std::pair(u"<0xE6>"_s, u"<0xE6>"_s),
                                           std::pair(u" \u0301"_s, u"\u25cc\u0301"_s)})
            QCOMPARE(tokenLabel(token), label);
        QCOMPARE(tokenLabelAt({u"a"_s}, 7), u"7"_s);
    }

    void labelsNeverOverlap_data()
    {
        QTest::addColumn<double>("cell");
        QTest::addColumn<double>("origin");
        QTest::addColumn<int>("pinned");
        QTest::newRow("roomy") << 30.0 << 0.0 << 3;
        QTest::newRow("dense") << 3.7 << -20.0 << 17;
        QTest::newRow("under a pixel") << 0.12 << 0.0 << 1000;
        QTest::newRow("pinned outside") << 3.7 << 0.0 << 4000;
        QTest::newRow("nothing pinned") << 9.0 << -500.0 << -1;
    }
    void labelsNeverOverlap()
    {
        QFETCH(double, cell);
        QFETCH(double, origin);
        QFETCH(int, pinned);
        const AxisSpan span{origin, cell, 4096, 0, 400};
        const auto labels = placeLabels(span, 14, pinned);
        QVERIFY(!labels.empty());
        bool found = false;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            QVERIFY(labels[i].centre >= 0 && labels[i].centre < 400);
            if (i > 0)
                QVERIFY(labels[i].centre - labels[i - 1].centre >= 14 - 1e-6);
            found = found || labels[i].token == pinned;
        }
        const double at = origin + (pinned + 0.5) * cell;
        QCOMPARE(found, pinned >= 0 && at >= 0 && at < 400);
    }

    void labelsStayWhilePanning()
    {
        const auto before = placeLabels({0, 3, 1000, 0, 300}, 14);
        const auto after = placeLabels({-15, 3, 1000, 0, 300}, 14);
        QCOMPARE(before[2].token % 5, 0);
        QCOMPARE(after[2].token % 5, 0);
    }

    void roundNumbersForLongAxes()
    {
        const auto labels = placeNumbers({0, 0.1, 4096, 0, 410}, 40);
        QVERIFY(labels.size() >= 3);
        QCOMPARE(labels[1].token - labels[0].token, 500);
    }

    void cellsAndPixelsAreInverse()
    {
        const PatternGeometry g(QRectF(50, 20, 400, 300), 47, 47, {0.4, 0.6, 3});
        QVERIFY(g.valid());
        for (const int cell : {12, 20, 24}) {
            QCOMPARE(g.colAt(g.xOf(cell + 0.5)), cell);
            QCOMPARE(g.rowAt(g.yOf(cell + 10.5)), cell + 10);
        }
        QCOMPARE(g.colAt(10), -1);
        QCOMPARE(g.rowAt(5000), -1);
    }

    void shortPromptsGetWholePixelCells()
    {
        const PatternGeometry g(QRectF(0, 0, 390, 500), 47, 47, {});
        QCOMPARE(g.cellWidth(), 8.0);
        QCOMPARE(g.plot().width(), 376.0);
    }

    void zoomKeepsTheCellUnderTheCursor()
    {
        PatternGeometry g(QRectF(0, 0, 512, 512), 4096, 4096, {});
        const QPointF at(300, 410);
        const int col = g.colAt(at.x());
        const int row = g.rowAt(at.y());
        for (int i = 0; i < 25; ++i)
            g = PatternGeometry(QRectF(0, 0, 512, 512), 4096, 4096, g.zoomedAt(at, 1.2));
        QVERIFY(std::abs(g.colAt(at.x()) - col) <= 8); // one pixel at the start was eight cells
        QVERIFY(std::abs(g.rowAt(at.y()) - row) <= 8);
        QVERIFY(g.viewport().zoom > 50);
        for (int i = 0; i < 60; ++i)
            g = PatternGeometry(QRectF(0, 0, 512, 512), 4096, 4096, g.zoomedAt(at, 0.8));
        QCOMPARE(g.viewport(), Viewport());
    }

    void panStopsAtTheEdges()
    {
        const PatternGeometry g(QRectF(0, 0, 100, 100), 100, 100, {0.5, 0.5, 4});
        const Viewport far = g.panned(QPointF(1e6, -1e6));
        QCOMPARE(far.centreX, 0.125);
        QCOMPARE(far.centreY, 0.875);
        QCOMPARE(g.panned(QPointF(-40, 0)).centreX, 0.6);
    }

    void revealingMovesAsLittleAsPossible()
    {
        const PatternGeometry g(QRectF(0, 0, 100, 100), 100, 100, {0.5, 0.5, 4});
        QCOMPARE(g.revealing(50, 50), g.viewport());
        const Viewport v = g.revealing(50, 80);
        QVERIFY(std::abs(v.centreX - (0.81 - 0.125)) < 1e-9);
        QCOMPARE(v.centreY, 0.5);
    }

    void scalesFitTheirValues()
    {
        Matrix m(3, 3);
        m.at(0, 0) = 1;
        m.at(1, 0) = 0.9F;
        m.at(1, 1) = 0.1F;
        m.at(2, 0) = 0.7F;
        m.at(2, 1) = 0.25F;
        m.at(2, 2) = 0.05F;
        m.at(0, 2) = 99; // right of the diagonal: must not count
        const auto fit = [&](ScaleKind kind, bool sink) {
            return PatternScale::fit(m, false, true, {kind, sink, ColorMap::Viridis});
        };
        QCOMPARE(fit(ScaleKind::Raw, false).high(), 1.0);
        QVERIFY(std::abs(fit(ScaleKind::Raw, true).high() - 0.25) < 1e-6);
        QVERIFY(std::abs(fit(ScaleKind::MinMax, false).low() - 0.05) < 1e-6);
        QVERIFY(std::abs(fit(ScaleKind::Row, false).position(0.35F, 2) - 0.5) < 1e-6);
        QVERIFY(std::abs(fit(ScaleKind::Log, false).position(1e-5F, 0)) < 1e-6);
        QVERIFY(fit(ScaleKind::Log, false).position(0, 0) < 0); // -inf clamps to the low end
        QVERIFY(fit(ScaleKind::Raw, true).name().contains(u"first token left out"_s));
        QVERIFY(!fit(ScaleKind::Raw, false).diverging());
    }

    void signedMapsDivergeAroundZero()
    {
        Matrix m(2, 2);
        m.at(0, 0) = -2;
        m.at(1, 0) = 0.5F;
        const auto scale = PatternScale::fit(m, true, true, {});
        QVERIFY(scale.diverging());
        QCOMPARE(scale.colorMap(), ColorMap::BlueRed);
        QCOMPARE(scale.position(0, 0), 0.5);
        QCOMPARE(scale.low(), -2.0);
        QVERIFY(!PatternScale::fit(m, true, true, {ScaleKind::Log, false, ColorMap::Viridis}).diverging());
    }

    void constantAndEmptyMapsAreSafe()
    {
        const Matrix zeros(4, 4);
        for (const ScaleKind kind :
             {ScaleKind::Raw, ScaleKind::Row, ScaleKind::MinMax, ScaleKind::Log, ScaleKind::Signed}) {
            const auto scale = PatternScale::fit(zeros, false, true, {kind, true, ColorMap::Viridis});
            QVERIFY(scale.high() > scale.low());
            QVERIFY(!scale.ticks().empty());
            QVERIFY(!PatternPyramid::build(zeros, scale, true).empty());
        }
        QVERIFY(PatternPyramid::build(Matrix(), PatternScale(), true).empty());
    }

    void pyramidHidesTheFutureAndKeepsNaNApart()
    {
        Matrix m = causalRamp(5);
        m.at(3, 1) = kNaN;
        const auto pyramid = PatternPyramid::build(m, PatternScale::fit(m, false, true, {}), true);
        QCOMPARE(pyramid.at(0, 1, 2), std::uint8_t{0});
        QCOMPARE(pyramid.at(0, 3, 1), std::uint8_t{0});
        QCOMPARE(pyramid.at(0, 0, 0), std::uint8_t{255});
        const auto full = PatternPyramid::build(m, PatternScale::fit(m, false, false, {}), false);
        QCOMPARE(full.at(0, 1, 2), std::uint8_t{1});
    }

    void bytesFollowTheScale()
    {
        Matrix m = causalRamp(60);
        for (std::size_t i = 0; i < m.values.size(); ++i)
            m.values[i] *= static_cast<float>(static_cast<double>(i * 2654435761U % 1000) / 1000.0 - 0.2);
        for (const ScaleKind kind :
             {ScaleKind::Raw, ScaleKind::Row, ScaleKind::MinMax, ScaleKind::Log, ScaleKind::Signed}) {
            const auto scale = PatternScale::fit(m, true, true, {kind, false, ColorMap::Viridis});
            const auto pyramid = PatternPyramid::build(m, scale, true);
            for (int r = 0; r < 60; ++r)
                for (int c = 0; c <= r; ++c) {
                    const int exact = colorIndex(scale.position(m.at(r, c), r));
                    QVERIFY(std::abs(pyramid.at(0, r, c) - exact) <= 1);
                }
        }
    }

    void oneBrightCellSurvivesEveryLevel()
    {
        Matrix m(1001, 1001);
        m.at(777, 123) = 1;
        const auto pyramid = PatternPyramid::build(m, PatternScale::fit(m, false, true, {}), true);
        QVERIFY(pyramid.levelCount() >= 5);
        for (int level = 0; level < pyramid.levelCount(); ++level)
            QCOMPARE(pyramid.at(level, 777 >> level, 123 >> level), std::uint8_t{255});
        QVERIFY(pyramid.rows(pyramid.levelCount() - 1) <= 64);
        QVERIFY(pyramid.bytes() < 1001u * 1001u * 3 / 2);
    }

    void negativePeaksSurviveToo()
    {
        Matrix m(200, 200);
        for (float& v : m.values)
            v = 0.1F;
        m.at(150, 20) = -1;
        const auto pyramid = PatternPyramid::build(m, PatternScale::fit(m, true, true, {}), true);
        QCOMPARE(pyramid.at(1, 75, 10), std::uint8_t{1});
    }

    void rendersExactCells()
    {
        Matrix m(4, 4);
        m.at(2, 1) = 1;
        const auto pyramid = PatternPyramid::build(m, PatternScale::fit(m, false, true, {}), true);
        const ColorTable colors = colorTable(ColorMap::Viridis, qRgb(9, 9, 9));
        const PatternGeometry g(QRectF(0, 0, 40, 40), 4, 4, {});
        for (const double ratio : {1.0, 2.0}) {
            const QImage image = pyramid.render(g, colors, ratio);
            QCOMPARE(image.width(), static_cast<int>(40 * ratio));
            const auto pixel = [&](double x, double y) {
                return image.pixel(static_cast<int>(x * ratio), static_cast<int>(y * ratio));
            };
            // Corners of the bright cell: no blending into its neighbours.
            QCOMPARE(pixel(10, 20), colors[255]);
            QCOMPARE(pixel(19, 29), colors[255]);
            QCOMPARE(pixel(9, 20), colors[1]);
            QCOMPARE(pixel(20, 29), colors[1]);
            QCOMPARE(pixel(35, 5), colors[0]);
        }
        QCOMPARE(pyramid.exactImage(colors).size(), QSize(4, 4));
        QCOMPARE(pyramid.thumbnail(96, colors).size(), QSize(96, 96));
    }

    void brightCellIsSeenZoomedOut()
    {
        Matrix m(4096, 4096);
        m.at(3000, 1234) = 1;
        const auto pyramid = PatternPyramid::build(m, PatternScale::fit(m, false, true, {}), true);
        const ColorTable colors = colorTable(ColorMap::Viridis, qRgb(9, 9, 9));
        const QImage image = pyramid.render(PatternGeometry(QRectF(0, 0, 500, 500), 4096, 4096, {}), colors, 1);
        bool seen = false;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                seen = seen || image.pixel(x, y) == colors[255];
        QVERIFY(seen);
        QVERIFY(m.values.size() * sizeof(float) + pyramid.bytes() < 100'000'000u); // one open map
    }

    void linkedViewKeepsTheSameTokenInItsMiddle()
    {
        const auto doubled = [](int token) { return token < 90 ? 2 * token : -1; };
        const Viewport there = PatternGeometry::followed({0.105, 0.505, 4}, 100, 200, doubled);
        QCOMPARE(there.centreX, (20 + 0.5) / 200);
        QCOMPARE(there.centreY, (100 + 0.5) / 200);
        QCOMPARE(there.zoom, 4.0);
        QCOMPARE(PatternGeometry::followed({0.95, 0.5, 4}, 100, 200, doubled).centreX,
                 0.95); // no partner: the same place
        QCOMPARE(PatternGeometry::followed({}, 100, 200, doubled), Viewport());
    }
};

QTEST_GUILESS_MAIN(TestWidgetsGeometry)
#include "tst_widgets_geometry.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Figures: same bytes twice, real text, exact cells, provenance in the file.
#include "tests/support/paintedtexts.h"
#include "widgets/figures/figurepainter.h"
#include "widgets/figures/figurerenderer.h"
#include "widgets/figures/fontsubset.h"

#include <QFile>
#include <QFontDatabase>
#include <QImage>
#include <QPainter>
#include <QPainterPath>
#include <QRawFont>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QtEndian>

#include <algorithm>
#include <cmath>
#include <csignal>

#include <sys/resource.h>

using namespace headscope;
using namespace headscope::widgets;
using namespace Qt::StringLiterals;

namespace {

Figure patternFigure()
{
    PatternData data;
    auto values = std::make_shared<Matrix>(12, 12);
    for (int r = 0; r < 12; ++r)
        values->at(r, 0) = 0.2F;
    values->at(8, 3) = 1;
    data.values = values;
    for (int i = 0; i < 12; ++i)
        data.tokens << u" tok%1"_s.arg(i);
    data.segments = {{Role::Key, 2, 3, true}, {Role::Value, 3, 4, true}};
    data.head = u"A L2H5"_s;
    data.meaning = u"softmax attention"_s;
    Figure figure;
    figure.title = u"Aggregate head"_s;
    figure.caption = u"What the last token looks at."_s;
    figure.provenance = u"tiny-transformer@1a2b, fp32, cpu, toy_kv sample 12"_s;
    figure.panels = {{{}, PatternFigure{.data = data}}};
    return figure;
}

Figure rowFigure()
{
    RowProfile p;
    p.head = u"L2H5"_s;
    p.row = 11;
    for (int i = 0; i < 12; ++i)
        p.tokens << u"tok%1"_s.arg(i);
    p.values.assign(12, 0.02F);
    p.values[3] = 0.78F;
    p.effectiveTokens = 2;
    Figure figure;
    figure.panels = {{{}, RowFigure{.profile = p}}, {{}, RowFigure{.profile = p, .side = Side::B}}};
    figure.columns = 2;
    figure.letters = true;
    return figure;
}

Figure tableFigure()
{
    Figure figure;
    figure.panels = {{{},
                      TableFigure{{u"benchmark"_s, u"now"_s},
                                  {{{u"KV retrieval"_s, TableCell::Tone::Plain}, {u"0.02"_s, TableCell::Tone::Bad}}}}}};
    return figure;
}

/// A CFF font of our own, see tests/data/fonts/make.py.
const QString kBoxes = QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/fonts/boxes.otf");
QString boxes()
{
    return u"Headscope Boxes"_s;
}

} // namespace

class TestWidgetsFigures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(u".*"_s)); }

    // What a map is stands above it as far as there is room: without its brackets before not at all.
    void theKindOfAMapIsSaidAsFarAsThereIsRoom()
    {
        Figure figure = patternFigure();
        std::get<PatternFigure>(figure.panels.front().content).data.meaning = u"softmax attention (rows sum to 1)"_s;
        for (const auto& [width, said] :
             {std::pair(160.0, u"softmax attention (rows sum to 1)"_s), std::pair(70.0, u"softmax attention"_s)}) {
            const auto svg = renderFigure(figure, {.widthMm = width}, FigureFormat::Svg);
            QVERIFY(svg.has_value());
            QVERIFY2(svg->contains(u">%1"_s.arg(said).toUtf8()), qPrintable(said));
            QCOMPARE(svg->contains("rows sum"), said.contains(u"rows sum"_s));
        }
    }

    void sameBytesEachTime_data()
    {
        QTest::addColumn<int>("format");
        QTest::addColumn<int>("kind");
        for (const int kind : {0, 1, 2}) {
            QTest::addRow("pdf %d", kind) << static_cast<int>(FigureFormat::Pdf) << kind;
            QTest::addRow("svg %d", kind) << static_cast<int>(FigureFormat::Svg) << kind;
            QTest::addRow("png %d", kind) << static_cast<int>(FigureFormat::Png) << kind;
        }
    }
    void sameBytesEachTime()
    {
        QFETCH(int, format);
        QFETCH(int, kind);
        const Figure figure = kind == 0 ? patternFigure() : kind == 1 ? rowFigure() : tableFigure();
        const auto first = renderFigure(figure, {}, static_cast<FigureFormat>(format));
        const auto second = renderFigure(figure, {}, static_cast<FigureFormat>(format));
        QVERIFY(first.has_value() && second.has_value());
        QVERIFY(first->size() > 500);
        QVERIFY(*first == *second);
    }

    void pdfHoldsNoDateOfToday()
    {
        const auto pdf = renderFigure(patternFigure(), {}, FigureFormat::Pdf);
        QVERIFY(pdf.has_value());
        QVERIFY(pdf->startsWith("%PDF-"));
        QVERIFY(pdf->contains("/CreationDate (D:20000101000000"));
        QVERIFY(pdf->contains("/Font"));       // real text
        QVERIFY(!pdf->contains("/DCTDecode")); // the map is not a JPEG
    }

    void svgHoldsTextAndProvenance()
    {
        const auto svg = renderFigure(patternFigure(), {}, FigureFormat::Svg);
        QVERIFY(svg.has_value());
        for (const char* part :
             {"<text", "tok3", "A L2H5", "tiny-transformer@1a2b", "<desc>", "image-rendering:pixelated"})
            QVERIFY2(svg->contains(part), part);
        QVERIFY(svg->contains("width=\"120mm\""));
    }

    void fontsCarryTheirLettersOnly_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<QByteArray>("start");
        QTest::newRow("TrueType") << figureFontFamily() << QByteArray("\x00\x01\x00\x00", 4);
        QTest::newRow("CFF") << boxes() << QByteArray("OTTO");
    }
    void fontsCarryTheirLettersOnly()
    {
        QFETCH(QString, family);
        QFETCH(QByteArray, start);
        const int id = QFontDatabase::addApplicationFont(kBoxes);
        QVERIFY(id >= 0);
        const QFont font(family);
        const QByteArray subset = fontSubset(font, u"FLA"_s);
        QCOMPARE(subset, fontSubset(font, u"FLA"_s));
        QCOMPARE(subset.first(4), start);
        const QRawFont whole = QRawFont::fromFont(font), cut(subset, whole.pixelSize());
        QVERIFY(cut.isValid());
        QVERIFY(whole.supportsCharacter(u'B') && !cut.supportsCharacter(u'B'));
        for (const QChar letter : u"FLA"_s) {
            QVERIFY(cut.supportsCharacter(letter));
            const quint32 before = whole.glyphIndexesForString(letter).front(),
                          now = cut.glyphIndexesForString(letter).front();
            QVERIFY(!cut.pathForGlyph(now).isEmpty());
            QCOMPARE(cut.pathForGlyph(now), whole.pathForGlyph(before));
            QCOMPARE(cut.advancesForGlyphIndexes({now}), whole.advancesForGlyphIndexes({before}));
        }
        QVERIFY(QFontDatabase::removeApplicationFont(id));
    }

    void figuresCarryFontsOfBothKinds()
    {
        const int id = QFontDatabase::addApplicationFont(kBoxes);
        for (const auto& [family, type] :
             {std::pair{figureFontFamily(), "data:font/ttf;base64,"}, std::pair{boxes(), "data:font/otf;base64,"}}) {
            FigureStyle style;
            style.fontFamily = family;
            for (const FigureFormat format : {FigureFormat::Svg, FigureFormat::Pdf}) {
                const auto figure = renderFigure(tableFigure(), style, format);
                QVERIFY(figure.has_value());
                QCOMPARE(figure->contains(type), format == FigureFormat::Svg);
                QCOMPARE(*figure, *renderFigure(tableFigure(), style, format));
            }
        }
        QVERIFY(QFontDatabase::removeApplicationFont(id));
    }

    void fontsThatForbidItAreNotEmbedded()
    {
        QFile file(kBoxes);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray font = file.readAll();
        const qsizetype entry = font.indexOf("OS/2"); // tag, checksum, where the table begins
        QVERIFY(entry > 0);
        font[qFromBigEndian<quint32>(font.constData() + entry + 8) + 9] = 0x02;
        const int id = QFontDatabase::addApplicationFontFromData(font);
        QVERIFY(id >= 0);
        QCOMPARE(fontSubset(QFont(boxes()), u"A"_s), QByteArray());
        QVERIFY(QFontDatabase::removeApplicationFont(id));
    }

    void pngHasItsSizeAndProvenance()
    {
        FigureStyle style;
        style.widthMm = 100;
        style.dpi = 254;
        const auto png = renderFigure(patternFigure(), style, FigureFormat::Png);
        QVERIFY(png.has_value());
        const QImage image = QImage::fromData(*png);
        QCOMPARE(image.width(), 1000);
        QCOMPARE(image.dotsPerMeterX(), 10000);
        QVERIFY(image.text(u"Description"_s).contains(u"toy_kv sample 12"_s));
        const double mm = figureSizeMm(patternFigure(), style).height();
        QVERIFY(std::abs(image.height() - mm * 10) <= 1);
    }

    void cellsAreExactInThePicture_data()
    {
        QTest::addColumn<double>("width");
        QTest::addColumn<int>("dpi");
        for (const double width : {60.0, 85.0, 120.0, 175.0})
            for (const int dpi : {96, 150, 254, 300})
                QTest::addRow("%g mm at %d dpi", width, dpi) << width << dpi;
    }

    // Whatever the size: each cell as many whole pixels as any other, and no colour that is not in the map.
    void cellsAreExactInThePicture()
    {
        QFETCH(double, width);
        QFETCH(int, dpi);
        constexpr int kCells = 29;
        Figure figure = patternFigure();
        auto& map = std::get<PatternFigure>(figure.panels[0].content);
        map.colorBar = false; // nothing else has its colours
        auto& data = map.data;
        auto values = std::make_shared<Matrix>(kCells, kCells);
        for (int i = 0; i < kCells; ++i) // a column and a row of a chess board
            values->at(i, 0) = values->at(kCells - 1, i) = i % 2 == 0 ? 1 : 0;
        data.values = values;
        data.tokens.clear();
        for (int i = 0; i < kCells; ++i)
            data.tokens << QString::number(i);
        const auto png = renderFigure(figure, {.widthMm = width, .dpi = dpi}, FigureFormat::Png);
        const QImage image = QImage::fromData(*png);
        const QRgb bright = colorAt(ColorMap::Viridis, 1);
        QRect box;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                if (image.pixel(x, y) == bright)
                    box |= QRect(x, y, 1, 1);
        QVERIFY(box.width() > kCells && box.height() > kCells);
        const int cell = box.width() / kCells;
        const auto runs = [&](bool across) {
            QList<int> lengths{0};
            for (int i = 0; i < (across ? box.width() : box.height()); ++i) {
                const auto at = [&](int along) {
                    return across ? QPoint(box.left() + along, box.bottom() - cell / 2)
                                  : QPoint(box.left() + cell / 2, box.top() + along);
                };
                if (i > 0 && (image.pixel(at(i)) == bright) != (image.pixel(at(i - 1)) == bright))
                    lengths.append(0);
                ++lengths.back();
            }
            return lengths.mid(1, lengths.size()
                                      - 2); // the frame may hide a line of pixels of the first and the last cell
        };
        QCOMPARE(runs(true), QList<int>(kCells - 2, runs(true).constFirst()));
        QCOMPARE(runs(false), QList<int>(kCells - 2, runs(true).constFirst()));
    }

    // Printed in grey, or seen by somebody who sees no colours: what is more is lighter, through zero.
    void signedMapsKeepTheirSignInGrey()
    {
        constexpr int kCells = 21;
        Figure figure = patternFigure();
        auto& map = std::get<PatternFigure>(figure.panels[0].content);
        map.colorBar = map.brackets = false;
        map.labelEvery = -1;
        map.data.isSigned = true;
        map.data.causal = false;
        auto values = std::make_shared<Matrix>(kCells, kCells);
        for (int y = 0; y < kCells; ++y)
            for (int x = 0; x < kCells; ++x) // from -1 to 1, column by column
                values->at(y, x) = static_cast<float>(x - kCells / 2) / static_cast<float>(kCells / 2);
        map.data.values = values;
        const auto png = renderFigure(figure, {.widthMm = 85, .dpi = 150}, FigureFormat::Png);
        const QImage grey = QImage::fromData(*png).convertToFormat(QImage::Format_Grayscale8);
        // Across the middle of the picture: from the first cell that is dark to the last that is light.
        QList<int> steps;
        for (int x = 0; x < grey.width(); ++x) {
            const int value = qGray(grey.pixel(x, grey.height() / 2));
            if (steps.isEmpty() || steps.constLast() != value)
                steps.append(value);
        }
        const qsizetype darkest = std::min_element(steps.cbegin(), steps.cend()) - steps.cbegin();
        const QList<int> cells = steps.mid(darkest, kCells);
        QCOMPARE(cells.size(), kCells);
        QVERIFY(std::is_sorted(cells.cbegin(), cells.cend()));
        QCOMPARE(std::adjacent_find(cells.cbegin(), cells.cend()), cells.cend());
        QVERIFY(cells.constLast() - cells.constFirst() > 120);
    }

    void heightIsTheSameMeasuredAndDrawn()
    {
        FigureStyle style;
        style.widthMm = 80;
        QVERIFY(figureSizeMm(patternFigure(), style).height() > 80);
        Figure longer = patternFigure();
        longer.caption = QString(u"A caption that is broken into several lines. "_s).repeated(6);
        QVERIFY(figureSizeMm(longer, style).height() > figureSizeMm(patternFigure(), style).height() + 5);
    }

    void nothingRunsOffASlide_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("panels");
        for (const char* kind : {"map", "rows", "curves", "table", "bars"})
            for (const int panels : {1, 3, 7})
                QTest::addRow("%d x %s", panels, kind) << QString::fromLatin1(kind) << panels;
    }

    void nothingRunsOffASlide()
    {
        QFETCH(QString, kind);
        QFETCH(int, panels);
        TableFigure table{{u"head"_s, u"accuracy without it"_s}, {}};
        BarFigure bars{u"accuracy"_s, {u"one"_s, u"two"_s}, {}};
        for (int i = 0; i < 40; ++i) {
            table.rows.push_back({{u"L%1H7"_s.arg(i), TableCell::Tone::Plain}, {u"0.0123"_s, TableCell::Tone::Bad}});
            bars.bars.push_back({u"L%1H7"_s.arg(i), {{.value = 0.5}, {.value = -0.01}}});
        }
        ChartFigure chart{.xTitle = u"pairs in the dictionary (n = 256 each)"_s,
                          .yTitle = u"accuracy"_s,
                          .curves = {},
                          .xLabels = {}};
        for (int i = 0; i < 4; ++i)
            chart.curves.push_back({u"a model with a name that is rather long %1"_s.arg(i),
                                    {{4, {.value = 0.2 * i}}, {32, {.value = 1}}},
                                    i});
        const FigureContent content = kind == u"map"      ? patternFigure().panels[0].content
                                      : kind == u"rows"   ? rowFigure().panels[0].content
                                      : kind == u"curves" ? FigureContent(chart)
                                      : kind == u"table"  ? FigureContent(table)
                                                          : FigureContent(bars);
        Figure figure{
            .title = u"A title"_s, .caption = {}, .provenance = {}, .panels = {}, .columns = 0, .letters = true};
        figure.panels.assign(static_cast<std::size_t>(panels), {u"a heading of some words"_s, content});
        const FigureStyle style = *stylePreset(u"slide"_s);
        const FigureFit fit = fitFor(figure, style);
        QVERIFY(FigurePainter(nullptr, style, fit).draw(figure) <= style.heightMm * FigurePainter::kUnitsPerMm);
        QVERIFY(fit.letters >= 0.7 && fit.stretch >= 0.15);
        const QString svg = QString::fromUtf8(*renderFigure(figure, style, FigureFormat::Svg));
        QCOMPARE(svg.contains(u"… and "_s), fit.rows < 40);
        QVERIFY(!svg.contains(u"0.01…"_s));
        if (kind == u"table" && panels == 7)
            QVERIFY(fit.rows < 40);
    }

    void legendsBreakBetweenWords()
    {
        const QString name = u"without all the heads of layer two"_s,
                      one =
                          u"a-model-with-a-name-that-is-longer-than-any-line-of-a-narrow-figure"_s.replace(u'-', u'_');
        ChartFigure chart{.xTitle = u"pairs"_s, .yTitle = u"accuracy"_s, .curves = {}, .xLabels = {}};
        for (const QString& each : {name, one})
            chart.curves.push_back({each, {{4, {.value = 0.2}}, {32, {.value = 1}}}});
        Figure figure;
        figure.panels = {{{}, chart}};
        const FigureStyle style{.widthMm = 45};
        QStringList seen;
        for (const QString& text : testing::textsOf(figure, style))
            seen << text.split(u' ', Qt::SkipEmptyParts);
        for (const QString& word : name.split(u' '))
            QVERIFY2(seen.contains(word), qPrintable(seen.join(u'|')));
        QVERIFY2(std::ranges::any_of(seen, [](const QString& word) { return word.contains(u'…'); }),
                 qPrintable(seen.join(u'|'))); // of the other the ends
        QCOMPARE(testing::clash(figure, style), QString());
    }

    void longTablesEndWithThePaper()
    {
        TableFigure table{{u"state"_s, u"accuracy"_s}, {}};
        for (int i = 0; i < 300; ++i)
            table.rows.push_back({{u"without L%1H7"_s.arg(i)}, {u"0.0123"_s}});
        Figure figure;
        figure.panels = {{{}, table}};
        for (const char* preset : {"column", "page"}) {
            const FigureStyle style = *stylePreset(QString::fromLatin1(preset));
            const double high = figureSizeMm(figure, style).height();
            QVERIFY2(high > 200 && high <= 250, qPrintable(QString::number(high)));
            const auto svg = renderFigure(figure, style, FigureFormat::Svg);
            QVERIFY(svg.has_value() && svg->contains("… and ") && svg->contains("without L20H7"));
        }
        figure.panels.push_back(patternFigure().panels.front()); // beside maps nothing is left out
        const auto svg = renderFigure(figure, {}, FigureFormat::Svg);
        QVERIFY(svg.has_value() && svg->contains("without L299H7"));
    }

    void columnsFollowThePaper()
    {
        Figure figure = patternFigure();
        figure.panels.assign(6, figure.panels[0]);
        figure.columns = 0;
        const auto columns = [&figure](const char* preset) {
            return fitFor(figure, *stylePreset(QString::fromLatin1(preset))).columns;
        };
        QCOMPARE(columns("column"), 2);
        QCOMPARE(columns("page"), 3);
        figure.together = 2; // so that two of a kind stay side by side
        QCOMPARE(columns("page"), 2);
        QVERIFY(columns("slide") >= 3);
        figure.columns = 1;
        QCOMPARE(columns("page"), 1);
    }

    void darkAndTransparentDiffer()
    {
        const auto corner = [](const FigureStyle& style) {
            return QImage::fromData(*renderFigure(patternFigure(), style, FigureFormat::Png)).pixelColor(1, 1);
        };
        FigureStyle dark;
        dark.dark = true;
        FigureStyle clear;
        clear.transparent = true;
        QCOMPARE(corner({}), QColor(Qt::white));
        QVERIFY(corner(dark).lightness() < 60);
        QCOMPARE(corner(clear).alpha(), 0);
    }

    void refusesInOneSentence()
    {
        FigureStyle style;
        style.widthMm = 3;
        QVERIFY(!renderFigure(patternFigure(), style, FigureFormat::Pdf).has_value());
        style = {};
        style.dpi = 100000;
        QVERIFY(!renderFigure(patternFigure(), style, FigureFormat::Png).has_value());
        QVERIFY(!renderFigure(Figure(), {}, FigureFormat::Pdf).has_value());
        const auto format = figureFormatOf(u"x.docx"_s);
        QVERIFY(!format.has_value());
        QVERIFY(format.error().message.find("x.docx") != std::string::npos);
    }

    void writesFilesBySuffix()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"map.PDF"_s);
        QVERIFY(writeFigure(patternFigure(), {}, path).has_value());
        QVERIFY(QFile::exists(path));
        const auto failed = writeFigure(patternFigure(), {}, folder.filePath(u"no/such/folder/map.svg"_s));
        QVERIFY(!failed.has_value());
        QCOMPARE(failed.error().kind, Error::Kind::Io);
    }

    void aFullDiskKeepsTheEarlierFile_data()
    {
        QTest::addColumn<QString>("suffix");
        for (const char* suffix : {"pdf", "svg", "png", "csv", "tex", "md"})
            QTest::newRow(suffix) << QString::fromLatin1(suffix);
    }

    void aFullDiskKeepsTheEarlierFile()
    {
        QFETCH(const QString, suffix);
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"map."_s + suffix);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("before") == 6);
        file.close();
        rlimit limits{};
        ::getrlimit(RLIMIT_FSIZE, &limits);
        const rlimit none{0, limits.rlim_max};
        std::signal(SIGXFSZ, SIG_IGN);
        ::setrlimit(RLIMIT_FSIZE, &none);
        const auto written = writeFigure(patternFigure(), {}, path);
        ::setrlimit(RLIMIT_FSIZE, &limits);
        QVERIFY(!written.has_value());
        QCOMPARE(written.error().message, "The file '" + path.toStdString() + "' cannot be written: File too large.");
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("before"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
    }

    void longTextsAreDrawnSoon_data()
    {
        QTest::addColumn<QString>("words");
        QTest::newRow("one word") << QString(2'000'000, u'x');
        QTest::newRow("many words") << u"word "_s.repeated(400'000);
        QTest::newRow("many parts") << u"part · "_s.repeated(300'000);
    }

    // Laying out a text takes more than its length: two million letters would take hours.
    void longTextsAreDrawnSoon()
    {
        QFETCH(const QString, words);
        Figure figure = patternFigure();
        figure.title = figure.caption = figure.provenance = words;
        std::get<PatternFigure>(figure.panels.front().content).data.head = words;
        std::get<PatternFigure>(figure.panels.front().content).data.meaning = words.left(1000);
        figure.panels.push_back({words, TableFigure{{words, words}, {{{words, TableCell::Tone::Plain}, {u"0.02"_s}}}}});
        BarFigure bars{words, {words}, {}};
        bars.bars.push_back({words, {{0.5, 0.4, 0.6}}});
        figure.panels.push_back({words, bars});
        figure.panels.push_back({words, ChartFigure{.xTitle = words,
                                                    .yTitle = words,
                                                    .curves = {{.name = words, .points = {{1, {0.5, 0.4, 0.6}}}}}}});
        FigureStyle slide;
        slide.heightMm = 100;
        for (const FigureStyle& style : {FigureStyle(), slide})
            QVERIFY(renderFigure(figure, style, FigureFormat::Svg).has_value());
    }

    void previewFitsItsFrame()
    {
        QImage image(400, 300, QImage::Format_RGB32);
        image.fill(Qt::magenta);
        QPainter painter(&image);
        paintFigure(painter, patternFigure(), {}, QRectF(0, 0, 400, 300));
        painter.end();
        QCOMPARE(image.pixelColor(2, 2), QColor(Qt::white));
        QCOMPARE(image.pixelColor(398, 298), QColor(Qt::magenta));
    }
};

QTEST_MAIN(TestWidgetsFigures)
#include "tst_widgets_figures.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Composed figures: where their parts stand, that all are drawn, and how a person arranges them.
#include "tests/support/paintedtexts.h"
#include "widgets/figures/dialog/figuredialog.h"
#include "widgets/figures/dialog/partsstrip.h"
#include "widgets/figures/figurelayout.h"
#include "widgets/figures/figurerenderer.h"
#include "widgets/figures/figuretext.h"

#include <QAccessible>
#include <QComboBox>
#include <QListWidget>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace headscope;
using namespace headscope::widgets;
using namespace Qt::StringLiterals;
using headscope::testing::clash;
using headscope::testing::paintedTexts;
using headscope::testing::textsOf;

namespace {

FigureContent map(const QString& head)
{
    PatternData data;
    auto values = std::make_shared<Matrix>(12, 12);
    for (int r = 0; r < 12; ++r)
        values->at(r, r) = 1;
    data.values = values;
    for (int i = 0; i < 12; ++i)
        data.tokens << u" tok%1"_s.arg(i);
    data.head = head;
    data.meaning = u"softmax attention"_s;
    return PatternFigure{.data = data};
}

FigureContent table(int rows)
{
    TableFigure table{{u"benchmark"_s, u"baseline"_s, u"now"_s}, {}};
    for (int i = 0; i < rows; ++i)
        table.rows.push_back({{u"retrieval of %1 pairs"_s.arg(i)}, {u"0.98"_s}, {u"0.02"_s, TableCell::Tone::Bad}});
    return table;
}

FigureContent chart()
{
    ChartFigure chart{.xTitle = u"pairs in the dictionary"_s, .yTitle = u"accuracy"_s, .curves = {}, .xLabels = {}};
    for (int i = 0; i < 3; ++i)
        chart.curves.push_back(
            {u"without the heads of layer %1"_s.arg(i), {{4, {.value = 0.3 * i}}, {32, {.value = 1}}}, i});
    return chart;
}

FigureContent bars()
{
    BarFigure bars{u"cost"_s, {u"one"_s}, {}};
    for (int i = 0; i < 8; ++i)
        bars.bars.push_back({u"L%1H7"_s.arg(i), {{.value = 0.1 * i}}});
    return bars;
}

/// A part a content; two contents in the first, if `two`.
Figure composedOf(const std::vector<FigureContent>& contents, bool two = false)
{
    Figure figure{.columns = 0, .letters = true};
    for (std::size_t i = 0; i < contents.size(); ++i) {
        const int part = two && i > 0 ? static_cast<int>(i) : static_cast<int>(i) + 1;
        if (part > figure.parts.size())
            figure.parts << u"Part number %1"_s.arg(part);
        figure.panels.push_back({{}, contents[i], part});
    }
    return figure;
}

/// A part that is so high for each unit of its width, and in any case so high.
FigureLayout::Part part(double slope, double least, double narrowest = 0)
{
    return {narrowest, [=](double width) { return slope * width + least; }};
}

/// What can be reached by keyboard and has no name for a screen reader; parts of Qt's own controls have their owner's.
QStringList withoutNames(const QWidget& parent)
{
    QStringList nameless;
    for (auto* child : parent.findChildren<QWidget*>())
        if (child->focusPolicy() != Qt::NoFocus && child->isVisibleTo(&parent)
            && !child->objectName().startsWith(u"qt_"_s) && !qobject_cast<QComboBox*>(child->parent())) {
            const QAccessibleInterface* seen = QAccessible::queryAccessibleInterface(child);
            if (seen && seen->text(QAccessible::Name).isEmpty())
                nameless << QString::fromLatin1(child->metaObject()->className()) + u' ' + child->objectName();
        }
    return nameless;
}

} // namespace

class TestWidgetsCompose : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support)"_s)); }

    void partsStandInRows_data()
    {
        QTest::addColumn<int>("kinds"); // a digit a part: 0 a map, 1 a table, 2 a part of high words
        QTest::addColumn<int>("perRow");
        for (const int kinds : {10, 100, 111, 1000, 2010, 2121, 1111})
            for (const int perRow : {0, 1, 2, 3, 4, 9})
                QTest::addRow("%04d, %d a row", kinds, perRow) << kinds << perRow;
    }

    void partsStandInRows()
    {
        QFETCH(const int, kinds);
        QFETCH(const int, perRow);
        std::vector<FigureLayout::Part> parts;
        for (int rest = kinds, i = 0; i < (kinds > 999 ? 4 : kinds > 99 ? 3 : 2); ++i, rest /= 10)
            parts.push_back(rest % 10 == 0 ? part(1, 5) : rest % 10 == 1 ? part(0, 30, 40) : part(-0.2, 60, 20));
        const FigureLayout layout(parts, {.width = 170, .between = 4, .below = 6, .perRow = perRow});
        QCOMPARE(layout.places().size(), parts.size());
        const QRectF page(0, 0, 170.001, layout.height() + 0.001);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const QRectF& place = layout.places()[i];
            QVERIFY(page.contains(place));
            QCOMPARE(place.height(), parts[i].height(place.width()));
            if (perRow == 0)
                QVERIFY(place.width() >= parts[i].narrowest);
            if (i > 0) { // in the order of reading, with the room between them
                const QRectF& before = layout.places()[i - 1];
                const bool beside = place.top() == before.top();
                QVERIFY(beside ? std::abs(place.left() - before.right() - 4) < 1e-6 : place.left() == 0);
                QVERIFY(beside || place.top() >= before.bottom() + 6 - 1e-6);
            }
            if (perRow > 0)
                QCOMPARE(place.left() == 0, i % static_cast<std::size_t>(std::min(perRow, 4)) == 0);
        }
    }

    void sizesFollowTheContent()
    {
        const FigureLayout::Page page{.width = 170, .between = 4, .below = 6};
        // A map gives way to what is low at any width, and two alike share the row.
        const FigureLayout uneven({part(1, 5), part(0, 30, 40)}, page);
        QVERIFY(uneven.places()[0].width() < uneven.places()[1].width());
        QCOMPARE(uneven.places()[0].top(), uneven.places()[1].top());
        const FigureLayout even({part(1, 5), part(1, 5)}, page);
        QCOMPARE(even.places()[0].width(), even.places()[1].width());
        // What needs the page has a row of its own.
        const FigureLayout wide({part(0, 30, 160), part(1, 5)}, page);
        QVERIFY(wide.places()[1].top() > wide.places()[0].bottom());
        QVERIFY(wide.places()[1].width() < 100); // and a map is not as high as the page is wide
        // Four stand two by two, below each other.
        const FigureLayout four({part(1, 5), part(0.9, 5), part(1, 5), part(1.1, 5)}, page);
        QCOMPARE(four.places()[2].left(), four.places()[0].left());
        QCOMPARE(four.places()[3].left(), four.places()[1].left());
        QCOMPARE(four.places()[3].top(), four.places()[2].top());
    }

    void everyPartIsDrawn_data()
    {
        QTest::addColumn<int>("parts");
        QTest::addColumn<QString>("preset");
        for (const int parts : {2, 3, 4, 5}) // 5: the first of four parts has two panels
            for (const char* preset : {"column", "page", "slide", "poster"})
                QTest::addRow("%d on %s", parts, preset) << parts << QString::fromLatin1(preset);
    }

    void everyPartIsDrawn()
    {
        QFETCH(const int, parts);
        QFETCH(const QString, preset);
        std::vector<FigureContent> contents{map(u"A L2H5"_s), table(4), chart(), bars()};
        if (parts == 5)
            contents.insert(contents.begin(), map(u"B L1H1"_s));
        contents.resize(static_cast<std::size_t>(parts), bars());
        const Figure figure = composedOf(contents, parts == 5);
        FigureStyle style = *stylePreset(preset);
        QCOMPARE(clash(figure, style), QString());
        const auto texts = paintedTexts(figure, style);
        const QSizeF size = figureSizeMm(figure, style);
        QCOMPARE(size.width(), style.widthMm);
        QStringList words;
        for (const auto& [text, place] : texts)
            words << text;
        for (int i = 0; i < std::min(parts, 4); ++i) {
            QVERIFY2(words.contains(QString(QChar(u'a' + i))), qPrintable(words.join(u'|')));
            QVERIFY(words.contains(u"Part number %1"_s.arg(i + 1)));
        }
        for (const char* word : {"A L2H5", "retrieval of 3 pairs"})
            QVERIFY2(words.contains(QString::fromLatin1(word)), word);
        QCOMPARE(words.contains(u"pairs in the dictionary"_s), parts > 2);
        QCOMPARE(words.contains(u"B L1H1"_s), parts == 5);
        // The same in every format; a picture has colours of the map.
        const auto svg = renderFigure(figure, style, FigureFormat::Svg);
        QVERIFY(svg.has_value() && svg->contains("Part number 2") && svg->contains("<image "));
        style.dpi = 60;
        const QImage png = QImage::fromData(*renderFigure(figure, style, FigureFormat::Png));
        const QRgb bright = colorAt(ColorMap::Viridis, 1);
        bool found = false;
        for (int y = 0; y < png.height() && !found; ++y)
            for (int x = 0; x < png.width() && !found; ++x)
                found = png.pixel(x, y) == bright;
        QVERIFY(found);
        const auto numbers = figureText(figure, FigureText::Csv);
        QVERIFY(numbers.has_value() && numbers->contains("# b Part number 2"));
        QCOMPARE(numbers->contains("# a Part number 1 B L1H1"), parts == 5);
        if (preset == u"page"_s)
            QCOMPARE(*renderFigure(figure, style, FigureFormat::Pdf), *renderFigure(figure, style, FigureFormat::Pdf));
    }

    // A chart says beside others what it says alone, and no word is broken.
    void wordsAndAxesStay()
    {
        const FigureStyle page = *stylePreset(u"page"_s);
        Figure alone;
        alone.panels = {{{}, chart()}};
        const QStringList before = textsOf(alone, page);
        const Figure figure = composedOf({map(u"A L2H5"_s), chart(), table(6), bars()});
        const QStringList now = textsOf(figure, page);
        for (const QString& tick : {u"4"_s, u"32"_s, u"without the heads of layer 2"_s, u"pairs in the dictionary"_s}) {
            QVERIFY2(before.contains(tick), qPrintable(tick));
            QVERIFY2(now.contains(tick), qPrintable(now.join(u'|')));
        }
        QSet<QString> known;
        const auto addWords = [&known](const QString& text) {
            for (const QString& word : text.split(u' ', Qt::SkipEmptyParts))
                known.insert(word);
        };
        for (const QString& text : before)
            addWords(text);
        for (const FigureContent& content : {map(u"A L2H5"_s), table(6), bars()}) {
            Figure one;
            one.panels = {{{}, content}};
            for (const QString& text : textsOf(one, page))
                addWords(text);
        }
        addWords(u"a b c d Part number 1 2 3 4"_s);
        for (const QString& text : now)
            for (const QString& word : text.split(u' ', Qt::SkipEmptyParts))
                if (word.size() > 0 && word.at(0).isLetter())
                    QVERIFY2(known.contains(word), qPrintable(word));
    }

    void partsAreArranged()
    {
        PartsStrip strip;
        QSignalSpy arranged(&strip, &PartsStrip::arranged);
        for (const char* id : {"maps", "scores", "curve", "heads", "fifth"})
            strip.add(QString::fromLatin1(id), u"Name of %1"_s.arg(QString::fromLatin1(id)), QPixmap(66, 44));
        QCOMPARE(strip.ids(), (QStringList{u"maps"_s, u"scores"_s, u"curve"_s, u"heads"_s}));
        QCOMPARE(arranged.count(), 0); // only what a person does
        const auto button = [&strip](const QString& name) {
            for (auto* one : strip.findChildren<QToolButton*>())
                if (one->text() == name)
                    return one;
            return static_cast<QToolButton*>(nullptr);
        };
        strip.list()->setCurrentRow(0);
        QVERIFY(!button(u"Move left"_s)->isEnabled());
        button(u"Move right"_s)->click();
        QCOMPARE(strip.ids(), (QStringList{u"scores"_s, u"maps"_s, u"curve"_s, u"heads"_s}));
        strip.show();
        QVERIFY(QTest::qWaitForWindowActive(&strip));
        strip.list()->setFocus();
        QTest::keyClick(strip.list(), Qt::Key_Right, Qt::ControlModifier);
        QTest::keyClick(strip.list(), Qt::Key_Right, Qt::ControlModifier);
        QTest::keyClick(strip.list(), Qt::Key_Right, Qt::ControlModifier); // at the end already
        QCOMPARE(strip.ids(), (QStringList{u"scores"_s, u"curve"_s, u"heads"_s, u"maps"_s}));
        QTest::keyClick(strip.list(), Qt::Key_Left, Qt::ControlModifier);
        QCOMPARE(strip.ids(), (QStringList{u"scores"_s, u"curve"_s, u"maps"_s, u"heads"_s}));
        // As a drop does.
        QVERIFY(strip.list()->model()->moveRow({}, 3, {}, 0));
        QCOMPARE(strip.ids(), (QStringList{u"heads"_s, u"scores"_s, u"curve"_s, u"maps"_s}));
        QCOMPARE(arranged.count(), 5);
        for (int i = 0; i < 4; ++i)
            QVERIFY(strip.list()->item(i)->text().startsWith(QChar(u'a' + i)));
        strip.list()->setCurrentRow(1);
        QTest::keyClick(strip.list(), Qt::Key_Delete);
        QCOMPARE(strip.ids(), (QStringList{u"heads"_s, u"curve"_s, u"maps"_s}));
        QCOMPARE(withoutNames(strip).join(u'|'), QString());
        QVERIFY(QAccessible::queryAccessibleInterface(strip.list())
                    ->child(0)
                    ->text(QAccessible::Name)
                    .contains(u"Name of heads"_s));
    }

    void figuresAreTicked()
    {
        FigureDialog dialog;
        QSignalSpy composed(&dialog, &FigureDialog::composed), chosen(&dialog, &FigureDialog::choiceChanged);
        QList<FigureChoice> choices;
        for (int i = 0; i < 6; ++i)
            choices.append({.id = u"f%1"_s.arg(i),
                            .title = u"Figure %1"_s.arg(i),
                            .missing = i == 5 ? u"Not measured."_s : QString(),
                            .group = i < 2 ? u"On the screen"_s : u"Others"_s,
                            .onScreen = i < 2});
        dialog.setChoices(choices);
        QCOMPARE(dialog.list()->count(), 8); // with two names of groups
        dialog.setComposing(true);
        QCOMPARE(composed.takeLast().front().toStringList(), (QStringList{u"f0"_s, u"f1"_s})); // what the screen shows
        QVERIFY(dialog.parts()->isVisibleTo(&dialog));
        const auto click = [&dialog](int row) {
            dialog.list()->setCurrentRow(row);
            Q_EMIT dialog.list()->itemClicked(dialog.list()->item(row));
        };
        click(4);
        click(5);
        QCOMPARE(dialog.parts()->ids(), (QStringList{u"f0"_s, u"f1"_s, u"f2"_s, u"f3"_s}));
        QCOMPARE(dialog.list()->item(4)->checkState(), Qt::Checked);
        click(6); // a fifth
        click(7); // not measured
        click(3); // the name of a group
        QCOMPARE(dialog.parts()->ids().size(), 4);
        click(1);
        QCOMPARE(composed.takeLast().front().toStringList(), (QStringList{u"f1"_s, u"f2"_s, u"f3"_s}));
        QCOMPARE(dialog.list()->item(1)->checkState(), Qt::Unchecked);
        QCOMPARE(chosen.count(), 0);
        QCOMPARE(dialog.options().what, kComposed.toString());
        choices.removeAt(2); // gone from the session meanwhile
        dialog.setChoices(choices);
        QCOMPARE(dialog.parts()->ids(), (QStringList{u"f1"_s, u"f3"_s}));
        QCOMPARE(withoutNames(dialog).join(u'|'), QString());
        dialog.setComposing(false);
        QCOMPARE(chosen.count(), 1);
        QVERIFY(!dialog.parts()->isVisibleTo(&dialog));
    }

    // Only what applies to the figure can be set.
    void controlsThatDoNotApplyAreHidden()
    {
        FigureDialog dialog;
        const auto shown = [&dialog](const QString& name) {
            for (auto* child : dialog.findChildren<QWidget*>())
                if (child->accessibleName() == name)
                    return child->isVisibleTo(&dialog);
            return false;
        };
        FigureOptions options;
        options.ofScores = true;
        dialog.setOptions(options);
        QVERIFY(shown(u"Models of a chart or table"_s) && !shown(u"Scale of maps"_s) && !shown(u"Token labels"_s));
        options.ofScores = false;
        options.ofMaps = options.ofTokens = true;
        dialog.setOptions(options);
        QVERIFY(!shown(u"Models of a chart or table"_s) && shown(u"Scale of maps"_s) && shown(u"Token labels"_s));
    }

    void previewsShowTheFigure()
    {
        const QSize size(132, 88);
        for (const FigureContent& content : {map(u"A L2H5"_s), table(60), chart()}) {
            Figure figure;
            figure.title = u"A title"_s;
            figure.panels = {{{}, content}};
            const QImage preview = figurePreview(figure, size);
            QCOMPARE(preview.size(), size);
            int inked = 0;
            for (int y = 0; y < size.height(); ++y)
                for (int x = 0; x < size.width(); ++x)
                    inked += preview.pixelColor(x, y) != Qt::white ? 1 : 0;
            QVERIFY2(inked > 300, qPrintable(QString::number(inked)));
        }
    }
};

QTEST_MAIN(TestWidgetsCompose)
#include "tst_widgets_compose.moc"

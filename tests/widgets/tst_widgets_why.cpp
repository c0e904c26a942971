// SPDX-License-Identifier: GPL-3.0-or-later
// The pages that tell why: what each shows of one side or two, and what its dialogs refuse.
#include "widgets/look/theme.h"
#include "widgets/why/edges/edgepage.h"
#include "widgets/why/knockoutdialog.h"
#include "widgets/why/parts/whypage.h"
#include "widgets/why/patch/patchpage.h"
#include "widgets/why/patch/promptdifference.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <cmath>

using headscope::Side;
using namespace headscope::widgets;
using namespace Qt::StringLiterals;

namespace {

GridData lens()
{
    return {.rows = {{.name = u"L0"_s}, {.name = u"output"_s}},
            .columns = {{.name = u"is"_s}},
            .cells = {{.value = 0.2, .strength = 0.2F}, {.value = 0.9, .strength = 0.9F}}};
}

/// A head that two others feed, and the logits behind it.
EdgeData edges()
{
    const double none = std::nan("");
    return {.rows = {u""_s, u"L0"_s, u"L1"_s, u""_s},
            .cells = {0, 3, 3, 0},
            .parts = {{u"L1H0"_s, 2, 0}, {u"L0H1"_s, 1, 1}, {u"L0.mlp"_s, 1, 2}, {u"logits"_s, 3, -1}},
            .edges = {{1, 0, u"k"_s, 0.8, 0.7, 0.9, 16.0},
                      {2, 0, u"q"_s, -0.3, none, none, -6.0},
                      {0, 3, QString(), 0.02, none, none, 0.4}},
            .asked = 0};
}

} // namespace

class TestWidgetsWhy : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void anEmptyViewSaysWhy();
    void thePageShowsOneSideOrTwo();
    void bothModelsAreBesideEachOtherWhereThereIsRoom();
    void edgesAreATable();
    void aClickOnAnEdgeTellsItsNumbers();
    void weakEdgesAreNotDrawn();
    void whatGoesTheOtherWayIsDashed();
    void knockoutRefusesWithASentence_data();
    void knockoutRefusesWithASentence();
    void knockoutNamesItsTokens();
    void theOtherPromptMarksWhatDiffers();
};

void TestWidgetsWhy::theOtherPromptMarksWhatDiffers()
{
    const QStringList here = u"a b c d e f red fox g h i j k l"_s.split(u' ');
    QStringList there = here;
    there[6] = u"blue"_s;
    there[7] = u" <b>ox"_s;
    const std::vector<PromptPiece> pieces = {
        {u"… d e f"_s, false}, {u"blue <b>ox"_s, true}, {u"g h i"_s, false}, {u"…"_s, false}};
    QVERIFY(differencePieces({here, there}) == pieces);
    QVERIFY(differencePieces({here, here}).empty() && differencePieces({}).empty());
    PromptDifference line;
    line.resize(600, line.sizeHint().height());
    line.setPair({here, there});
    QCOMPARE(line.text(), u"Other prompt: … d e f [blue <b>ox] g h i …"_s);
    const QImage marked = line.grab().toImage();
    line.setPair({here, here});
    QVERIFY(line.text().isEmpty());
    const QImage plain = line.grab().toImage();
    const auto has = [](const QImage& image, const QColor& color) {
        for (int x = 0; x < image.width(); ++x)
            if (image.pixelColor(x, 1) == color)
                return true;
        return false;
    };
    const Theme theme = themeOf(line.palette());
    const QColor mark = mixed(theme.base, theme.sideB, 0.35).toRgb();
    QVERIFY(has(marked, QColor(mark.rgb())) && !has(plain, QColor(mark.rgb())));
}

void TestWidgetsWhy::anEmptyViewSaysWhy()
{
    WhyView view;
    view.setLens(lens(), u"On top."_s);
    view.setLensProblem(u"Open a model."_s);
    view.setPartsProblem(u"<b>plain</b>"_s);
    QCOMPARE(view.lens()->model()->rowCount(), 0);
    QVERIFY(view.parts()->bars().empty());
    QStringList said;
    for (const QLabel* label : view.findChildren<QLabel*>()) {
        QCOMPARE(label->textFormat(), Qt::PlainText);
        said += label->text();
    }
    QVERIFY(said.contains(u"Open a model."_s) && said.contains(u"<b>plain</b>"_s));
}

void TestWidgetsWhy::thePageShowsOneSideOrTwo()
{
    WhyPage page;
    QSignalSpy shown(&page, &WhyPage::shown), back(&page, &WhyPage::backRequested);
    page.resize(900, 500);
    page.show();
    QCOMPARE(shown.count(), 1);
    QVERIFY(page.view(Side::A)->isVisible() && !page.view(Side::B)->isVisible());
    page.setShown(Side::B, true);
    QVERIFY(page.view(Side::B)->isVisible());
    QSignalSpy coloured(&page, &WhyPage::lensColorChanged);
    page.setLensColor(LensColor::Rank);
    QCOMPARE(coloured.count(), 1);
    QVERIFY(page.lensColor() == LensColor::Rank);
    page.findChild<QToolButton*>(u"back"_s)->click();
    QCOMPARE(back.count(), 1);
}

void TestWidgetsWhy::bothModelsAreBesideEachOtherWhereThereIsRoom()
{
    PatchPage patches;
    EdgePage edges;
    const auto beside = [](auto& page, int width, int heads) {
        for (const Side side : headscope::kSides)
            page.setShown(side, heads > 0 || side == Side::A, heads);
        page.resize(width, 600);
        page.show();
        QCoreApplication::processEvents();
        return page.view(Side::B)->isVisible() && page.view(Side::A)->x() < page.view(Side::B)->x()
               && page.view(Side::A)->y() == page.view(Side::B)->y();
    };
    QVERIFY(beside(patches, 900, 8) && beside(edges, 900, 8));
    QVERIFY(!beside(patches, 500, 8) && !beside(edges, 500, 8));
    QVERIFY(!beside(patches, 900, 32) && !beside(edges, 900, 32));
    QVERIFY(beside(patches, 3000, 32) && beside(edges, 3000, 32));
    QVERIFY(!beside(patches, 900, 0) && !beside(edges, 900, 0)); // one model
    QVERIFY(beside(patches, 900, 8));
    patches.setChoice({.part = PatchPage::Part::Stream}); // a column for each token
    QVERIFY(!beside(patches, 900, 8));
}

void TestWidgetsWhy::edgesAreATable()
{
    EdgeView view(Side::A);
    view.setEdges(edges(), {});
    const NumberTableModel& table = *view.table()->numbers();
    QCOMPARE(table.rowCount(), 3);
    QCOMPARE(table.index(0, 0).data().toString(), u"L0H1"_s);
    QCOMPARE(table.index(0, 1).data().toString(), u"L1H0.k"_s);
    QCOMPARE(table.index(0, 2).data(Qt::EditRole).toDouble(), 0.8);
    QCOMPARE(table.index(0, 3).data(Qt::EditRole).toDouble(), 0.7); // the interval
    QCOMPARE(table.index(0, 4).data(Qt::EditRole).toDouble(), 0.9);
    QVERIFY(!table.index(1, 3).data(Qt::EditRole).isValid());
    QCOMPARE(table.index(2, 1).data().toString(), u"logits"_s);
    const QString words = view.graph()->words(0);
    QVERIFY2(words.contains(u"L0H1 into L1H0.k: effect +0.80 (95 % interval +0.70 to +0.90)"_s)
                 && words.contains(u"+16.00"_s),
             qPrintable(words));
    EdgeData one = edges();
    one.edges.erase(one.edges.begin());
    view.setEdges(one, {});
    QCOMPARE(table.columnCount(), 4); // of one pair there is none
    view.setEdges({}, {});
    QCOMPARE(table.rowCount(), 0);
}

void TestWidgetsWhy::aClickOnAnEdgeTellsItsNumbers()
{
    EdgeView view(Side::A);
    view.setEdges(edges(), u"Three edges."_s);
    view.resize(900, 400);
    view.show();
    const EdgeGraph& graph = *view.graph();
    const auto middle = [&graph](int edge) {
        return graph.places().path(graph.edges().edges[static_cast<std::size_t>(edge)]).pointAtPercent(0.5).toPoint();
    };
    for (const int edge : {0, 1}) {
        QTest::mouseClick(view.graph(), Qt::LeftButton, {}, middle(edge));
        QCOMPARE(graph.selected(), edge);
        QCOMPARE(view.table()->currentIndex().row(), edge);
        QCOMPARE(view.chosen(), view.graph()->words(edge));
    }
    view.table()->selectRow(2); // by keyboard: what is too weak to be drawn is drawn when it is chosen
    QCOMPARE(graph.selected(), 2);
    QTest::mouseClick(view.graph(), Qt::LeftButton, {}, QPoint(2, 2)); // nowhere: nothing changes
    QCOMPARE(graph.selected(), 2);
    QSignalSpy chosen(&view, &EdgeView::partChosen);
    QTest::mouseDClick(view.graph(), Qt::LeftButton, {}, graph.places().part(1).center().toPoint());
    QCOMPARE(chosen.front().front().toString(), u"L0H1"_s);
}

void TestWidgetsWhy::weakEdgesAreNotDrawn()
{
    EdgePage page;
    page.view(Side::A)->setEdges(edges(), {});
    const EdgeGraph& graph = *page.view(Side::A)->graph();
    QCOMPARE(graph.shown(), 2);
    page.threshold()->setValue(0);
    QCOMPARE(graph.shown(), 3);
    page.threshold()->setValue(50);
    QCOMPARE(graph.shown(), 1);
    QCOMPARE(page.view(Side::A)->table()->model()->rowCount(), 3); // the table has them all
}

void TestWidgetsWhy::whatGoesTheOtherWayIsDashed()
{
    EdgeGraph graph(Side::A);
    graph.setEdges(edges());
    graph.resize(600, 400);
    const QImage picture = graph.grab().toImage();
    const auto inkAlong = [&](int edge) {
        const QPainterPath path = graph.places().path(graph.edges().edges[static_cast<std::size_t>(edge)]);
        int inked = 0;
        for (int i = 20; i < 80; ++i) {
            const QPoint at = (path.pointAtPercent(i / 100.0) * picture.devicePixelRatio()).toPoint();
            inked += picture.pixelColor(at) != graph.palette().color(QPalette::Window) ? 1 : 0;
        }
        return inked;
    };
    QCOMPARE(inkAlong(0), 60);                     // as thick as most of the way
    QVERIFY(inkAlong(1) > 10 && inkAlong(1) < 59); // gaps
    QCOMPARE(inkAlong(2), 0);                      // too weak
}

void TestWidgetsWhy::knockoutRefusesWithASentence_data()
{
    QTest::addColumn<KnockoutChoice>("choice");
    QTest::addColumn<QString>("expected");
    QTest::newRow("fits") << KnockoutChoice{5, 6, 1, 4} << QString();
    QTest::newRow("overlap") << KnockoutChoice{3, 6, 1, 4} << u"overlap"_s;
    QTest::newRow("its own token") << KnockoutChoice{3, 3, 3, 3} << u"overlap"_s;
    QTest::newRow("later tokens") << KnockoutChoice{1, 2, 4, 5} << u"follows"_s;
    QTest::newRow("backwards") << KnockoutChoice{6, 5, 1, 2} << u"lower number first"_s;
    QTest::newRow("layers backwards") << KnockoutChoice{5, 6, 1, 2, KnockoutChoice::Where::Layers, 2, 1}
                                      << u"The last layer"_s;
}

void TestWidgetsWhy::knockoutRefusesWithASentence()
{
    QFETCH(const KnockoutChoice, choice);
    QFETCH(const QString, expected);
    KnockoutDialog dialog({.tokens = QStringList(8, u"a"_s), .head = u"L1H0"_s, .layer = 1, .layers = 4});
    dialog.setChoice(choice);
    QCOMPARE(dialog.choice(), choice);
    QVERIFY2(expected.isEmpty() ? dialog.problem().isEmpty() : dialog.problem().contains(expected),
             qPrintable(dialog.problem()));
    for (const QPushButton* button : dialog.findChildren<QPushButton*>())
        if (button->text() == u"&Knock out"_s)
            QCOMPARE(button->isEnabled(), expected.isEmpty());
}

void TestWidgetsWhy::knockoutNamesItsTokens()
{
    KnockoutDialog dialog({.tokens = {u"<b>The</b>"_s, u" key"_s, u"\n"_s, u" is"_s}, .head = u"L1S0"_s, .ssm = true});
    dialog.setChoice({3, 3, 0, 1});
    QStringList said;
    for (const QLabel* label : dialog.findChildren<QLabel*>()) {
        QCOMPARE(label->textFormat(), Qt::PlainText);
        said += label->text();
    }
    QVERIFY2(said.contains(u"<b>The</b> key"_s) && said.contains(u"is"_s), qPrintable(said.join(u'|')));
    QVERIFY(said.join(u' ').contains(u"SSM heads"_s));
}

QTEST_MAIN(TestWidgetsWhy)
#include "tst_widgets_why.moc"

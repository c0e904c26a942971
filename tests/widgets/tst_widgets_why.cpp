// SPDX-License-Identifier: GPL-3.0-or-later
// The page that tells why: the lens as a table whose text reads, parts as bars with their sum.
#include "widgets/look/colormap.h"
#include "widgets/look/theme.h"
#include "widgets/why/edges/edgepage.h"
#include "widgets/why/knockoutdialog.h"
#include "widgets/why/parts/whypage.h"
#include "widgets/why/patch/patchpage.h"
#include "widgets/why/patch/promptdifference.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
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

/// Two layers and the output over three tokens; the answer is on top in the output alone.
LensData lens()
{
    LensData data{.tokens = {u"The"_s, u"\n"_s, u"is"_s}, .followed = u"17"_s, .layers = 3, .cells = {}};
    for (int layer = 0; layer < 3; ++layer)
        for (int position = 0; position < 3; ++position) {
            const bool answer = layer == 2 && position == 2;
            data.cells.push_back({answer ? u"17"_s : u"42"_s, answer ? 17 : 42, answer ? 0.9F : 0.2F,
                                  answer ? 0.4F : 4.0F, answer ? 0 : 30, answer ? -0.1F : -5.0F});
        }
    return data;
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
    void lensIsATable();
    void colourTellsWhatIsChosen();
    void textReadsOnEveryColour();
    void zoomedOutColumnsArePooled();
    void wordsAndNumbersAreSorted();
    void partsEndInTheirSum();
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

void TestWidgetsWhy::lensIsATable()
{
    LensModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setLens(lens());
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.columnCount(), 3);
    QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), u"⏎"_s);
    QCOMPARE(model.headerData(0, Qt::Vertical, Qt::DisplayRole).toString(), u"L0"_s);
    QCOMPARE(model.headerData(2, Qt::Vertical, Qt::DisplayRole).toString(), u"output"_s);
    const QModelIndex answer = model.index(2, 2);
    QCOMPARE(answer.data().toString(), u"17"_s);
    QVERIFY(answer.data(LensModel::OnTopRole).toBool());
    QVERIFY(!model.index(0, 0).data(LensModel::OnTopRole).toBool());
    const QString words = answer.data(Qt::AccessibleTextRole).toString();
    QVERIFY2(words.contains(u"rank of “17”: 1"_s) && words.contains(u"0.900"_s), qPrintable(words));
    LensData unread = lens(); // a layer that a fitted lens has no matrix for
    unread.cells.front() = {};
    model.setLens(unread);
    const QModelIndex blank = model.index(0, 0);
    QVERIFY(blank.data().toString().isEmpty());
    QVERIFY(!blank.data(LensModel::OnTopRole).toBool());
    QVERIFY(std::isnan(blank.data(LensModel::StrengthRole).toDouble()));
    QVERIFY(blank.data(Qt::AccessibleTextRole).toString().contains(u"no matrix"_s));
    QCOMPARE(model.index(2, 2).data().toString(), u"17"_s);
    model.setLens({});
    QCOMPARE(model.rowCount() * model.columnCount(), 0);
}

void TestWidgetsWhy::colourTellsWhatIsChosen()
{
    LensModel model;
    model.setLens(lens());
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    for (const LensColor color : {LensColor::Probability, LensColor::Rank, LensColor::Entropy}) {
        model.setColor(color);
        const double answer = model.index(2, 2).data(LensModel::StrengthRole).toDouble(),
                     other = model.index(0, 0).data(LensModel::StrengthRole).toDouble();
        QVERIFY(answer > other && answer <= 1 && other >= 0);
        if (color == LensColor::Probability)
            QVERIFY(std::abs(answer - 0.9) < 1e-6 && std::abs(other - 0.2) < 1e-6);
        if (color == LensColor::Rank)
            QCOMPARE(answer, 1.0);
        if (color == LensColor::Entropy)
            QCOMPARE(other, 0.0);
    }
    QCOMPARE(changed.count(), 3);
}

void TestWidgetsWhy::textReadsOnEveryColour()
{
    const auto luminance = [](QRgb color) {
        const auto part = [](int value) {
            const double v = value / 255.0;
            return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * part(qRed(color)) + 0.7152 * part(qGreen(color)) + 0.0722 * part(qBlue(color));
    };
    for (int i = 0; i <= 20; ++i) {
        const QRgb fill = colorAt(ColorMap::Viridis, i / 20.0);
        const double a = luminance(fill), b = luminance(inkOn(fill));
        QVERIFY((std::max(a, b) + 0.05) / (std::min(a, b) + 0.05) >= 4.5); // WCAG 2.1, AA
    }
    WhyView view;
    view.setLens(lens(), {});
    view.resize(700, 300);
    const QImage picture = view.lensTable()->grab().toImage();
    const QRect cell = view.lensTable()->visualRect(view.lensModel()->index(2, 2));
    const QPoint corner = view.lensTable()->viewport()->mapTo(view.lensTable(), cell.topLeft());
    const qreal ratio = picture.devicePixelRatio();
    const QColor drawn = picture.pixelColor((QPointF(corner) * ratio).toPoint() + QPoint(3, 3));
    const QColor wanted = QColor::fromRgb(colorAt(ColorMap::Viridis, 0.9F));
    QVERIFY2(std::abs(drawn.red() - wanted.red()) < 6 && std::abs(drawn.blue() - wanted.blue()) < 6,
             qPrintable(drawn.name() + u' ' + wanted.name()));
}

void TestWidgetsWhy::zoomedOutColumnsArePooled()
{
    LensModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setLens(lens());
    model.setPool(2);
    QCOMPARE(model.columnCount(), 2);
    QVERIFY(model.index(2, 1).data().toString().isEmpty());
    QVERIFY(std::abs(model.index(2, 0).data(LensModel::StrengthRole).toDouble() - 0.2) < 1e-6); // two of them
    QVERIFY(std::abs(model.index(2, 1).data(LensModel::StrengthRole).toDouble() - 0.9) < 1e-6); // the last alone
    model.setPool(1);
    QCOMPARE(model.columnCount(), 3);

    LensData wide{.followed = u"17"_s, .layers = 2};
    for (int position = 0; position < 500; ++position)
        wide.tokens.append(u"token"_s);
    wide.cells.resize(1000, {u"17"_s, 3, 0.5F, 1.0F, 0, -0.7F});
    WhyView view;
    view.resize(800, 300);
    view.show();
    view.setLens(wide, {});
    QCOMPARE(view.lensModel()->pool(), 1);
    view.setZoom(-100); // all of it is seen at once
    QVERIFY(view.lensModel()->pool() > 1);
    QVERIFY(view.lensModel()->columnCount() * view.lensTable()->columnWidth(0)
            <= view.lensTable()->viewport()->width());
    view.setZoom(0);
    QCOMPARE(view.lensModel()->columnCount(), 500);
}

void TestWidgetsWhy::wordsAndNumbersAreSorted()
{
    NumberTable table(u"numbers"_s);
    const QAbstractItemModelTester tester(table.numbers(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    table.setRows({u"head"_s, u"score"_s}, {{u"L0H0"_s, 0.25}, {u"L0H1"_s, std::nan("")}, {u"L0H2"_s, -1.5}});
    QCOMPARE(table.model()->index(0, 0).data().toString(), u"L0H0"_s); // as they come
    table.sortByColumn(1, Qt::AscendingOrder);
    QCOMPARE(table.model()->index(0, 0).data().toString(), u"L0H1"_s); // not known
    QCOMPARE(table.model()->index(1, 0).data().toString(), u"L0H2"_s);
    QSignalSpy chosen(&table, &NumberTable::rowChosen);
    Q_EMIT table.doubleClicked(table.model()->index(2, 1));
    QCOMPARE(chosen.front().front().toString(), u"L0H0"_s);
}

void TestWidgetsWhy::partsEndInTheirSum()
{
    WhyView view;
    const QAbstractItemModelTester tester(view.partModel(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    view.setParts({{u"embed"_s, 0.5, false}, {u"L2H5"_s, 8.0, true}, {u"L3.mlp"_s, -1.25, false}}, u"All of it."_s);
    PartModel* model = view.partModel();
    QCOMPARE(model->rowCount(), 4);
    QCOMPARE(model->index(0, PartModel::Name).data().toString(), u"L2H5"_s);
    QCOMPARE(model->index(1, PartModel::Name).data().toString(), u"L3.mlp"_s);
    QCOMPARE(model->index(3, PartModel::Name).data().toString(), u"sum"_s);
    QCOMPARE(model->index(3, PartModel::Bar).data().toString(), u"+7.25"_s);
    QVERIFY(model->index(3, PartModel::Bar).data(PartModel::SumRole).toBool());
    QCOMPARE(model->sum(), 7.25);
    QSignalSpy chosen(&view, &WhyView::partChosen);
    view.resize(900, 300);
    view.show();
    const QRect row = view.partTable()->visualRect(model->index(0, PartModel::Name));
    QTest::mouseClick(view.partTable()->viewport(), Qt::LeftButton, {}, row.center());
    QTest::mouseDClick(view.partTable()->viewport(), Qt::LeftButton, {}, row.center());
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.front().front().toString(), u"L2H5"_s);
}

void TestWidgetsWhy::anEmptyViewSaysWhy()
{
    WhyView view;
    view.setLens(lens(), u"On top."_s);
    view.setLensProblem(u"Open a model."_s);
    view.setPartsProblem(u"<b>plain</b>"_s);
    QCOMPARE(view.lensModel()->rowCount(), 0);
    QCOMPARE(view.partModel()->rowCount(), 0);
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
    page.view(Side::B)->setLens(lens(), {});
    page.findChild<QComboBox*>(u"lens colour"_s)->setCurrentIndex(1);
    QCOMPARE(page.view(Side::B)->lensModel()->index(2, 2).data(LensModel::StrengthRole).toDouble(), 1.0);
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
    EdgeModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setEdges(edges());
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.index(0, EdgeModel::From).data().toString(), u"L0H1"_s);
    QCOMPARE(model.index(0, EdgeModel::To).data().toString(), u"L1H0.k"_s);
    QCOMPARE(model.index(0, EdgeModel::Interval).data().toString(), u"+0.70 to +0.90"_s);
    QCOMPARE(model.index(1, EdgeModel::Interval).data().toString(), QString());
    QCOMPARE(model.index(2, EdgeModel::To).data().toString(), u"logits"_s);
    const QString words = model.index(0, 0).data(Qt::AccessibleTextRole).toString();
    QVERIFY2(words.contains(u"L0H1 into L1H0.k: effect +0.80"_s) && words.contains(u"+16.00"_s), qPrintable(words));
    model.setEdges({});
    QCOMPARE(model.rowCount(), 0);
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
        QCOMPARE(view.chosen(), view.model()->words(edge));
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
    QCOMPARE(page.view(Side::A)->model()->rowCount(), 3); // the table has them all
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

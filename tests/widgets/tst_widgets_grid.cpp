// SPDX-License-Identifier: GPL-3.0-or-later
// The one picture of numbers in rows and columns, the bars, and the table of the same numbers behind either.
#include "widgets/look/colormap.h"
#include "widgets/look/theme.h"
#include "widgets/why/views/barsview.h"
#include "widgets/why/views/gridsview.h"
#include "widgets/why/views/tabledview.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

using headscope::Side;
using namespace headscope::widgets;
using namespace Qt::StringLiterals;

namespace {

/// Three rows of four columns; the cell in the middle has no number.
GridData grid()
{
    GridData data{.corner = u"layer"_s, .rows = {}, .columns = {}, .cells = {}, .letters = 5, .of = u"a model"_s};
    for (int row = 0; row < 3; ++row)
        data.rows.push_back({.name = u"L%1"_s.arg(row)});
    for (int column = 0; column < 4; ++column)
        data.columns.push_back({.name = u"H%1"_s.arg(column)});
    for (int at = 0; at < 12; ++at)
        data.cells.push_back(at == 5 ? GridCell()
                                     : GridCell{.value = at / 10.0, .strength = static_cast<float>(at) / 12});
    return data;
}

GridData wide(int columns)
{
    GridData data = grid();
    data.columns.assign(static_cast<std::size_t>(columns), {.name = u"token"_s});
    data.cells.assign(data.rows.size() * data.columns.size(), {.value = 0.5, .strength = 0.2F});
    data.cells[1].strength = 1;
    data.fromEnd = true;
    return data;
}

bool isIn(const QImage& image, const QColor& colour)
{
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (image.pixelColor(x, y) == QColor(colour.rgb()))
                return true;
    return false;
}

QImage cellOf(GridView& view, int row, int column)
{
    return view.viewport()->grab(view.visualRect(view.model()->index(row, column))).toImage();
}

QString copied(TabledView& view)
{
    for (QAction* action : view.actions())
        if (action->shortcut() == QKeySequence(QKeySequence::Copy))
            action->trigger();
    return QApplication::clipboard()->text();
}

} // namespace

class TestWidgetsGrid : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void cellsHaveColoursNumbersAndNames();
    void textReadsOnEveryColour();
    void marksAreSeen();
    void halfANumberIsNotShown();
    void numbersAreAllSeenOrNone();
    void rowsOfNumbersAreLowBeforeTheyAreScrolled();
    void whatIsSeenStaysWhileItFills();
    void zoomGoesDownToPixels();
    void onlyWhatIsSeenIsPainted();
    void thousandsOfColumnsAreOneLook();
    void keysAndClicksChoose();
    void draggingMovesWhatIsLarger();
    void fromRightToLeft();
    void columnsAreNamedWhereThereIsRoom();
    void theTableHasTheSameNumbers();
    void whatIsSelectedIsCopied();
    void theMenuHasThePagesEntries();
    void barsEndInTheirSum();
    void barsHaveATableToo();
    void smallMultiplesAreNamed();
    void wordsAndNumbersAreSorted();
};

void TestWidgetsGrid::cellsHaveColoursNumbersAndNames()
{
    GridView view(u"heads"_s);
    const QAbstractItemModelTester tester(view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    view.setGrid(grid());
    QCOMPARE(view.model()->rowCount(), 3);
    QCOMPARE(view.model()->columnCount(), 4);
    const QModelIndex cell = view.model()->index(2, 1);
    QCOMPARE(cell.data().toString(), u"0.90"_s);
    QCOMPARE(cell.data(Qt::EditRole).toDouble(), 0.9);
    QCOMPARE(cell.data(Qt::AccessibleTextRole).toString(), u"L2, H1: 0.90"_s);
    QVERIFY(view.model()->index(1, 1).data().toString().isEmpty());
    QVERIFY(!view.model()->index(1, 1).data(Qt::EditRole).isValid());
    QCOMPARE(view.model()->headerData(2, Qt::Vertical).toString(), u"L2"_s);
    view.resize(700, 300);
    QVERIFY(isIn(cellOf(view, 2, 3), QColor::fromRgb(colorAt(ColorMap::Viridis, 11 / 12.0))));
    QVERIFY(isIn(cellOf(view, 1, 1), themeOf(view.palette()).unused));
    GridData change = grid();
    change.scale = GridScale::Signed;
    change.text = [](int row, int) { return row == 0 ? u"<b>"_s : QString(); };
    change.words = [](int row, int column) { return u"<i>%1 %2"_s.arg(row).arg(column); };
    view.setGrid(change);
    QVERIFY(isIn(cellOf(view, 2, 3), QColor::fromRgb(colorAt(ColorMap::BlueRed, 11 / 12.0))));
    QCOMPARE(view.model()->index(0, 0).data().toString(), u"<b>"_s);
    QCOMPARE(view.model()->index(0, 2).data(Qt::AccessibleTextRole).toString(), u"<i>0 2"_s);
    QVERIFY(!Qt::mightBeRichText(view.model()->index(0, 2).data(Qt::ToolTipRole).toString())
            || view.model()->index(0, 2).data(Qt::ToolTipRole).toString().contains(u"&lt;i"_s));
    view.setGrid({});
    QCOMPARE(view.model()->rowCount() * view.model()->columnCount(), 0);
    (void)view.grab();
}

void TestWidgetsGrid::textReadsOnEveryColour()
{
    const auto luminance = [](QRgb color) {
        const auto part = [](int value) {
            const double v = value / 255.0;
            return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * part(qRed(color)) + 0.7152 * part(qGreen(color)) + 0.0722 * part(qBlue(color));
    };
    for (const ColorMap map : {ColorMap::Viridis, ColorMap::BlueRed})
        for (int i = 0; i <= 20; ++i) {
            const QRgb fill = colorAt(map, i / 20.0);
            const double a = luminance(fill), b = luminance(inkOn(fill));
            QVERIFY((std::max(a, b) + 0.05) / (std::min(a, b) + 0.05) >= 4.5); // WCAG 2.1, AA
        }
    GridView view(u"heads"_s);
    view.setGrid(grid());
    view.resize(700, 300);
    for (const int column : {0, 3}) { // on dark and on light
        const QRgb fill = colorAt(ColorMap::Viridis, (8 + column) / 12.0);
        QVERIFY(isIn(cellOf(view, 2, column), QColor::fromRgb(inkOn(fill))));
    }
}

void TestWidgetsGrid::marksAreSeen()
{
    GridView view(u"heads"_s);
    view.resize(700, 300);
    GridData data = grid();
    data.scale = GridScale::SideB;
    data.sparse = true;
    data.cells[0].marks = GridCell::Framed;
    data.cells[1].marks = GridCell::Off;
    data.cells[5].marks = GridCell::Dashed;
    data.cells[2].marks = GridCell::Plain;
    data.columns[1].off = true;
    data.rows[2].strong = true;
    view.setGrid(data);
    const Theme theme = themeOf(view.palette());
    QVERIFY(isIn(cellOf(view, 0, 1), theme.cross) && !isIn(cellOf(view, 0, 0), theme.cross));
    QVERIFY(isIn(view.horizontalHeader()->grab().toImage(), theme.cross));
    QVERIFY(isIn(cellOf(view, 1, 1), theme.muted) && !isIn(cellOf(view, 0, 1), theme.muted)); // dashes
    QVERIFY(isIn(cellOf(view, 0, 2), mixed(theme.base, theme.muted, 0.3)));
    QVERIFY(isIn(cellOf(view, 2, 3), mixed(theme.base, theme.sideB, 0.2 + 0.8 * static_cast<double>(11.0F / 12))));
    QVERIFY(isIn(cellOf(view, 2, 1), theme.text) && !isIn(cellOf(view, 1, 1), theme.text)); // its row is emphasised
    const QImage plain = cellOf(view, 1, 3);
    data.cells[7].marks = GridCell::Hatched;
    view.setGrid(data);
    QVERIFY(cellOf(view, 1, 3) != plain);
}

void TestWidgetsGrid::halfANumberIsNotShown()
{
    GridView view(u"heads"_s);
    view.resize(120, 300);
    view.show();
    GridData data = grid();
    data.letters = 0; // as narrow as the page
    data.cells[11] = {.value = 1234567, .strength = 0.5F};
    view.setGrid(data);
    const QImage number = cellOf(view, 2, 3);
    data.text = [](int, int) { return QString(); };
    view.setGrid(data);
    QVERIFY(cellOf(view, 2, 3) == number);
    data.text = [](int, int) { return u"a word that is cut"_s; };
    view.setGrid(data);
    QVERIFY(cellOf(view, 2, 3) != number);
}

// "0.11" is narrower than "0.08": seen alone it looks as if the other were missing.
void TestWidgetsGrid::numbersAreAllSeenOrNone()
{
    GridView view(u"heads"_s);
    view.show();
    GridData data = grid();
    data.letters = 0;
    for (std::size_t i = 0; i < data.cells.size(); ++i)
        data.cells[i] = {.value = i % 2 == 0 ? 0.11 : 0.08, .strength = 0.5F};
    GridData empty = data;
    empty.text = [](int, int) { return QString(); };
    QSet<int> counts;
    for (int wide = 60; wide <= 300; wide += 4) {
        view.resize(wide, 200);
        view.setGrid(data);
        std::vector<QImage> numbers;
        for (int i = 0; i < 12; ++i)
            numbers.push_back(cellOf(view, i / 4, i % 4));
        view.setGrid(empty);
        int seen = 0;
        for (int i = 0; i < 12; ++i)
            seen += cellOf(view, i / 4, i % 4) == numbers[static_cast<std::size_t>(i)] ? 0 : 1;
        QVERIFY2(seen == 0 || seen == 12, qPrintable(u"%1 px: %2 of 12"_s.arg(wide).arg(seen)));
        counts.insert(seen);
    }
    QCOMPARE(counts.size(), 2); // narrow and wide
}

void TestWidgetsGrid::rowsOfNumbersAreLowBeforeTheyAreScrolled()
{
    GridView view(u"heads"_s);
    view.show();
    view.setGrid(grid()); // three rows
    const int line = view.fontMetrics().ascent() + 2;
    view.resize(300, view.horizontalHeader()->height() + 3 * line + 2 * view.frameWidth());
    QCOMPARE(view.verticalScrollBar()->maximum(), 0);
    QVERIFY(view.rowHeight(0) > view.fontMetrics().ascent());
    view.resize(300, view.height() - line);
    QVERIFY(view.verticalScrollBar()->maximum() > 0);
}

void TestWidgetsGrid::whatIsSeenStaysWhileItFills()
{
    GridView view(u"heads"_s);
    view.resize(300, 200);
    view.show();
    view.setGrid(wide(60));
    QCOMPARE(view.horizontalScrollBar()->value(), view.horizontalScrollBar()->maximum()); // the end is asked about
    view.horizontalScrollBar()->setValue(120);
    view.setCurrentIndex(view.model()->index(1, 7));
    const int seen = view.horizontalScrollBar()->value();
    QSignalSpy reset(view.model(), &QAbstractItemModel::modelReset), changed(&view, &GridView::gridChanged);
    GridData more = wide(60);
    more.cells[8].value = 0.75;
    view.setGrid(more);
    QCOMPARE(reset.count(), 0);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(view.currentIndex(), view.model()->index(1, 7));
    QCOMPARE(view.horizontalScrollBar()->value(), seen);
    QCOMPARE(view.model()->index(0, 8).data(Qt::EditRole).toDouble(), 0.75);
    view.setGrid(wide(61));
    QCOMPARE(reset.count(), 1);
    QVERIFY(!view.currentIndex().isValid());
}

void TestWidgetsGrid::zoomGoesDownToPixels()
{
    GridView view(u"tokens"_s);
    const QAbstractItemModelTester tester(view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    view.resize(800, 300);
    view.show();
    view.setGrid(wide(500));
    QCOMPARE(view.pool(), 1);
    const int readable = view.columnWidth(0);
    QTest::keyClick(&view, Qt::Key_Plus);
    QVERIFY(view.columnWidth(0) > readable);
    QTest::keyClick(&view, Qt::Key_0);
    QCOMPARE(view.columnWidth(0), readable);
    view.setZoom(-100); // all of it is seen at once
    QVERIFY(view.pool() > 1);
    QVERIFY(view.model()->columnCount() * view.columnWidth(0) <= view.viewport()->width());
    QVERIFY(view.model()->index(2, 1).data().toString().isEmpty());
    QVERIFY(view.model()->index(2, 1).data(Qt::AccessibleTextRole).toString().contains(u"zoom in"_s));
    const QColor mean = QColor::fromRgb(colorAt(ColorMap::Viridis, (1 + 0.2F) / 2)); // one of two shines
    QCOMPARE(view.pool(), 2);
    QVERIFY(isIn(view.viewport()->grab().toImage(), mean));
    const QPoint there = view.visualRect(view.model()->index(0, 100)).center();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, there);
    QTest::mouseDClick(view.viewport(), Qt::LeftButton, {}, there);
    QCOMPARE(view.zoom(), 0);
    QCOMPARE(view.model()->columnCount(), 500);
}

// Thousands of rows are there at once, and only those that are seen are asked for.
void TestWidgetsGrid::onlyWhatIsSeenIsPainted()
{
    GridData data = grid();
    data.rows.assign(4096, {.name = u"a"_s});
    data.columns.assign(128, {.name = u"X"_s});
    data.cells.assign(4096 * 128, {.value = 0.5, .strength = 0.5F});
    data.letters = 0;
    int asked = 0;
    data.text = [&asked](int, int) {
        ++asked;
        return u"a"_s;
    };
    GridView view(u"experts"_s);
    view.resize(2600, 400);
    view.setGrid(data);
    view.show();
    (void)view.grab();
    QVERIFY(asked > 128);
    QVERIFY2(asked < 128 * 100, qPrintable(QString::number(asked)));
    view.scrollToBottom();
    QCOMPARE(view.rowAt(view.viewport()->height() - 4), 4095);
    asked = 0;
    view.selectAll(); // half a million cells
    view.setSelectionMode(QAbstractItemView::ContiguousSelection);
    view.selectAll();
    (void)view.grab();
    QVERIFY2(asked < 128 * 100, qPrintable(QString::number(asked)));
}

void TestWidgetsGrid::thousandsOfColumnsAreOneLook()
{
    GridView view(u"heads"_s);
    view.resize(900, 300);
    GridData data = wide(512); // heads
    data.letters = 0;
    view.setGrid(data);
    view.show();
    QVERIFY(view.horizontalScrollBar()->maximum() > 0); // each can be pointed at
    view.setZoom(-100);
    QVERIFY(view.model()->columnCount() * view.columnWidth(0) <= view.viewport()->width());
    QCOMPARE(view.horizontalScrollBar()->maximum(), 0);
    view.resize(400, 300); // what was all of it still is
    QVERIFY(view.model()->columnCount() * view.columnWidth(0) <= 900);
}

void TestWidgetsGrid::keysAndClicksChoose()
{
    GridView view(u"heads"_s);
    view.setGrid(grid());
    view.resize(700, 300);
    view.show();
    QSignalSpy chosen(&view, &GridView::cellChosen), column(&view, &GridView::columnClicked);
    const QPoint there = view.visualRect(view.model()->index(1, 2)).center();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, there);
    QTest::mouseDClick(view.viewport(), Qt::LeftButton, {}, there);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.takeFirst(), (QVariantList{1, 2}));
    view.setFocus();
    view.setCurrentIndex(view.model()->index(0, 3));
    for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Space}) {
        QTest::keyClick(&view, key);
        QCOMPARE(chosen.takeFirst(), (QVariantList{0, 3}));
    }
    QTest::keyClick(&view, Qt::Key_Left);
    QCOMPARE(view.currentIndex().column(), 2);
    QHeaderView& header = *view.horizontalHeader();
    QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, {header.sectionViewportPosition(1) + 5, 5});
    QCOMPARE(column.takeFirst(), QVariantList{1});
    view.setSelectionMode(QAbstractItemView::ExtendedSelection);
    view.selectAll();
    QCOMPARE(view.chosen().size(), 11); // the one without a number cannot be
}

// As a map: a grid that is larger than its view follows the hand, and no cell is chosen by it.
void TestWidgetsGrid::draggingMovesWhatIsLarger()
{
    GridView view(u"heads"_s);
    view.resize(600, 200);
    view.setGrid(wide(512));
    view.show();
    QSignalSpy clicked(&view, &GridView::clicked);
    const auto drag = [&](const QPoint& from, const QPoint& by, Qt::MouseButton button = Qt::LeftButton) {
        QTest::mousePress(view.viewport(), button, {}, from);
        for (const QPoint& at : {from + by / 2, from + by}) {
            QMouseEvent move(QEvent::MouseMove, at, view.viewport()->mapToGlobal(at), Qt::NoButton, button, {});
            QApplication::sendEvent(view.viewport(), &move);
        }
        QTest::mouseRelease(view.viewport(), button, {}, from + by);
    };
    view.horizontalScrollBar()->setValue(500);
    drag({400, 50}, {-120, 0});
    QCOMPARE(view.horizontalScrollBar()->value(), 620);
    drag({200, 50}, {70, 0});
    QCOMPARE(view.horizontalScrollBar()->value(), 550);
    QCOMPARE(clicked.count(), 0);
    drag({200, 50}, {1, 0}); // an unsteady click is one
    QCOMPARE(clicked.count(), 1);
    QCOMPARE(view.horizontalScrollBar()->value(), 550);
    // Where dragging selects, it still does.
    view.setSelectionMode(QAbstractItemView::ExtendedSelection);
    drag({200, 50}, {150, 0});
    QVERIFY(view.selectionModel()->selectedIndexes().size() > 1);
    QCOMPARE(view.horizontalScrollBar()->value(), 550);
    drag({200, 50}, {50, 0}, Qt::MiddleButton);
    QCOMPARE(view.horizontalScrollBar()->value(), 500);
}

void TestWidgetsGrid::fromRightToLeft()
{
    GridView view(u"heads"_s);
    view.setLayoutDirection(Qt::RightToLeft);
    view.setGrid(grid());
    view.resize(700, 300);
    view.show();
    QVERIFY(view.visualRect(view.model()->index(0, 0)).left() > view.visualRect(view.model()->index(0, 3)).left());
    for (int column = 0; column < 4; ++column)
        QVERIFY2(isIn(cellOf(view, 2, column),
                      QColor::fromRgb(colorAt(ColorMap::Viridis, static_cast<float>(8 + column) / 12))),
                 qPrintable(QString::number(column)));
}

void TestWidgetsGrid::columnsAreNamedWhereThereIsRoom()
{
    GridView view(u"experts"_s);
    GridData data = grid();
    for (int column = 0; column < 4; ++column) {
        data.columns[static_cast<std::size_t>(column)].count = 2 * column;
        data.columns[static_cast<std::size_t>(column)].share = column / 3.0;
        data.columns[static_cast<std::size_t>(column)].id = column;
    }
    view.resize(700, 300);
    view.setGrid(grid());
    const int plain = view.horizontalHeader()->height();
    data.scale = GridScale::SideA;
    view.setGrid(data);
    QVERIFY(view.horizontalHeader()->height() > plain);
    QVERIFY(isIn(view.horizontalHeader()->grab().toImage(), themeOf(view.palette()).sideA));
    QVERIFY(isIn(view.horizontalHeader()->grab().toImage(), themeOf(view.palette()).muted)); // letters
}

void TestWidgetsGrid::theTableHasTheSameNumbers()
{
    auto* picture = new GridView(u"heads"_s);
    TabledView view(picture, u"lens"_s);
    view.resize(700, 300);
    picture->setGrid(grid());
    view.show();
    QVERIFY(picture->isVisible() && !view.table()->isVisible());
    picture->setFocus();
    view.setTableShown(true);
    QVERIFY(!picture->isVisible() && view.table()->isVisible());
    const NumberTableModel& table = *view.table()->numbers();
    QCOMPARE(table.rowCount(), 3);
    QCOMPARE(table.headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(), u"layer"_s);
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column) {
            const double value = grid().cell(row, column).value;
            const QModelIndex cell = table.index(row, column + 1);
            QCOMPARE(cell.data(Qt::EditRole).isValid(), !std::isnan(value));
            if (!std::isnan(value))
                QCOMPARE(cell.data(Qt::EditRole).toDouble(), value);
            QVERIFY(cell.data(Qt::AccessibleTextRole).toString().startsWith(u"L%1, H%2: "_s.arg(row).arg(column)));
        }
    GridData more = grid();
    more.cells[11].value = 7; // while it is seen
    picture->setGrid(more);
    QCOMPARE(table.index(2, 4).data(Qt::EditRole).toDouble(), 7.0);
    view.setTableShown(false);
    QVERIFY(picture->isVisible());
    QCOMPARE(view.numbers().text().section(u'\n', 0, 1), u"layer\tH0\tH1\tH2\tH3\nL0\t0\t0.1\t0.2\t0.3"_s);
    QVERIFY(view.numbers().text().endsWith(u"a model\n"_s));
}

void TestWidgetsGrid::whatIsSelectedIsCopied()
{
    auto* picture = new GridView(u"heads"_s);
    TabledView view(picture, QString());
    picture->setSelectionMode(QAbstractItemView::ContiguousSelection);
    picture->setGrid(grid());
    QCOMPARE(copied(view), view.numbers().text()); // nothing is selected
    picture->setCurrentIndex(picture->model()->index(0, 3));
    QCOMPARE(copied(view), u"L0, H3: 0.30\ta model"_s);
    picture->selectionModel()->select({picture->model()->index(0, 1), picture->model()->index(1, 2)},
                                      QItemSelectionModel::ClearAndSelect);
    QCOMPARE(copied(view), u"L0\t0.1\t0.2\nL1\t\t0.6\na model\n"_s);
    view.setTableShown(true);
    view.table()->selectRow(2);
    QCOMPARE(copied(view), u"L2\t0.8\t0.9\t1\t1.1\na model\n"_s);
}

void TestWidgetsGrid::theMenuHasThePagesEntries()
{
    auto* picture = new GridView(u"heads"_s);
    TabledView view(picture, u"lens"_s);
    picture->setGrid(grid());
    view.resize(700, 300);
    view.show();
    connect(&view, &TabledView::menuAboutToShow, &view,
            [](QMenu* menu, int row, int column) { menu->addAction(u"own %1 %2"_s.arg(row).arg(column)); });
    QSignalSpy saved(&view, &TabledView::saveRequested), drawn(&view, &TabledView::figureRequested);
    Q_EMIT picture->menuRequested(1, 2, QPoint(5, 5));
    QMenu* menu = view.findChild<QMenu*>();
    QVERIFY(menu);
    QStringList entries;
    for (QAction* action : menu->actions()) {
        entries += action->text();
        if (action->text().contains(u"ave the numbers"_s) || action->text().contains(u"figure"_s))
            action->trigger();
    }
    QVERIFY2(entries.contains(u"own 1 2"_s), qPrintable(entries.join(u'|')));
    QCOMPARE(saved.count() + drawn.count(), 2);
    menu->close();
}

void TestWidgetsGrid::barsEndInTheirSum()
{
    BarsView bars(u"parts"_s, u"adds"_s);
    const QAbstractItemModelTester tester(bars.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    bars.setBars({{u"embed"_s, 0.5, false}, {u"L2H5"_s, 8.0, true}, {u"L3.mlp"_s, -1.25, false}});
    QStringList names;
    for (int row = 0; row < bars.model()->rowCount(); ++row)
        names += bars.model()->index(row, 0).data().toString();
    QCOMPARE(names, (QStringList{u"L2H5"_s, u"L3.mlp"_s, u"embed"_s, u"sum"_s}));
    QCOMPARE(bars.model()->index(3, 1).data().toString(), u"+7.25"_s);
    QCOMPARE(bars.sum(), 7.25);
    bars.resize(300, 300);
    bars.show();
    const Theme theme = themeOf(bars.palette());
    QVERIFY(isIn(bars.grab().toImage(), theme.good) && isIn(bars.grab().toImage(), theme.bad));
    QSignalSpy chosen(&bars, &BarsView::partChosen), selected(&bars, &BarsView::headSelected);
    const QRect row = bars.visualRect(bars.model()->index(0, 0));
    QTest::mouseClick(bars.viewport(), Qt::LeftButton, {}, row.center());
    QCOMPARE(selected.takeLast(), QVariantList{u"L2H5"_s});
    QTest::mouseDClick(bars.viewport(), Qt::LeftButton, {}, row.center());
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.takeFirst(), QVariantList{u"L2H5"_s});
    bars.setCurrentIndex(bars.model()->index(1, 0));
    QCOMPARE(selected.takeLast(), QVariantList{QString()}); // no head
    QTest::keyClick(&bars, Qt::Key_Return);
    QCOMPARE(chosen.takeFirst(), QVariantList{u"L3.mlp"_s});
    bars.setBars({});
    QCOMPARE(bars.model()->rowCount(), 0);
}

void TestWidgetsGrid::barsHaveATableToo()
{
    auto* bars = new BarsView(u"parts"_s, u"adds"_s);
    TabledView view(bars, u"attribution"_s);
    bars->setBars({{u"embed"_s, 0.5, false, 0.25, 0.75}, {u"L2H5"_s, 8.0, true}});
    view.setTableShown(true);
    QCOMPARE(view.table()->numbers()->columnCount(), 4); // and the interval's ends
    QCOMPARE(view.table()->numbers()->index(1, 2).data(Qt::EditRole).toDouble(), 0.25);
    QCOMPARE(bars->model()->index(1, 1).data(Qt::AccessibleTextRole).toString(),
             u"embed: +0.50 (95 % interval +0.25 to +0.75)"_s);
}

void TestWidgetsGrid::smallMultiplesAreNamed()
{
    GridsView several(u"probes"_s);
    several.resize(1000, 300);
    several.show();
    several.setGrids({u"induction"_s, u"sink"_s, u"previous"_s}, {grid(), grid(), grid()});
    QCOMPARE(several.grids().size(), 3U);
    QCOMPARE(several.grids()[1]->accessibleName(), u"probes: sink"_s);
    QCoreApplication::processEvents();
    QCOMPARE(several.grids()[0]->y(), several.grids()[2]->y()); // there is room
    several.resize(310, 600);
    QCoreApplication::processEvents();
    QVERIFY(several.grids()[0]->y() < several.grids()[2]->y());
    QSignalSpy chosen(&several, &GridsView::cellChosen);
    Q_EMIT several.grids()[2]->cellChosen(1, 2);
    QCOMPARE(chosen.takeFirst(), (QVariantList{1, 2}));
    several.setGrids({u"induction"_s}, {grid()});
    QVERIFY(several.grids()[0]->isVisible() && !several.grids()[1]->isVisible());
}

void TestWidgetsGrid::wordsAndNumbersAreSorted()
{
    NumberTable table(u"numbers"_s);
    const QAbstractItemModelTester tester(table.numbers(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    table.setNumbers({.columns = {u"head"_s, u"score"_s},
                      .rows = {{u"L0H0"_s, 0.25}, {u"L0H1"_s, std::nan("")}, {u"L0H2"_s, -1.5}},
                      .of = {}});
    QCOMPARE(table.model()->index(0, 0).data().toString(), u"L0H0"_s); // as they come
    table.sortByColumn(1, Qt::AscendingOrder);
    QCOMPARE(table.model()->index(0, 0).data().toString(), u"L0H1"_s); // not known
    QCOMPARE(table.model()->index(1, 0).data().toString(), u"L0H2"_s);
    QSignalSpy chosen(&table, &NumberTable::rowChosen);
    Q_EMIT table.doubleClicked(table.model()->index(2, 1));
    QCOMPARE(chosen.front().front().toString(), u"L0H0"_s);
}

QTEST_MAIN(TestWidgetsGrid)
#include "tst_widgets_grid.moc"

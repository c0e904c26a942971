// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/views/gridview.h"

#include "widgets/look/colormap.h"
#include "widgets/look/theme.h"
#include "widgets/why/views/gridheader.h"
#include "widgets/why/views/gridmodel.h"

#include <QApplication>
#include <QEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::widgets {

namespace {

constexpr int kLargest = 8;                 // steps
constexpr std::size_t kMostMeasured = 4096; // cells
constexpr double kSmallestNumbers = 0.78;   // of the view's letters
constexpr double kStep = 1.25;
constexpr int kWideCell = 96, kHighCell = 96, kPointed = 8, kPixels = 2, kAroundNumber = 4; // pixels of a cell
constexpr int kRoomy = 30;                                                                  // a cell with round corners
constexpr double kWeakest = 0.2; // of a side's colour, so that no cell with a value looks empty
constexpr double kAblatedFill = 0.35, kPlainFill = 0.3;

} // namespace

GridView::GridView(const QString& name, QWidget* parent)
    : QTableView(parent), m_model(new GridModel(this)), m_top(new GridHeader(Qt::Horizontal, m_model, this)),
      m_left(new GridHeader(Qt::Vertical, m_model, this))
{
    setModel(m_model);
    setHorizontalHeader(m_top);
    setVerticalHeader(m_left);
    setAccessibleName(name);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setTabKeyNavigation(false);
    setShowGrid(false);
    setCornerButtonEnabled(false);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    connect(this, &QTableView::doubleClicked, this, &GridView::choose);
    connect(m_top, &QHeaderView::sectionClicked, this, [this](int section) {
        if (pool() == 1)
            Q_EMIT columnClicked(section);
    });
    setContextMenuPolicy(Qt::CustomContextMenu);
    connect(this, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
        const QModelIndex index = indexAt(at);
        Q_EMIT menuRequested(index.row(), index.column(), viewport()->mapToGlobal(at));
    });
    m_top->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_top, &QWidget::customContextMenuRequested, this,
            [this](const QPoint& at) { Q_EMIT menuRequested(-1, m_top->logicalIndexAt(at), m_top->mapToGlobal(at)); });
}

const GridData& GridView::grid() const
{
    return m_model->grid();
}

int GridView::pool() const
{
    return m_model->pool();
}

void GridView::setGrid(GridData grid)
{
    const bool same = m_model->setGrid(std::move(grid));
    m_top->measure();
    m_left->measure();
    measureNumbers();
    setZoom(m_zoom);
    if (!same && this->grid().fromEnd)
        horizontalScrollBar()->setValue(horizontalScrollBar()->maximum());
    viewport()->update();
    Q_EMIT gridChanged();
}

void GridView::measureNumbers()
{
    m_widestNumber = 0;
    const std::size_t columns = grid().columns.size();
    if (grid().text || grid().cells.size() > kMostMeasured)
        return;
    for (std::size_t i = 0; i < grid().cells.size(); ++i)
        m_widestNumber = std::max(m_widestNumber, QFontMetricsF(font()).horizontalAdvance(grid().cellText(
                                                      static_cast<int>(i / columns), static_cast<int>(i % columns))));
}

// Some numbers and gaps between them look as if the others were missing: all of a grid are seen, or none.
QFont GridView::cellFont() const
{
    QFont letters = font();
    double scale = grid().letters > 0 && m_zoom > 0 ? std::pow(kStep, m_zoom) : 1;
    if (m_widestNumber > 0)
        scale = std::min(scale, (m_top->defaultSectionSize() - kAroundNumber) / m_widestNumber);
    letters.setPointSizeF(letters.pointSizeF() * std::max(scale, kSmallestNumbers));
    return letters;
}

void GridView::choose(const QModelIndex& index)
{
    if (!index.isValid())
        return;
    if (pool() > 1)
        setZoom(0);
    else
        Q_EMIT cellChosen(index.row(), index.column());
}

QList<std::pair<int, int>> GridView::chosen() const
{
    QList<std::pair<int, int>> cells;
    for (const QModelIndex& index : selectionModel()->selectedIndexes())
        if (index.data(Qt::EditRole).isValid())
            cells.append({index.row(), index.column()});
    return cells;
}

double GridView::widthAt(int zoom) const
{
    const auto columns = static_cast<int>(std::max<std::size_t>(grid().columns.size(), 1));
    const int least = grid().letters > 0 ? grid().letters * fontMetrics().averageCharWidth() + kPointed : kPointed;
    return std::clamp(viewport()->width() / columns, least, std::max(least, kWideCell)) * std::pow(kStep, zoom);
}

// Until all columns are seen at once; columns thinner than a pixel or two are shown as means of two, of four ...
int GridView::lowestZoom() const
{
    int step = 0;
    for (const auto columns = static_cast<double>(grid().columns.size());
         columns * widthAt(step) > viewport()->width() && widthAt(step) > 1e-3; --step) {
    }
    return step;
}

void GridView::setZoom(int step)
{
    const int centre = columnAt(viewport()->width() / 2) * pool(), was = m_zoom;
    m_zoom = std::clamp(step, lowestZoom(), kLargest);
    int together = 1;
    while (widthAt(m_zoom) * together < kPixels)
        together *= 2;
    m_model->setPool(together);
    fitCells();
    if (was != m_zoom && centre >= 0 && m_model->columnCount() > 0)
        scrollTo(m_model->index(std::max(rowAt(viewport()->height() / 2), 0),
                                std::min(centre / pool(), m_model->columnCount() - 1)),
                 QAbstractItemView::PositionAtCenter);
}

// Fixed sizes: thousands of rows are not asked how large they would like to be.
void GridView::fitCells()
{
    const auto rows = static_cast<int>(std::max<std::size_t>(grid().rows.size(), 1));
    // Rows of numbers are as low as a number can be before they are scrolled to.
    const int room = viewport()->height() / rows,
              least = grid().text ? fontMetrics().height() + 4 : fontMetrics().ascent() + 2;
    const double high = std::clamp(room, least, kHighCell) * std::pow(kStep, m_zoom);
    // From afar rows become as low as all of them need, and no lower.
    m_left->setDefaultSectionSize(static_cast<int>(m_zoom < 0 ? std::clamp<double>(room, kPixels, least) : high));
    m_top->setDefaultSectionSize(static_cast<int>(std::max<double>(widthAt(m_zoom) * pool(), kPixels)));
    if (pool() == 1 && !grid().columns.empty() && grid().columns.front().id < 0 && grid().columns.front().count >= 0)
        m_top->resizeSection(0, std::max(m_top->defaultSectionSize(), m_top->roomOf(grid().columns.front())));
    updateGeometries(); // updates the ranges of the scroll bars at once
}

QColor GridView::fillOf(const GridCell& cell, const Theme& theme) const
{
    if (std::isnan(cell.strength))
        return grid().sparse ? theme.base : theme.unused;
    switch (grid().scale) {
    case GridScale::Sequential: return QColor::fromRgb(colorAt(ColorMap::Viridis, cell.strength));
    case GridScale::Signed: return QColor::fromRgb(colorAt(ColorMap::BlueRed, cell.strength));
    default: break;
    }
    if (cell.marks & GridCell::Plain)
        return mixed(theme.base, theme.muted, kPlainFill);
    const double strength = kWeakest + (1 - kWeakest) * std::clamp<double>(cell.strength, 0, 1);
    return mixed(theme.base, sideColor(theme, sideOf(grid().scale)),
                 cell.marks & GridCell::Off ? strength * kAblatedFill : strength);
}

void GridView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    const Theme theme = themeOf(palette());
    painter.fillRect(viewport()->rect(), theme.base);
    const int rows = m_model->rowCount(), columns = m_model->columnCount();
    if (rows == 0 || columns == 0)
        return;
    const auto within = [](int index, int count) { return index < 0 ? count - 1 : index; };
    const int left = columnAt(0), right = columnAt(viewport()->width() - 1);
    const QRect seen(
        QPoint(std::max(isRightToLeft() ? right : left, 0), std::max(rowAt(0), 0)),
        QPoint(within(isRightToLeft() ? left : right, columns), within(rowAt(viewport()->height() - 1), rows)));
    painter.setFont(cellFont());
    for (int row = seen.top(); row <= seen.bottom(); ++row)
        for (int column = seen.left(); column <= seen.right(); ++column)
            paintCell(painter,
                      {columnViewportPosition(column), rowViewportPosition(row), columnWidth(column), rowHeight(row)},
                      row, column, theme);
    paintLines(painter, theme);
    painter.setPen(QPen(theme.crosshair, 2));
    painter.setBrush(Qt::NoBrush);
    for (const QItemSelectionRange& range : selectionModel()->selection()) {
        const QRect cells = seen & QRect(QPoint(range.left(), range.top()), QPoint(range.right(), range.bottom()));
        for (int row = cells.top(); row <= cells.bottom(); ++row)
            for (int column = cells.left(); column <= cells.right(); ++column)
                painter.drawRect(visualRect(m_model->index(row, column)).adjusted(1, 1, -1, -1));
    }
}

// Draws lines on both sides of an emphasised row or column.
void GridView::paintLines(QPainter& painter, const Theme& theme) const
{
    painter.setPen(theme.text);
    const QRect all = viewport()->rect();
    for (int column = 0; column < m_model->columnCount(); ++column)
        if (const GridLine* line = m_model->line(column, Qt::Horizontal); line && line->strong) {
            const int left = columnViewportPosition(column), right = left + columnWidth(column) - 1,
                      bottom = rowViewportPosition(m_model->rowCount() - 1) + rowHeight(m_model->rowCount() - 1);
            painter.drawLine(left, 0, left, bottom);
            painter.drawLine(right, 0, right, bottom);
        }
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (m_model->line(row, Qt::Vertical)->strong) {
            const QRect place = visualRect(m_model->index(row, 0));
            painter.drawLine(all.left(), place.top(), all.right(), place.top());
            painter.drawLine(all.left(), place.bottom(), all.right(), place.bottom());
        }
}

void GridView::paintCell(QPainter& painter, const QRect& place, int row, int column, const Theme& theme) const
{
    const GridCell own = m_model->shownCell(row, column);
    const QColor fill = fillOf(own, theme);
    if (place.width() < 2 * kPixels || place.height() < 2 * kPixels)
        return painter.fillRect(place, fill);
    const bool roomy = place.height() >= kRoomy && place.width() >= kRoomy;
    const QRect cell = roomy ? place.adjusted(1, 1, -1, -1) : place.adjusted(0, 0, -1, -1);
    if (grid().sparse && std::isnan(own.strength)) {
        painter.setPen(theme.faint);
        painter.drawLine(place.bottomLeft(), place.bottomRight());
    } else if (roomy) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawRoundedRect(cell, 5, 5);
        painter.setRenderHint(QPainter::Antialiasing, false);
    } else {
        painter.fillRect(cell, fill);
    }
    const int room = cell.width() - 2;
    const QFontMetricsF metrics = painter.fontMetrics();
    if (pool() == 1 && room > 2 * metrics.averageCharWidth() && cell.height() >= metrics.ascent()) {
        QString text = grid().cellText(row, column);
        if (grid().text)
            text = metrics.elidedText(text, Qt::ElideRight, room);
        else if (std::max(metrics.horizontalAdvance(text), m_widestNumber * kSmallestNumbers) > room) // half is another
            text.clear();
        painter.setPen(QColor::fromRgb(inkOn(fill.rgb())));
        painter.drawText(cell, Qt::AlignCenter, text);
    }
    if (own.marks != 0)
        paintMarks(painter, cell, own, fill, theme);
}

void GridView::paintMarks(QPainter& painter, const QRect& cell, const GridCell& own, const QColor& fill,
                          const Theme& theme) const
{
    const QColor ink = QColor::fromRgb(inkOn(fill.rgb()));
    if (own.marks & GridCell::Hatched)
        painter.fillRect(cell, QBrush(ink, Qt::BDiagPattern));
    if (own.marks & GridCell::Off && !std::isnan(own.strength)) {
        painter.setPen(theme.cross);
        painter.drawLine(cell.bottomLeft(), cell.topRight());
    }
    if (!(own.marks & (GridCell::Framed | GridCell::Dashed)))
        return;
    const bool framed = own.marks & GridCell::Framed;
    painter.setPen(framed ? QPen(ink, cell.height() < kRoomy ? 1 : 2) : QPen(theme.muted, 1, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(cell.adjusted(1, 1, -2, -2));
}

void GridView::wheelEvent(QWheelEvent* event)
{
    if (!event->modifiers().testFlag(Qt::ControlModifier) || event->angleDelta().y() == 0)
        return QTableView::wheelEvent(event);
    setZoom(m_zoom + (event->angleDelta().y() > 0 ? 1 : -1));
    event->accept();
}

void GridView::mousePressEvent(QMouseEvent* event)
{
    QTableView::mousePressEvent(event);
    const bool selects = selectionMode() != SingleSelection; // several cells, by dragging over them
    if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && !selects))
        m_held = event->pos();
}

// Dragging moves a grid that is larger than its view, as it moves a map; where it selects, the middle button does.
void GridView::mouseMoveEvent(QMouseEvent* event)
{
    const bool movable = horizontalScrollBar()->maximum() > 0 || verticalScrollBar()->maximum() > 0;
    if (!m_held || !movable)
        return QTableView::mouseMoveEvent(event);
    const QPoint by = event->pos() - *m_held;
    if (!m_panning && by.manhattanLength() < QApplication::startDragDistance())
        return;
    m_panning = true;
    m_held = event->pos();
    viewport()->setCursor(Qt::ClosedHandCursor);
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - by.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() - by.y());
}

void GridView::mouseReleaseEvent(QMouseEvent* event)
{
    m_held.reset();
    if (!std::exchange(m_panning, false))
        return QTableView::mouseReleaseEvent(event);
    setState(NoState); // and no cell was clicked
    viewport()->unsetCursor();
}

void GridView::keyPressEvent(QKeyEvent* event)
{
    const bool plain = (event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)) == 0;
    switch (plain ? event->key() : 0) {
    case Qt::Key_Plus: return setZoom(m_zoom + 1);
    case Qt::Key_Minus: return setZoom(m_zoom - 1);
    case Qt::Key_0: return setZoom(0);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space: return choose(currentIndex());
    default: QTableView::keyPressEvent(event);
    }
}

void GridView::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    setZoom(m_zoom);
}

void GridView::changeEvent(QEvent* event)
{
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        m_top->measure();
        m_left->measure();
        measureNumbers();
        setZoom(m_zoom);
    }
}

} // namespace headscope::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/headmapview.h"

#include "widgets/heads/headmapdelegate.h"
#include "widgets/heads/headmapoverview.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSignalBlocker>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kSmallest = 6; // pixels: 32 heads fit a column of 248
constexpr int kLargestCell = 40;
constexpr int kEasyToHit = 18; // height of narrow cells, where there is room
constexpr int kFew = 16;       // heads in a layer, up to which each cell is a square of at least
constexpr int kFewLayers = 6;
constexpr int kOfFew = 22; // ... so many pixels; more than fit are scrolled to
constexpr int kClose = 12; // least width of cells that are looked at closer
constexpr double kMapZoomStep = 1.25;

} // namespace

HeadMapView::HeadMapView(QWidget* parent) : QTableView(parent), m_overview(new HeadMapOverview(this))
{
    setItemDelegate(new HeadMapDelegate(this));
    setHorizontalHeader(new HeadMapHeader(Qt::Horizontal, this));
    setVerticalHeader(new HeadMapHeader(Qt::Vertical, this));
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers); // F2 is an action of ours
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setCornerButtonEnabled(false);
    for (auto* corner : findChildren<QAbstractButton*>(QString(), Qt::FindDirectChildrenOnly))
        corner->installEventFilter(this);
    setMouseTracking(true);
    setTabKeyNavigation(false);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    setAccessibleName(tr("Head map"));
    setWhatsThis(tr("Layers from top to bottom, heads from left to right. Click a head to ablate or restore it, "
                    "Ctrl+click to view it only. Drag to select, Alt+drag to select with a lasso, Shift+click "
                    "to extend. K keeps only the selection, Space ablates the current head, Enter opens a block "
                    "of channels. Ctrl+wheel zooms, the middle button moves the map."));
    buildActions();
    connect(verticalHeader(), &QHeaderView::sectionClicked, this, &HeadMapView::rowClicked);
}

void HeadMapView::buildActions()
{
    setContextMenuPolicy(Qt::ActionsContextMenu);
    const auto add = [this](const QString& name, const QKeySequence& key, auto act) {
        auto* action = new QAction(name, this);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, [this, act] {
            if (const QList<HeadSpan> heads = selectedHeads(); !heads.isEmpty() && currentIndex().isValid())
                act(heads);
        });
        addAction(action);
        return action;
    };
    const auto separator = [this] {
        auto* action = new QAction(this);
        action->setSeparator(true);
        addAction(action);
    };
    using Heads = const QList<HeadSpan>&;
    add(tr("Ablate this head or restore it"), Qt::Key_Space, [this](Heads) { toggle({currentHead()}); });
    add(tr("Ablate the selection or restore it"), QKeySequence(Qt::SHIFT | Qt::Key_Space),
        [this](Heads heads) { toggle(heads); });
    add(tr("Ablate the whole layer or restore it"), Qt::Key_L, [this](Heads) { rowClicked(currentIndex().row()); });
    m_page = add(tr("What this head does on many texts"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_H),
                 [this](Heads) { Q_EMIT cardRequested(currentHead()); });
    add(tr("Keep only the selection"), Qt::Key_K, [this](Heads heads) { Q_EMIT keepOnlyRequested(heads); });
    separator();
    add(tr("Replace the output by zero"), Qt::Key_Z,
        [this](Heads heads) { Q_EMIT cutRequested(heads, HeadCut::Zero); });
    add(tr("Replace the output by its mean"), Qt::Key_M,
        [this](Heads heads) { Q_EMIT cutRequested(heads, HeadCut::Mean); });
    add(tr("Replace the output by that of another prompt"), Qt::Key_E,
        [this](Heads heads) { Q_EMIT cutRequested(heads, HeadCut::Resample); });
    add(tr("Ablate at the last token only"), QKeySequence(Qt::SHIFT | Qt::Key_T),
        [this](Heads heads) { Q_EMIT lastRowOnlyRequested(heads); });
    separator();
    add(tr("Zoom in"), Qt::Key_Plus,
        [this](Heads) { zoomAt(m_zoom * kMapZoomStep, visualRect(currentIndex()).center()); });
    add(tr("Zoom out"), Qt::Key_Minus,
        [this](Heads) { zoomAt(m_zoom / kMapZoomStep, visualRect(currentIndex()).center()); });
    add(tr("Fit the map"), Qt::Key_0, [this](Heads) { setZoom(1); });
    separator();
    add(tr("Open or close this block of channels"), Qt::Key_Return, [this](Heads) {
        if (m_model->canOpen(currentIndex()))
            m_model->setBlockOpen(currentIndex(), !currentIndex().data(HeadMapModel::OpenRole).toBool());
    });
    add(tr("Name this head …"), Qt::Key_F2, [this](Heads) {
        if (state() != EditingState && currentIndex().flags().testFlag(Qt::ItemIsEditable))
            edit(currentIndex());
    });
    auto* colour = new QAction(tr("Mark with a colour"), this);
    colour->setMenu(colorMenu());
    addAction(colour);
    add(tr("Copy the name"), QKeySequence::Copy,
        [this](Heads) { QApplication::clipboard()->setText(currentHead().text()); });
}

QMenu* HeadMapView::colorMenu()
{
    auto* menu = new QMenu(this);
    const auto add = [this, menu](const QString& name, const QColor& color) {
        QPixmap patch(12, 12);
        patch.fill(color.isValid() ? color : QColor(Qt::transparent));
        connect(menu->addAction(QIcon(patch), name), &QAction::triggered, this, [this, color] {
            if (const QList<HeadSpan> heads = selectedHeads(); !heads.isEmpty())
                Q_EMIT colorRequested(heads, color);
        });
    };
    // Okabe and Ito's colours, told apart by colour-blind people too.
    add(tr("orange"), QColor(0xE6, 0x9F, 0x00));
    add(tr("sky blue"), QColor(0x56, 0xB4, 0xE9));
    add(tr("green"), QColor(0x00, 0x9E, 0x73));
    add(tr("blue"), QColor(0x00, 0x72, 0xB2));
    add(tr("vermilion"), QColor(0xD5, 0x5E, 0x00));
    add(tr("purple"), QColor(0xCC, 0x79, 0xA7));
    menu->addSeparator();
    add(tr("no colour"), {});
    return menu;
}

void HeadMapView::setHeadModel(HeadMapModel* model)
{
    m_model = model;
    setModel(model);
    connect(model, &QAbstractItemModel::modelReset, this, [this] {
        m_zoom = 1;
        fitCells();
    });
    connect(model, &QAbstractItemModel::rowsInserted, this, &HeadMapView::fitCells);
    connect(model, &QAbstractItemModel::rowsRemoved, this, &HeadMapView::fitCells);
    fitCells();
}

QList<HeadSpan> HeadMapView::selectedHeads() const
{
    if (!m_model || !selectionModel())
        return {};
    QModelIndexList indexes = selectionModel()->selectedIndexes();
    if (indexes.isEmpty() && currentIndex().isValid())
        indexes.append(currentIndex());
    std::sort(indexes.begin(), indexes.end());
    QList<HeadSpan> heads;
    for (const QModelIndex& index : indexes) {
        const HeadSpan span = m_model->spanAt(index);
        if (span.count == 0)
            continue;
        HeadSpan* last = heads.isEmpty() ? nullptr : &heads.back();
        if (last && last->layer == span.layer && last->kind == span.kind && last->first + last->count == span.first)
            last->count += span.count;
        else
            heads.append(span);
    }
    return heads;
}

HeadSpan HeadMapView::currentHead() const
{
    return m_model ? m_model->spanAt(currentIndex()) : HeadSpan{0, HeadKind::Attention, 0, 0};
}

void HeadMapView::setCurrentHead(const HeadSpan& head)
{
    const QModelIndex index = m_model ? m_model->indexOf(head) : QModelIndex();
    if (index.isValid())
        selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect);
}

void HeadMapView::setSelectedHeads(const QList<HeadSpan>& heads)
{
    QItemSelection selection;
    for (const HeadSpan& head : heads)
        if (const QModelIndex index = m_model ? m_model->indexOf(head) : QModelIndex(); index.isValid())
            selection.select(index, index);
    const QSignalBlocker quiet(this);
    selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
}

QSize HeadMapView::cellSize() const
{
    return {horizontalHeader()->defaultSectionSize(), verticalHeader()->defaultSectionSize()};
}

QSize HeadMapView::sizeHint() const
{
    const int rows = m_model ? m_model->rowCount() : 0;
    const bool few = m_model && m_model->columnCount() <= kFew;
    const int high = few && rows > 0 ? squareByWidth(width()) : std::max(cellSize().width(), kEasyToHit);
    return {240, horizontalHeader()->sizeHint().height() + std::max(4, rows) * high + 2};
}

QSize HeadMapView::minimumSizeHint() const
{
    // Few layers are all seen at once; many scroll.
    const int rows = m_model ? m_model->rowCount() : 0;
    const bool few = rows > 0 && rows <= kFewLayers && m_model->columnCount() <= kFew;
    return {120, few ? horizontalHeader()->sizeHint().height() + rows * kOfFew + 2 : 64};
}

int HeadMapView::squareByWidth(int room) const
{
    return std::clamp((room - verticalHeader()->sizeHint().width() - 2) / m_model->columnCount(), kOfFew, kLargestCell);
}

QSize HeadMapView::fittingCells() const
{
    const int columns = m_model->columnCount();
    const int rows = m_model->rowCount();
    const int roomX = width() - verticalHeader()->sizeHint().width() - 2;
    const int roomY = height() - horizontalHeader()->sizeHint().height() - 2;
    const int bar = verticalScrollBar()->sizeHint().width(); // takes its room from the cells, not the other way round
    if (columns <= kFew) {                                   // all layers where they fit, even if smaller
        const int wide = squareByWidth(width()), high = roomY / rows;
        const int side = high >= wide ? wide : high >= kOfFew ? high : squareByWidth(width() - bar);
        return {side, side};
    }
    int wide = std::clamp(roomX / columns, kSmallest, kLargestCell);
    if (rows * kSmallest > roomY)
        wide = std::clamp((roomX - bar) / columns, kSmallest, kLargestCell);
    return {wide, std::clamp(roomY / rows, kSmallest, std::max(wide, kEasyToHit))};
}

void HeadMapView::fitCells()
{
    if (!m_model || m_model->columnCount() == 0 || m_model->rowCount() == 0)
        return;
    verticalHeader()->updateGeometry();
    const QSize fitting = fittingCells();
    QSize cell = fitting;
    if (m_zoom > 1) {
        const auto closer = [this](int side) {
            return std::max(side, std::min(std::max(static_cast<int>(side * m_zoom), kClose), kLargestCell));
        };
        cell = {closer(fitting.width()), closer(fitting.height())};
    }
    if (cellSize() != cell) {
        horizontalHeader()->setDefaultSectionSize(cell.width());
        verticalHeader()->setDefaultSectionSize(cell.height());
        updateGeometry();
    }
    m_overview->follow();
}

void HeadMapView::setZoom(double zoom)
{
    zoomAt(zoom, viewport()->rect().center());
}

// What lies at `place` stays there.
void HeadMapView::zoomAt(double zoom, QPoint place)
{
    if (!m_model || m_model->columnCount() == 0 || m_model->rowCount() == 0)
        return;
    const QSize fitting = fittingCells(), before = cellSize();
    const double most = std::max(1.0, static_cast<double>(kLargestCell) / std::min(fitting.width(), fitting.height()));
    const double wanted = std::clamp(zoom, 1.0, most);
    // From cells that are too small to look at, the first step goes to those that are not.
    const bool first = m_zoom == 1 && wanted > 1;
    m_zoom = first ? std::min(most, std::max(wanted, static_cast<double>(kClose) / fitting.width())) : wanted;
    if (m_zoom * fitting.width() < kClose)
        m_zoom = 1;
    const QPointF at(static_cast<double>(place.x() + horizontalHeader()->offset()) / before.width(),
                     static_cast<double>(place.y() + verticalHeader()->offset()) / before.height());
    fitCells();
    updateGeometries();
    horizontalScrollBar()->setValue(static_cast<int>(at.x() * cellSize().width()) - place.x());
    verticalScrollBar()->setValue(static_cast<int>(at.y() * cellSize().height()) - place.y());
}

void HeadMapView::wheelEvent(QWheelEvent* event)
{
    if (event->modifiers() != Qt::ControlModifier)
        return QTableView::wheelEvent(event);
    if (const int turned = event->angleDelta().y(); turned != 0)
        zoomAt(turned > 0 ? m_zoom * kMapZoomStep : m_zoom / kMapZoomStep, event->position().toPoint());
    event->accept();
}

void HeadMapView::toggle(const QList<HeadSpan>& heads)
{
    if (heads.isEmpty())
        return;
    const bool off = std::all_of(heads.begin(), heads.end(), [this](const HeadSpan& h) { return m_model->allOff(h); });
    Q_EMIT switchRequested(heads, !off);
}

void HeadMapView::rowClicked(int row)
{
    if (m_model)
        toggle({m_model->rowSpan(row)});
}

void HeadMapView::mousePressEvent(QMouseEvent* event)
{
    m_pressed = indexAt(event->position().toPoint());
    m_pressedAt = event->position().toPoint();
    m_switches = event->button() == Qt::LeftButton
                 && event->modifiers() == (m_clickLooks ? Qt::ControlModifier : Qt::NoModifier);
    if (event->button() == Qt::MiddleButton) {
        m_pan = m_pressedAt;
        setCursor(Qt::ClosedHandCursor);
        return;
    }
    if (event->button() == Qt::LeftButton && event->modifiers() == Qt::ControlModifier) {
        if (m_pressed.isValid())
            setCurrentHead(m_model->spanAt(m_pressed)); // selects nothing
        return;
    }
    if (event->button() == Qt::LeftButton && event->modifiers() == Qt::AltModifier) {
        m_loop = {m_pressedAt};
        return;
    }
    // A right click inside a selection acts on all of it.
    if (event->button() == Qt::RightButton && selectionModel() && selectionModel()->isSelected(m_pressed))
        return;
    QTableView::mousePressEvent(event);
}

void HeadMapView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_pan) {
        const QPoint now = event->position().toPoint();
        const QPoint moved = now - *m_pan;
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - moved.x());
        verticalScrollBar()->setValue(verticalScrollBar()->value() - moved.y());
        m_pan = now;
        return;
    }
    if (!m_loop.isEmpty()) {
        m_loop.append(event->position().toPoint());
        viewport()->update();
        return;
    }
    if (event->buttons() == Qt::NoButton && m_model) {
        const HeadSpan span = m_model->spanAt(indexAt(event->position().toPoint()));
        if (span.count > 0)
            Q_EMIT headHovered(span);
    }
    QTableView::mouseMoveEvent(event);
}

void HeadMapView::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_pan) {
        m_pan.reset();
        unsetCursor();
        return;
    }
    if (!m_loop.isEmpty()) {
        selectInside(m_loop);
        m_loop.clear();
        viewport()->update();
        return;
    }
    QTableView::mouseReleaseEvent(event);
    const bool still =
        (event->position().toPoint() - m_pressedAt).manhattanLength() < QApplication::startDragDistance();
    const QModelIndex index = indexAt(event->position().toPoint());
    if (m_switches && still && index.isValid() && index == m_pressed) {
        toggle({m_model->spanAt(index)});
        if (m_secondPress)
            Q_EMIT headDoubleClicked(m_model->spanAt(index));
    }
    m_switches = m_secondPress = false;
}

void HeadMapView::selectInside(const QPolygon& loop)
{
    QItemSelection inside;
    for (int row = 0; m_model && row < m_model->rowCount(); ++row)
        for (int col = 0; col < m_model->columnCount(); ++col)
            if (const QModelIndex index = m_model->index(row, col);
                m_model->spanAt(index).count > 0 && loop.containsPoint(visualRect(index).center(), Qt::OddEvenFill))
                inside.select(index, index);
    if (!inside.isEmpty())
        selectionModel()->select(inside, QItemSelectionModel::ClearAndSelect);
}

void HeadMapView::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    if (m_loop.size() < 2)
        return;
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    QColor fill = palette().color(QPalette::Highlight);
    painter.setPen(QPen(fill, 1.5));
    fill.setAlphaF(0.2F);
    painter.setBrush(fill);
    painter.drawPolygon(m_loop);
}

void HeadMapView::mouseDoubleClickEvent(QMouseEvent* event)
{
    mousePressEvent(event); // two quick clicks are two clicks: off and on again
    m_secondPress = m_switches;
}

void HeadMapView::resizeEvent(QResizeEvent* event)
{
    fitCells();
    QTableView::resizeEvent(event);
}

void HeadMapView::changeEvent(QEvent* event)
{
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitCells();
}

bool HeadMapView::eventFilter(QObject* watched, QEvent* event)
{
    // The corner between the labels stays empty.
    if (event->type() == QEvent::Paint && qobject_cast<QAbstractButton*>(watched))
        return true;
    return QTableView::eventFilter(watched, event);
}

void HeadMapView::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QTableView::currentChanged(current, previous);
    if (m_model && m_model->spanAt(current).count > 0)
        Q_EMIT currentHeadChanged(m_model->spanAt(current));
}

void HeadMapView::selectionChanged(const QItemSelection& selected, const QItemSelection& deselected)
{
    QTableView::selectionChanged(selected, deselected);
    Q_EMIT headSelectionChanged(selectedHeads());
}

} // namespace headscope::widgets

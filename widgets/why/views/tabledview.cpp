// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/views/tabledview.h"

#include "widgets/why/views/barsview.h"
#include "widgets/why/views/gridsview.h"
#include "widgets/why/views/gridview.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QMenu>

#include <set>

namespace headscope::widgets {

TabledView::TabledView(QWidget* picture, const QString& figure, Table table, QWidget* parent)
    : QSplitter(parent), m_picture(picture), m_table(new NumberTable(tr("Table: %1").arg(picture->accessibleName()))),
      m_figure(figure), m_beside(table == Table::Beside), m_shown(m_beside)
{
    addWidget(picture);
    addWidget(m_table);
    setChildrenCollapsible(false);
    m_table->setVisible(m_shown);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QWidget::customContextMenuRequested, this,
            [this](const QPoint& at) { showMenu(-1, -1, m_table->viewport()->mapToGlobal(at)); });
    if (auto* grid = qobject_cast<GridView*>(picture)) {
        connect(grid, &GridView::menuRequested, this, &TabledView::showMenu);
    } else {
        if (auto* grids = qobject_cast<GridsView*>(picture))
            connect(grids, &GridsView::menuRequested, this, &TabledView::showMenu);
        picture->setContextMenuPolicy(Qt::CustomContextMenu);
        connect(picture, &QWidget::customContextMenuRequested, this,
                [this](const QPoint& at) { showMenu(-1, -1, m_picture->mapToGlobal(at)); });
    }
    addActions();
}

TabledView::TabledView(GridView* grid, const QString& figure, QWidget* parent)
    : TabledView(static_cast<QWidget*>(grid), figure, Table::Instead, parent)
{
    connect(grid, &GridView::gridChanged, this,
            [this, grid] { setNumbers([grid] { return grid->grid().numbers(); }); });
}

TabledView::TabledView(BarsView* bars, const QString& figure, QWidget* parent)
    : TabledView(static_cast<QWidget*>(bars), figure, Table::Instead, parent)
{
    connect(bars, &BarsView::barsChanged, this, [this, bars] { setNumbers([bars] { return bars->numbers(); }); });
}

void TabledView::addActions()
{
    const auto add = [this](const QString& name, const QKeySequence& key, auto act) {
        auto* action = new QAction(name, this);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, act);
        addAction(action);
        return action;
    };
    add(tr("&Copy"), QKeySequence::Copy, [this] { QApplication::clipboard()->setText(selectedText()); });
    add(tr("Copy &all numbers"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
        [this] { QApplication::clipboard()->setText(numbers().text()); });
    add(tr("&Save the numbers …"), {}, [this] { Q_EMIT saveRequested(); });
    if (!m_figure.isEmpty())
        add(tr("Ma&ke a figure …"), {}, [this] { Q_EMIT figureRequested(); });
    // The key is the window's, for all views of the page.
    m_toggle = add(tr("&Table of numbers") + QStringLiteral("\tT"), {}, [this] { setTableShown(!m_shown); });
    m_toggle->setCheckable(true);
    m_toggle->setChecked(m_shown);
}

void TabledView::setNumbers(std::function<Numbers()> numbers)
{
    m_numbers = std::move(numbers);
    if (m_shown)
        refresh();
}

void TabledView::refresh()
{
    m_table->setNumbers(numbers());
}

void TabledView::setTableShown(bool shown)
{
    const bool focused = m_picture->hasFocus() || m_table->hasFocus();
    m_shown = shown;
    m_toggle->setChecked(shown);
    if (shown)
        refresh();
    m_table->setVisible(shown);
    m_picture->setVisible(m_beside || !shown);
    if (focused) // focus moves to the visible view
        (shown && !m_beside ? m_table : m_picture)->setFocus();
}

QString TabledView::selectedText() const
{
    const auto* view = m_shown && !m_beside ? m_table : qobject_cast<const QTableView*>(m_picture);
    if (const auto* focused = qobject_cast<const QTableView*>(QApplication::focusWidget());
        focused && isAncestorOf(focused))
        view = focused;
    const QModelIndexList cells = view ? view->selectionModel()->selectedIndexes() : QModelIndexList();
    if (cells.isEmpty())
        return numbers().text();
    const QString of = numbers().of;
    if (cells.size() == 1)
        return cells.front().data(Qt::AccessibleTextRole).toString()
               + (of.isEmpty() ? QString() : QLatin1Char('\t') + of);
    std::set<std::pair<int, int>> chosen;
    std::set<int> columns;
    for (const QModelIndex& cell : cells) {
        chosen.emplace(cell.row(), cell.column());
        columns.insert(cell.column());
    }
    QString text;
    for (auto cell = chosen.begin(); cell != chosen.end();) {
        const int row = cell->first;
        QStringList entries;
        if (!view->verticalHeader()->isHidden())
            entries += view->model()->headerData(row, Qt::Vertical).toString();
        for (const int column : columns) {
            const QVariant value =
                chosen.contains({row, column}) ? view->model()->index(row, column).data(Qt::EditRole) : QVariant();
            entries +=
                value.typeId() == QMetaType::Double ? QString::number(value.toDouble(), 'g', 9) : value.toString();
        }
        text += entries.join(u'\t') + u'\n';
        cell = chosen.upper_bound({row, std::numeric_limits<int>::max()});
    }
    return of.isEmpty() ? text : text + of + u'\n';
}

void TabledView::showMenu(int row, int column, const QPoint& globalAt)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (!m_shown || m_beside)
        Q_EMIT menuAboutToShow(menu, row, column);
    if (auto* grid = qobject_cast<GridView*>(m_picture); grid && !m_shown) {
        menu->addSeparator();
        menu->addAction(tr("Zoom &in") + QStringLiteral("\t+"), grid, [grid] { grid->setZoom(grid->zoom() + 1); });
        menu->addAction(tr("Zoom &out") + QStringLiteral("\t-"), grid, [grid] { grid->setZoom(grid->zoom() - 1); });
        menu->addAction(tr("Reset &zoom") + QStringLiteral("\t0"), grid, [grid] { grid->setZoom(0); });
    }
    menu->addSeparator();
    menu->addActions(actions());
    menu->popup(globalAt);
}

} // namespace headscope::widgets

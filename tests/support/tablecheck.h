// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What every picture of numbers keeps to: a table of the same numbers, the same when it is copied, and a name for every
// cell.

#include "widgets/why/views/barsview.h"
#include "widgets/why/views/gridsview.h"
#include "widgets/why/views/tabledview.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>

#include <cmath>

namespace headscope::testing {

/// A name of each cell of a view; the first that has none, as row and column.
inline QString namelessCell(const QAbstractItemView& view)
{
    const QAbstractItemModel& model = *view.model();
    for (int row = 0; row < model.rowCount(); ++row)
        for (int column = 0; column < model.columnCount(); ++column)
            if (model.index(row, column).data(Qt::AccessibleTextRole).toString().trimmed().isEmpty())
                return QStringLiteral("%1: cell %2, %3 has no name").arg(view.accessibleName()).arg(row).arg(column);
    return {};
}

/// How many numbers a table has of these; a picture may show fewer than the table, none that is not there.
inline QString missingNumber(const std::vector<double>& shown, const widgets::Numbers& numbers)
{
    std::vector<double> all;
    for (const QVariantList& row : numbers.rows)
        for (const QVariant& entry : row)
            if (entry.typeId() == QMetaType::Double)
                all.push_back(entry.toDouble());
    for (const double value : shown)
        if (!std::isnan(value) && std::ranges::find(all, value) == all.end())
            return QStringLiteral("the table has no %1").arg(value);
    return {};
}

inline std::vector<double> numbersOf(const QWidget& picture)
{
    std::vector<double> shown;
    QList<const widgets::GridView*> grids;
    if (const auto* grid = qobject_cast<const widgets::GridView*>(&picture))
        grids.append(grid);
    if (const auto* several = qobject_cast<const widgets::GridsView*>(&picture))
        for (const widgets::GridView* grid : several->grids())
            grids.append(grid);
    for (const widgets::GridView* grid : grids)
        for (const widgets::GridCell& cell : grid->grid().cells)
            shown.push_back(cell.value);
    if (const auto* bars = qobject_cast<const widgets::BarsView*>(&picture))
        for (const widgets::PartRow& bar : bars->bars())
            shown.push_back(bar.value);
    return shown;
}

/// What is wrong with a view whose table is seen; empty: nothing.
inline QString tableProblem(widgets::TabledView& view)
{
    const widgets::Numbers numbers = view.numbers();
    const widgets::NumberTableModel& table = *view.table()->numbers();
    if (numbers.rows.empty())
        return QStringLiteral("no numbers");
    if (!view.table()->isVisible() || table.numbers().text() != numbers.text())
        return QStringLiteral("the table is another");
    if (const QString missing = missingNumber(numbersOf(*view.picture()), numbers); !missing.isEmpty())
        return missing;
    for (QAction* action : view.actions())
        if (action->shortcut() == QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C))
            action->trigger();
    if (QApplication::clipboard()->text() != numbers.text())
        return QStringLiteral("something else is copied");
    QList<const QAbstractItemView*> views{view.table()};
    if (const auto* items = qobject_cast<const QAbstractItemView*>(view.picture()))
        views.append(items);
    for (const QAbstractItemView* each : view.picture()->findChildren<const QAbstractItemView*>())
        views.append(each);
    for (const QAbstractItemView* each : views)
        if (const QString nameless = namelessCell(*each); !nameless.isEmpty())
            return nameless;
    return {};
}

} // namespace headscope::testing

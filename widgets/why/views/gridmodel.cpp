// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/views/gridmodel.h"

#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

QString GridData::cellText(int row, int column) const
{
    if (text)
        return text(row, column);
    const double value = cell(row, column).value;
    return std::isfinite(value) ? numberText(value) : QString();
}

Numbers GridData::numbers() const
{
    Numbers numbers{.columns = {corner}, .rows = {}, .of = of};
    for (const GridLine& column : columns)
        numbers.columns.append(column.name);
    for (int row = 0; row < static_cast<int>(rows.size()); ++row) {
        QVariantList entries{rows[static_cast<std::size_t>(row)].name};
        for (int column = 0; column < static_cast<int>(columns.size()); ++column)
            entries.append(cell(row, column).value);
        numbers.rows.push_back(std::move(entries));
    }
    return numbers;
}

bool GridModel::setGrid(GridData grid)
{
    const bool same = std::ranges::equal(grid.rows, m_grid.rows, {}, &GridLine::name, &GridLine::name)
                      && std::ranges::equal(grid.columns, m_grid.columns, {}, &GridLine::name, &GridLine::name);
    if (!same)
        beginResetModel();
    m_grid = std::move(grid);
    if (!same) {
        endResetModel();
    } else if (rowCount() > 0 && columnCount() > 0) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    }
    return same;
}

void GridModel::setPool(int columns)
{
    if (columns == m_pool)
        return;
    beginResetModel();
    m_pool = columns;
    endResetModel();
}

std::pair<int, int> GridModel::span(int column) const
{
    return {column * m_pool, std::min((column + 1) * m_pool, static_cast<int>(m_grid.columns.size())) - 1};
}

GridCell GridModel::shownCell(int row, int column) const
{
    if (m_pool == 1)
        return m_grid.cell(row, column);
    const auto [first, last] = span(column);
    float sum = 0;
    int known = 0;
    for (int each = first; each <= last; ++each)
        if (const float strength = m_grid.cell(row, each).strength; !std::isnan(strength)) {
            sum += strength;
            ++known;
        }
    return known == 0 ? GridCell() : GridCell{.strength = sum / static_cast<float>(known)};
}

const GridLine* GridModel::line(int section, Qt::Orientation orientation) const
{
    const auto at = static_cast<std::size_t>(section);
    if (orientation == Qt::Vertical)
        return section < 0 || section >= rowCount() ? nullptr : &m_grid.rows[at];
    return m_pool > 1 || section < 0 || section >= columnCount() ? nullptr : &m_grid.columns[at];
}

QString GridModel::words(int row, int column) const
{
    const QString& name = m_grid.rows[static_cast<std::size_t>(row)].name;
    if (m_pool > 1)
        return tr("%1, columns %2 to %3: zoom in to read them")
            .arg(name)
            .arg(span(column).first)
            .arg(span(column).second);
    if (m_grid.words)
        return m_grid.words(row, column);
    return QStringLiteral("%1, %2: %3")
        .arg(name, m_grid.columns[static_cast<std::size_t>(column)].name, m_grid.cellText(row, column));
}

int GridModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_grid.rows.size());
}

int GridModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_grid.rows.empty() ? 0
                                                   : (static_cast<int>(m_grid.columns.size()) + m_pool - 1) / m_pool;
}

QVariant GridModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    switch (role) {
    case Qt::DisplayRole: return m_pool > 1 ? QString() : m_grid.cellText(index.row(), index.column());
    case Qt::ToolTipRole: return plainText(words(index.row(), index.column()));
    case Qt::AccessibleTextRole: return words(index.row(), index.column());
    case Qt::TextAlignmentRole: return int(Qt::AlignCenter);
    case Qt::EditRole:
        if (const double value = shownCell(index.row(), index.column()).value; std::isfinite(value))
            return value;
        return {};
    default: return {};
    }
}

QVariant GridModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (section < 0 || section >= (orientation == Qt::Vertical ? rowCount() : columnCount()))
        return {};
    const GridLine* own = line(section, orientation);
    const QString name = own ? own->name : QString::number(span(section).first);
    const QString& words = own && !own->words.isEmpty() ? own->words : name;
    switch (role) {
    case Qt::DisplayRole: return name;
    case Qt::ToolTipRole: return plainText(words);
    case Qt::AccessibleTextRole: return words;
    default: return {};
    }
}

} // namespace headscope::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/views/gridsview.h"

#include "widgets/look/labels/elidedlabel.h"

#include <QGridLayout>

#include <algorithm>
#include <utility>

namespace headscope::widgets {

namespace {

constexpr int kNarrowest = 150, kSmallestGrid = 60; // pixels of a grid

} // namespace

GridsView::GridsView(const QString& name, QWidget* parent) : QWidget(parent), m_places(new QGridLayout(this))
{
    setAccessibleName(name);
    m_places->setContentsMargins(0, 0, 0, 0);
}

void GridsView::setGrids(const QStringList& titles, std::vector<GridData> grids)
{
    while (m_grids.size() < grids.size()) {
        auto* grid = new GridView(accessibleName(), this);
        grid->setMinimumSize(kSmallestGrid, kSmallestGrid);
        connect(grid, &GridView::cellChosen, this, &GridsView::cellChosen);
        connect(grid, &GridView::menuRequested, this, &GridsView::menuRequested);
        m_grids.push_back(grid);
        m_titles.push_back(new ElidedLabel(this));
    }
    for (std::size_t i = 0; i < grids.size(); ++i) {
        m_titles[i]->setText(titles.at(static_cast<qsizetype>(i)));
        m_grids[i]->setAccessibleName(accessibleName() + QStringLiteral(": ") + m_titles[i]->text());
        m_grids[i]->setGrid(std::move(grids[i]));
    }
    if (const int shown = static_cast<int>(grids.size()); std::exchange(m_shown, shown) != shown) {
        m_columns = 0;
        arrange();
    }
}

void GridsView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void GridsView::arrange()
{
    const int columns = std::clamp(width() / kNarrowest, 1, std::max(m_shown, 1));
    if (columns == m_columns)
        return;
    m_columns = columns;
    for (int i = 0; i < static_cast<int>(m_grids.size()); ++i) {
        const auto at = static_cast<std::size_t>(i);
        m_places->addWidget(m_titles[at], 2 * (i / columns), i % columns);
        m_places->addWidget(m_grids[at], 2 * (i / columns) + 1, i % columns);
        m_titles[at]->setVisible(i < m_shown);
        m_grids[at]->setVisible(i < m_shown);
    }
    for (int row = 0; row < m_places->rowCount(); ++row)
        m_places->setRowStretch(row, row % 2);
    for (int column = 0; column < m_places->columnCount(); ++column)
        m_places->setColumnStretch(column, column < columns ? 1 : 0);
}

} // namespace headscope::widgets

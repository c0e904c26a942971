// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A picture of numbers and the table of the same numbers: one is seen in place of the other, or both beside each other.
// Its menu copies, saves and makes a figure. GUI thread.

#include "widgets/why/views/numbertable.h"

#include <QSplitter>

#include <functional>

class QAction;
class QMenu;

namespace headscope::widgets {

class BarsView;
class GridView;

class TabledView : public QSplitter
{
    Q_OBJECT

public:
    enum class Table { Instead, Beside };

    /// `figure`: the name of the figure that is made of these numbers; empty: there is none.
    TabledView(QWidget* picture, const QString& figure, Table table = Table::Instead, QWidget* parent = nullptr);
    /// With the numbers of the picture.
    TabledView(GridView* grid, const QString& figure, QWidget* parent = nullptr);
    TabledView(BarsView* bars, const QString& figure, QWidget* parent = nullptr);

    /// Other numbers are shown; they are asked for where the table is seen, and when something is copied or saved.
    void setNumbers(std::function<Numbers()> numbers);
    void setNumbers(Numbers numbers)
    {
        setNumbers([all = std::move(numbers)] { return all; });
    }
    [[nodiscard]] Numbers numbers() const { return m_numbers ? m_numbers() : Numbers(); }
    void setTableShown(bool shown);
    [[nodiscard]] bool tableShown() const { return m_shown; }
    [[nodiscard]] NumberTable* table() const { return m_table; }
    [[nodiscard]] QWidget* picture() const { return m_picture; }
    [[nodiscard]] const QString& figure() const { return m_figure; }
    /// Returns selected cells with row names, tab-separated; for a single cell its description; without a selection,
    /// all cells.
    [[nodiscard]] QString selectedText() const;
    /// Of a cell of a grid, of the name of a column (row -1), or of the whole (both -1).
    void showMenu(int row, int column, const QPoint& globalAt);

Q_SIGNALS:
    /// Entries of the page's own can be added.
    void menuAboutToShow(QMenu* menu, int row, int column);
    void saveRequested();
    void figureRequested();

private:
    void addActions();
    void refresh();

    QWidget* m_picture;
    NumberTable* m_table;
    QString m_figure;
    std::function<Numbers()> m_numbers;
    QAction* m_toggle = nullptr;
    bool m_beside, m_shown;
};

} // namespace headscope::widgets

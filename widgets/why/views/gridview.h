// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Numbers in rows and columns as colours with their numbers or words on them, from large cells down to pixels; columns
// that have no pixel of their own are means of several. GUI thread.

#include "widgets/why/views/griddata.h"

#include <QTableView>

#include <optional>

namespace headscope::widgets {

class GridModel;
class GridHeader;
struct Theme;

class GridView : public QTableView
{
    Q_OBJECT

public:
    /// `name`: what a screen reader calls it.
    explicit GridView(const QString& name, QWidget* parent = nullptr);

    /// Where rows and columns have the same names, cells change in place: what is selected and seen stays.
    void setGrid(GridData grid);
    [[nodiscard]] const GridData& grid() const;
    /// Steps from the size at which cells are read or all columns fit; below, columns become pixels, then means of
    /// several.
    void setZoom(int step);
    [[nodiscard]] int zoom() const { return m_zoom; }
    /// Columns of the grid in one that is seen.
    [[nodiscard]] int pool() const;
    /// Selected cells that have a number, as row and column.
    [[nodiscard]] QList<std::pair<int, int>> chosen() const;

Q_SIGNALS:
    void gridChanged();
    /// A cell was double-clicked, or Enter or Space pressed on it.
    void cellChosen(int row, int column);
    /// A column's name was clicked.
    void columnClicked(int column);
    /// The menu of a cell, or of a column's name (row -1).
    void menuRequested(int row, int column, const QPoint& globalAt);

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void choose(const QModelIndex& index);
    /// Sizes of all sections for the zoom and the room that there is.
    void fitCells();
    void measureNumbers();
    /// Returns the letters of the cells. Numbers are a little smaller where the widest would not fit.
    [[nodiscard]] QFont cellFont() const;
    [[nodiscard]] int lowestZoom() const;
    [[nodiscard]] double widthAt(int zoom) const;
    [[nodiscard]] QColor fillOf(const GridCell& cell, const Theme& theme) const;
    void paintCell(QPainter& painter, const QRect& place, int row, int column, const Theme& theme) const;
    void paintMarks(QPainter& painter, const QRect& cell, const GridCell& own, const QColor& fill,
                    const Theme& theme) const;
    void paintLines(QPainter& painter, const Theme& theme) const;

    GridModel* m_model;
    GridHeader *m_top, *m_left;
    int m_zoom = 0;
    double m_widestNumber = 0;    ///< with the view's letters; 0: not known, and each number is seen where it fits
    std::optional<QPoint> m_held; ///< where the left button is held
    bool m_panning = false;
};

} // namespace headscope::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The names of a grid's rows or columns, as many as have room; of columns also a number and a bar, and a cross where
// something is ablated. GUI thread.

#include <QHeaderView>

namespace headscope::widgets {

class GridModel;
struct GridLine;
struct Theme;

class GridHeader : public QHeaderView
{
    Q_OBJECT

public:
    GridHeader(Qt::Orientation orientation, GridModel* model, QWidget* parent);
    [[nodiscard]] QSize sizeHint() const override;
    /// After another grid: what names need may be more or less.
    void measure();
    /// What the name of a section needs.
    [[nodiscard]] int roomOf(const GridLine& line) const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    /// Every that many sections have a name.
    [[nodiscard]] int stride() const;
    void paintSection(QPainter& painter, int section, const QRect& place, int span, const Theme& theme) const;
    void paintBar(QPainter& painter, const GridLine& line, const QRect& place, const Theme& theme) const;

    GridModel* m_model;
    int m_widest = 0;      ///< name, in pixels, or as much of it as is shown
    bool m_counts = false; ///< some column has a number and a bar
};

} // namespace headscope::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Several grids of the same rows and columns, each below its title: small multiples. GUI thread.

#include "widgets/why/views/gridview.h"

#include <QWidget>

class QGridLayout;
class QLabel;

namespace headscope::widgets {

class GridsView : public QWidget
{
    Q_OBJECT

public:
    /// `name`: what a screen reader calls it.
    explicit GridsView(const QString& name, QWidget* parent = nullptr);

    /// Those that were there change in place.
    void setGrids(const QStringList& titles, std::vector<GridData> grids);
    [[nodiscard]] const std::vector<GridView*>& grids() const { return m_grids; }

Q_SIGNALS:
    /// A cell of any of them was double-clicked, or Enter pressed on it.
    void cellChosen(int row, int column);
    void menuRequested(int row, int column, const QPoint& globalAt);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    QGridLayout* m_places;
    std::vector<GridView*> m_grids;
    std::vector<QLabel*> m_titles;
    int m_shown = 0, m_columns = 0; ///< grids; of them side by side
};

} // namespace headscope::widgets

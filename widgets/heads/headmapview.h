// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The picture of all heads of one model, and what a person does with them. GUI thread.

#include "widgets/heads/headmapmodel.h"

#include <QPolygon>
#include <QTableView>

#include <optional>

class QMenu;

namespace headscope::widgets {

class HeadMapOverview;

/// What a head's output is replaced by when it is off.
enum class HeadCut { Zero, Mean, Resample };

/// A QTableView whose cells fill the dock's width: selection by dragging, Shift+click ranges, arrow keys and accessible
/// cells are Qt's own. A plain click asks to switch the head off or on, Ctrl+click only looks at it, Alt+drag selects
/// what a loop encloses, Ctrl+wheel zooms and the middle button pans; everything else is an action of actions(), which
/// is also the context menu. The view changes nothing by itself: it asks, and shows what the model then says.
class HeadMapView : public QTableView
{
    Q_OBJECT

public:
    explicit HeadMapView(QWidget* parent = nullptr);
    void setHeadModel(HeadMapModel* model);

    /// The chosen heads, neighbours joined; the current one where nothing is selected.
    [[nodiscard]] QList<HeadSpan> selectedHeads() const;
    [[nodiscard]] HeadSpan currentHead() const;
    /// Moves the ring without asking for anything; emits currentHeadChanged.
    void setCurrentHead(const HeadSpan& head);
    /// Selects them beside the current one, without asking for anything.
    void setSelectedHeads(const QList<HeadSpan>& heads);
    [[nodiscard]] QSize cellSize() const;
    /// 1: as much as fits. Cells that are looked at closer are never narrower than 12 pixels, and never wider than 40.
    void setZoom(double zoom);
    [[nodiscard]] double zoom() const { return m_zoom; }
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

Q_SIGNALS:
    void switchRequested(const QList<headscope::widgets::HeadSpan>& heads, bool off);
    void keepOnlyRequested(const QList<headscope::widgets::HeadSpan>& heads);
    void cutRequested(const QList<headscope::widgets::HeadSpan>& heads, headscope::widgets::HeadCut cut);
    void lastRowOnlyRequested(const QList<headscope::widgets::HeadSpan>& heads);
    /// The person's own colour for these heads; invalid: none any more.
    void colorRequested(const QList<headscope::widgets::HeadSpan>& heads, const QColor& color);
    /// What is known of this head on many texts.
    void cardRequested(const headscope::widgets::HeadSpan& head);
    /// Twice in a row: it is as it was before, and looked at closely.
    void headDoubleClicked(const headscope::widgets::HeadSpan& head);
    /// The head to show in the pattern view.
    void currentHeadChanged(const headscope::widgets::HeadSpan& head);
    void headSelectionChanged(const QList<headscope::widgets::HeadSpan>& heads);
    /// The mouse rests on this head: its thumbnail and details are worth computing.
    void headHovered(const headscope::widgets::HeadSpan& head);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) override;

private:
    void buildActions();
    [[nodiscard]] QMenu* colorMenu();
    void selectInside(const QPolygon& loop);
    /// Side of a cell where a layer has few heads, by the width alone.
    [[nodiscard]] int squareByWidth(int room) const;
    [[nodiscard]] QSize fittingCells() const;
    void fitCells();
    void zoomAt(double zoom, QPoint place);
    void toggle(const QList<HeadSpan>& heads);
    void rowClicked(int row);

    HeadMapModel* m_model = nullptr;
    HeadMapOverview* m_overview;
    double m_zoom = 1;
    std::optional<QPoint> m_pan; ///< where the middle button holds the map
    QPersistentModelIndex m_pressed;
    QPoint m_pressedAt;
    bool m_plainPress = false, m_secondPress = false;
    QPolygon m_loop; ///< of the lasso while it is drawn
};

} // namespace headscope::widgets

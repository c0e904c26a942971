// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The map of all heads of one model, and the user's actions on it. GUI thread.

#include "widgets/heads/headmapmodel.h"

#include <QPolygon>
#include <QTableView>

#include <optional>

class QMenu;

namespace headscope::widgets {

class HeadMapOverview;

/// The replacement for the output of an ablated head.
enum class HeadCut { Zero, Mean, Resample };

/// A QTableView whose cells fill the width of the dock; selection by dragging, Shift+click ranges, arrow keys and
/// accessible cells are those of Qt. A plain click requests to toggle the ablation of a head, Ctrl+click only shows it
/// (setClickLooks() exchanges them), Alt+drag selects the heads in a loop, Ctrl+wheel zooms and the middle button pans;
/// everything else is an action of actions(), which is also the context menu. The view changes nothing itself: it emits
/// requests and shows the model.
class HeadMapView : public QTableView
{
    Q_OBJECT

public:
    explicit HeadMapView(QWidget* parent = nullptr);
    void setHeadModel(HeadMapModel* model);
    /// There is no page on what a head does on many texts.
    void removePage() { removeAction(m_page); }
    /// Sets whether a plain click only shows a head and Ctrl+click toggles its ablation.
    void setClickLooks(bool looks) { m_clickLooks = looks; }
    [[nodiscard]] bool clickLooks() const { return m_clickLooks; }

    /// Returns the selected heads, with neighbours merged; the current one if nothing is selected.
    [[nodiscard]] QList<HeadSpan> selectedHeads() const;
    [[nodiscard]] HeadSpan currentHead() const;
    /// Moves the ring without any request; emits currentHeadChanged.
    void setCurrentHead(const HeadSpan& head);
    /// Selects them in addition to the current head, without any request.
    void setSelectedHeads(const QList<HeadSpan>& heads);
    [[nodiscard]] QSize cellSize() const;
    /// Sets the zoom. 1: fits the view. Zoomed cells are between 12 and 40 pixels wide.
    void setZoom(double zoom);
    [[nodiscard]] double zoom() const { return m_zoom; }
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

Q_SIGNALS:
    void switchRequested(const QList<headscope::widgets::HeadSpan>& heads, bool off);
    void keepOnlyRequested(const QList<headscope::widgets::HeadSpan>& heads);
    void cutRequested(const QList<headscope::widgets::HeadSpan>& heads, headscope::widgets::HeadCut cut);
    void lastRowOnlyRequested(const QList<headscope::widgets::HeadSpan>& heads);
    /// The user's own colour for these heads; invalid: remove it.
    void colorRequested(const QList<headscope::widgets::HeadSpan>& heads, const QColor& color);
    /// Show the survey results of this head.
    void cardRequested(const headscope::widgets::HeadSpan& head);
    /// Emitted after two clicks, which cancel each other: the user wants details of this head.
    void headDoubleClicked(const headscope::widgets::HeadSpan& head);
    /// The head to show in the pattern view.
    void currentHeadChanged(const headscope::widgets::HeadSpan& head);
    void headSelectionChanged(const QList<headscope::widgets::HeadSpan>& heads);
    /// The mouse rests on this head: its thumbnail and details should be computed.
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
    /// Returns the side of a cell for layers with few heads, by the width only.
    [[nodiscard]] int squareByWidth(int room) const;
    [[nodiscard]] QSize fittingCells() const;
    void fitCells();
    void zoomAt(double zoom, QPoint place);
    void toggle(const QList<HeadSpan>& heads);
    void rowClicked(int row);

    HeadMapModel* m_model = nullptr;
    HeadMapOverview* m_overview;
    double m_zoom = 1;
    QAction* m_page = nullptr;
    std::optional<QPoint> m_pan; ///< where the middle button holds the map
    QPersistentModelIndex m_pressed;
    QPoint m_pressedAt;
    bool m_clickLooks = false;
    bool m_switches = false, m_secondPress = false; ///< what was pressed toggles a head; for the second time
    QPolygon m_loop;                                ///< the lasso while it is drawn
};

} // namespace headscope::widgets

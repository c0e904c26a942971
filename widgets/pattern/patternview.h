// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shows one L x L map with the names of its rows, crosshair and segments. Names of columns and the colour bar are its
// card's. GUI thread.

#include "widgets/look/fade.h"
#include "widgets/look/theme.h"
#include "widgets/pattern/patterndata.h"
#include "widgets/pattern/patterngeometry.h"
#include "widgets/pattern/patternpyramid.h"
#include "widgets/pattern/patternscale.h"

#include <QImage>
#include <QWidget>

namespace headscope::widgets {

struct PatternHeading;

/// An own item instead of QCustomPlot's colour map: a pattern is read cell by cell, so cells must be exact (no
/// interpolation), a single bright cell must survive a view of 4,096 x 4,096, both axes carry tokens instead of
/// numbers, and panning has to stay at 60 frames a second on a CPU. PatternPyramid holds one byte a cell and its
/// halvings; a frame picks, for each pixel, the cell of the level that fits, which takes a millisecond or two whatever
/// the length.
class PatternView : public QWidget
{
    Q_OBJECT

public:
    explicit PatternView(QWidget* parent = nullptr);

    /// Shows a map; zoom, crosshair and locked row are kept where the size is the same.
    void setPattern(const PatternData& pattern);
    /// Exact rows of a pooled map, as asked for by rowsWanted().
    void setExactRows(const PatternRowBlock& rows);
    /// Shows `hint` in place of a map.
    void clearPattern(const QString& hint);
    [[nodiscard]] const PatternData& pattern() const { return m_data; }

    /// What is known of the head, at the end of the heading: the longest of `forms` that leaves what the numbers are
    /// whole; empty: nothing is known.
    void setTag(const QStringList& forms);
    /// A tag may be what somebody is asked for.
    void setTagShown(bool shown);
    /// As it is in the heading now.
    [[nodiscard]] QString tag() const;
    /// In whose colour the head is named.
    void setSide(Side side);
    void setScale(const ScaleOptions& options);
    [[nodiscard]] const PatternScale& scale() const { return m_scale; }

    /// Follows a linked view; emits nothing.
    void setViewport(const Viewport& viewport);
    [[nodiscard]] const Viewport& viewport() const { return m_viewport; }
    /// Follows a linked view or a bar; emits nothing. -1, -1 takes the crosshair away.
    void setCrosshair(int row, int col);
    [[nodiscard]] int crosshairRow() const { return m_crossRow; }
    [[nodiscard]] int crosshairCol() const { return m_crossCol; }
    /// -1 unlocks; emits nothing.
    void setLockedRow(int row);
    /// The row that was clicked, or the last one.
    [[nodiscard]] int profileRow() const;
    /// The column that a row reads most; -1: its cells are not known as they are.
    [[nodiscard]] int strongestIn(int row) const;
    /// Greys the map while a new one is computed.
    void setStale(bool stale);

    /// Where cells are on the screen now.
    [[nodiscard]] PatternGeometry mapGeometry() const;
    /// Room that the heading needs above the map, and the names and margins at its sides, in pixels.
    [[nodiscard]] int roomAbove() const;
    [[nodiscard]] int roomBeside() const;
    /// "“is” (36) → “62” (14)   0.92"; empty without a crosshair.
    [[nodiscard]] QString readout() const;
    /// A small picture for tooltips and strips, in this view's scale and theme.
    [[nodiscard]] QImage thumbnail(int side) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

public Q_SLOTS:
    void resetViewport();

Q_SIGNALS:
    void viewportChanged(const headscope::widgets::Viewport& viewport);
    /// The cell under the mouse or the keyboard's crosshair.
    void cellHovered(int row, int col, double value);
    void hoverEnded();
    /// -1: unlocked.
    void rowLocked(int row);
    /// A rectangle was drawn with Shift held: these rows and columns, first and last included.
    void regionMarked(int firstRow, int lastRow, int firstCol, int lastCol);
    /// Why the row's token looks at the column's: chosen from the cell's menu.
    void whyAsked(int row, int col);
    /// A pooled map is seen so closely (or hovered) that these rows are needed as they are.
    void rowsWanted(int first, int count);
    /// Columns are elsewhere now, or others are worth a name.
    void columnsMoved();
    /// readout() says something else.
    void readoutChanged();

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Layout {
        QRectF title, map;
        double labels = 0; ///< width of the names left of the map
    };
    [[nodiscard]] Layout layoutNow() const;
    void rebuild();
    void measureTokens();
    void applyViewport(const Viewport& viewport);
    void moveCrosshair(int row, int col);
    void lockRow(int row);
    void endMarking();
    void updateDescription();
    void wantRows();
    [[nodiscard]] double valueAt(int row, int col) const;

    /// The tag in full; empty where it is hidden.
    [[nodiscard]] QString wholeTag() const { return m_tagShown ? m_tag.value(0) : QString(); }

    [[nodiscard]] PatternHeading heading() const;
    void paintPattern(QPainter& painter, const PatternGeometry& geometry, double labels);
    void paintMap(QPainter& painter, const PatternGeometry& geometry);

    PatternData m_data;
    QString m_hint;
    QStringList m_tag;
    bool m_tagShown = true;
    ScaleOptions m_options;
    PatternScale m_scale;
    PatternPyramid m_pyramid;
    PatternRowBlock m_exact;
    int m_wantedFirst = -1; ///< rows asked for last
    int m_wantedCount = 0;
    Viewport m_viewport;
    int m_crossRow = -1;
    int m_crossCol = -1;
    int m_lockedRow = -1;
    bool m_stale = false;
    Side m_side = Side::A;
    double m_labelWidth = 0; ///< of the names left of the map: as much as they must have
    double m_labelMost = 0;  ///< and as much as they take where there is room

    QPointF m_pressed;
    QPointF m_lastDrag;
    bool m_dragging = false;
    bool m_down = false;
    bool m_marking = false; ///< a rectangle from m_pressed to m_lastDrag

    QImage m_frame;  ///< the map as last drawn
    QImage m_before; ///< the one that it fades over
    Fade m_fade{this};
    QRectF m_framePlot;
    Viewport m_frameViewport;
};

} // namespace headscope::widgets

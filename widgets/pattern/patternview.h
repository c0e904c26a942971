// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shows one L x L map with row labels, crosshair and segments. Column labels and the colour bar belong to its card. GUI
// thread.

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

/// A widget of its own instead of QCustomPlot's colour map: a pattern is read cell by cell, so cells must be exact (no
/// interpolation), a single bright cell must be visible in a view of 4,096 x 4,096, both axes are labelled with tokens
/// instead of numbers, and panning must run at 60 frames per second on a CPU. PatternPyramid stores one byte per cell
/// and its halved levels; a frame looks up, for each pixel, the cell at the matching level, which takes 1 or 2 ms at
/// any length.
class PatternView : public QWidget
{
    Q_OBJECT

public:
    explicit PatternView(QWidget* parent = nullptr);

    /// Shows a map; zoom, crosshair and locked row are kept if the size is unchanged.
    void setPattern(const PatternData& pattern);
    /// Sets exact rows of a pooled map, as requested by rowsWanted().
    void setExactRows(const PatternRowBlock& rows);
    /// Shows `hint` in place of a map.
    void clearPattern(const QString& hint);
    [[nodiscard]] const PatternData& pattern() const { return m_data; }

    /// Sets the role of the head, shown at the end of the heading: the longest of `forms` that leaves room for the
    /// meaning of the values; empty: unknown.
    void setTag(const QStringList& forms);
    /// Hides the tag, for example while an exercise asks for it.
    void setTagShown(bool shown);
    /// Returns the tag as shown in the heading now.
    [[nodiscard]] QString tag() const;
    /// Sets the side whose colour the name of the head has.
    void setSide(Side side);
    void setScale(const ScaleOptions& options);
    [[nodiscard]] const PatternScale& scale() const { return m_scale; }

    /// Follows a linked view; emits nothing.
    void setViewport(const Viewport& viewport);
    [[nodiscard]] const Viewport& viewport() const { return m_viewport; }
    /// Follows a linked view or a bar; emits nothing. -1, -1 removes the crosshair.
    void setCrosshair(int row, int col);
    [[nodiscard]] int crosshairRow() const { return m_crossRow; }
    [[nodiscard]] int crosshairCol() const { return m_crossCol; }
    /// Locks a row, -1 unlocks; emits nothing.
    void setLockedRow(int row);
    /// Returns the row that was clicked, or the last one.
    [[nodiscard]] int profileRow() const;
    /// Returns the column that a row reads most; -1: its exact cells are not known.
    [[nodiscard]] int strongestIn(int row) const;
    /// Greys the map while a new one is computed.
    void setStale(bool stale);

    /// Returns the current position of the cells on the screen.
    [[nodiscard]] PatternGeometry mapGeometry() const;
    /// Return the height of the heading above the map, and the width of labels and margins at its sides, in pixels.
    [[nodiscard]] int roomAbove() const;
    [[nodiscard]] int roomBeside() const;
    /// Returns "“is” (36) → “62” (14)   0.92"; empty without a crosshair.
    [[nodiscard]] QString readout() const;
    /// Returns a small picture for tooltips and strips, in this view's scale and theme.
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
    /// A rectangle was drawn with Shift held: these rows and columns, ends included.
    void regionMarked(int firstRow, int lastRow, int firstCol, int lastCol);
    /// The user asked, in the menu of the cell, why the row's token attends to the column's.
    void whyRequested(int row, int col);
    /// A pooled map is zoomed in (or hovered) so far that exact values of these rows are needed.
    void rowsWanted(int first, int count);
    /// The columns have moved, or other tokens should be labelled.
    void columnsMoved();
    /// The text of readout() has changed.
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
        double labels = 0; ///< width of the labels left of the map
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

    /// Returns the full tag; empty while it is hidden.
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
    int m_wantedFirst = -1; ///< rows requested last
    int m_wantedCount = 0;
    Viewport m_viewport;
    int m_crossRow = -1;
    int m_crossCol = -1;
    int m_lockedRow = -1;
    bool m_stale = false;
    Side m_side = Side::A;
    double m_labelWidth = 0; ///< of the labels left of the map: the least
    double m_labelMost = 0;  ///< the most, if there is room

    QPointF m_pressed;
    QPointF m_lastDrag;
    bool m_dragging = false;
    bool m_down = false;
    bool m_marking = false; ///< a rectangle from m_pressed to m_lastDrag

    QImage m_frame;  ///< the map as last drawn
    QImage m_before; ///< the frame that it fades from
    Fade m_fade{this};
    QRectF m_framePlot;
    Viewport m_frameViewport;
};

} // namespace headscope::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A circuit as a picture: the model's parts by layer, edges as thick as their effect, dashed if the effect is negative.
// GUI thread.

#include "core/base/result.h"
#include "core/base/side.h"
#include "widgets/why/edges/edgelayout.h"
#include "widgets/why/views/numbertable.h"

#include <QWidget>

namespace headscope::widgets {

class EdgeGraph : public QWidget
{
    Q_OBJECT

public:
    explicit EdgeGraph(Side side, QWidget* parent = nullptr);

    void setEdges(EdgeData edges);
    [[nodiscard]] const EdgeData& edges() const { return m_edges; }
    /// "L1H2 into L2H5.k: effect +0.93 (95 % interval +0.90 to +0.96), logit difference +16.2"
    [[nodiscard]] QString words(int edge) const;
    /// The same edges as a table.
    [[nodiscard]] Numbers numbers() const;
    /// Edges below this share of the way are not drawn.
    void setThreshold(double share);
    /// Returns the number of edges drawn.
    [[nodiscard]] int shown() const { return m_shown; }
    void setSelected(int edge);
    [[nodiscard]] int selected() const { return m_selected; }
    [[nodiscard]] EdgeLayout places() const;
    /// Writes a picture in the colours of a light window.
    [[nodiscard]] Result<void> save(const QString& path, const QString& title) const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {220, 160}; }

Q_SIGNALS:
    void edgeSelected(int edge);
    void partChosen(int part);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    void count();
    void draw(QPainter& painter, const QSizeF& size, const QPalette& palette) const;

    Side m_side;
    EdgeData m_edges;
    double m_threshold = 0.05;
    int m_shown = 0, m_selected = -1;
};

} // namespace headscope::widgets

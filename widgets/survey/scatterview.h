// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shows heads as dots by two of their metrics; drawing a loop around dots selects them. GUI thread.

#include "core/base/result.h"
#include "widgets/survey/scatterpainter.h"

#include <QPolygonF>
#include <QWidget>

namespace headscope::widgets {

class ScatterView : public QWidget
{
    Q_OBJECT

public:
    explicit ScatterView(QWidget* parent = nullptr);

    void setDots(std::vector<ScatterDot> dots, const QString& xTitle, const QString& yTitle);
    void setLogarithmic(bool x, bool y);
    void setSelected(const QStringList& heads);
    [[nodiscard]] const QStringList& selected() const { return m_scatter.selected; }
    [[nodiscard]] const Scatter& scatter() const { return m_scatter; }
    /// Returns the position of a dot; nothing if it is not drawn.
    [[nodiscard]] std::optional<QPointF> placeOf(const QString& head) const;
    /// Writes a picture in the colours of a light window: pdf, svg or png.
    [[nodiscard]] Result<void> save(const QString& path, const QString& title) const;

Q_SIGNALS:
    void headsSelected(const QStringList& heads);
    void headOpened(const QString& head); ///< a double click

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    Scatter m_scatter;
    QPolygonF m_loop; ///< the lasso while it is drawn
};

} // namespace headscope::widgets

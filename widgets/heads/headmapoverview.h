// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A small picture of a head map larger than its view, with a frame around the visible part. GUI thread.

#include <QWidget>

class QTableView;

namespace headscope::widgets {

/// Placed in the lower right corner of its view while that can scroll; a click or drag scrolls there.
class HeadMapOverview : public QWidget
{
    Q_OBJECT

public:
    explicit HeadMapOverview(QTableView* view);
    /// Updates size, position and visibility from the visible part of the view.
    void follow();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] QRectF shownPart() const;
    void goTo(QPointF point);

    QTableView* m_view;
};

} // namespace headscope::widgets

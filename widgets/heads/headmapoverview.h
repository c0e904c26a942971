// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The whole of a head map that is larger than its window, small, with a frame around what the window shows. GUI thread.

#include <QWidget>

class QTableView;

namespace headscope::widgets {

/// Lies in the lower right corner of its view while that can be scrolled; a click or a drag scrolls there.
class HeadMapOverview : public QWidget
{
    Q_OBJECT

public:
    explicit HeadMapOverview(QTableView* view);
    /// Size, place and visibility from what the view shows now.
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

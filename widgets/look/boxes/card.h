// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Cards: rounded pages with a thin edge on the window's ground, each for parts that belong together. GUI thread.

#include <QWidget>

namespace headscope::widgets {

/// Draws the card that fills `box`, in the colours of `palette`.
void paintCard(QPainter& painter, const QRectF& box, const QPalette& palette);

/// Holds a layout, within margins that keep its parts off the rounded corners.
class Card : public QWidget
{
    Q_OBJECT

public:
    static constexpr int kMargin = 8;
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace headscope::widgets

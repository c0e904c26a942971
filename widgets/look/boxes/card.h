// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Cards: rounded boxes with a thin border on the window's background, each for related parts. GUI thread.

#include <QWidget>

namespace headscope::widgets {

/// Draws the card that fills `box`, in the colours of `palette`.
void paintCard(QPainter& painter, const QRectF& box, const QPalette& palette);

/// A container for a layout, with margins that keep its parts away from the rounded corners.
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

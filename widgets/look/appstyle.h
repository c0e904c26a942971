// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The look of buttons and boxes: Qt's Fusion style, flat, with room around the words and edges that are seen in the
// dark. GUI thread.

#include <QProxyStyle>

namespace headscope::widgets {

class AppStyle : public QProxyStyle
{
    Q_OBJECT
public:
    AppStyle();
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                           const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
};

} // namespace headscope::widgets

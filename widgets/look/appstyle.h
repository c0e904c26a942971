// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The style of all controls: Qt's Fusion style, flat, with rounded corners, padding around texts and colours from the
// palette only, so that light and dark share one implementation. GUI thread.

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
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                         const QWidget* widget) const override;
};

} // namespace headscope::widgets

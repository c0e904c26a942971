// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The look of buttons: Qt's Fusion style, flat and with room around the words. GUI thread.

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
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
};

} // namespace headscope::widgets

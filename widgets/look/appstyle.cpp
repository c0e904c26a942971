// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/appstyle.h"

#include "widgets/look/theme.h"

#include <QPainter>
#include <QPlainTextEdit>
#include <QStyleOptionButton>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

/// The one button of a panel that is the next step.
bool isPrimary(const QStyleOption* option)
{
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
    return button && button->features.testFlag(QStyleOptionButton::DefaultButton)
           && option->state.testFlag(QStyle::State_Enabled);
}

/// Fusion's own lines are darker than the window: on a dark one nobody sees them.
QColor edgeOf(const QStyleOption* option)
{
    return mixed(option->palette.color(QPalette::Base), option->palette.color(QPalette::Text),
                 option->state.testFlag(QStyle::State_Enabled) ? 0.45 : 0.2);
}

void drawRadioButton(const QStyleOption* option, QPainter* painter)
{
    const bool enabled = option->state.testFlag(QStyle::State_Enabled);
    const QRectF box = QRectF(option->rect).adjusted(1, 1, -1, -1);
    const double side = std::min(box.width(), box.height());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(edgeOf(option));
    painter->setBrush(option->palette.color(QPalette::Base));
    painter->drawEllipse(box.center(), side / 2, side / 2);
    if (option->state.testFlag(QStyle::State_On)) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(enabled ? option->palette.color(QPalette::Link) : edgeOf(option));
        painter->drawEllipse(box.center(), side / 4, side / 4);
    }
    painter->restore();
}

void drawEdge(const QStyleOption* option, QPainter* painter)
{
    const bool focus = option->state.testFlag(QStyle::State_HasFocus);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(focus ? option->palette.color(QPalette::Highlight) : edgeOf(option));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter->restore();
}

void drawCheckBox(const QStyleOption* option, QPainter* painter)
{
    const QPalette& palette = option->palette;
    const bool enabled = option->state.testFlag(QStyle::State_Enabled);
    const bool on = option->state & (QStyle::State_On | QStyle::State_NoChange);
    const QColor edge = edgeOf(option);
    QRectF box = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(on && enabled ? palette.color(QPalette::Link) : edge);
    painter->setBrush(on && enabled ? palette.color(QPalette::Link) : palette.color(QPalette::Base));
    painter->drawRoundedRect(box, 3, 3);
    if (on) {
        painter->setPen(QPen(enabled ? QColor(Qt::white) : edge, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->setBrush(Qt::NoBrush);
        const double w = box.width();
        if (option->state.testFlag(QStyle::State_NoChange))
            painter->drawLine(box.topLeft() + QPointF(0.25 * w, 0.5 * w), box.topLeft() + QPointF(0.75 * w, 0.5 * w));
        else
            painter->drawPolyline(
                QPolygonF({box.topLeft() + QPointF(0.22 * w, 0.52 * w), box.topLeft() + QPointF(0.43 * w, 0.73 * w),
                           box.topLeft() + QPointF(0.78 * w, 0.28 * w)}));
    }
    painter->restore();
}

} // namespace

AppStyle::AppStyle() : QProxyStyle(u"Fusion"_s) {}

int AppStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const
{
    switch (metric) {
    case PM_ButtonMargin: return 16;
    case PM_ButtonDefaultIndicator: return 0;
    default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

// Room beside the words, not above and below them: height is the maps'.
QSize AppStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                                 const QWidget* widget) const
{
    constexpr int kAround = 10;
    QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    if (type == CT_PushButton && option)
        size.setHeight(std::max(contents.height(), option->fontMetrics.height()) + kAround);
    return size;
}

void AppStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                             const QWidget* widget) const
{
    if (element == PE_IndicatorCheckBox || element == PE_IndicatorRadioButton) {
        (element == PE_IndicatorCheckBox ? drawCheckBox : drawRadioButton)(option, painter);
        return;
    }
    if (element == PE_FrameLineEdit || (element == PE_Frame && qobject_cast<const QPlainTextEdit*>(widget))) {
        drawEdge(option, painter);
        return;
    }
    if (element == PE_Frame && themeOf(option->palette).dark) { // lists and cards
        painter->setPen(mixed(option->palette.color(QPalette::Base), option->palette.color(QPalette::Text), 0.22));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
        return;
    }
    if (element != PE_PanelButtonCommand) {
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        return;
    }
    const QPalette& palette = option->palette;
    const QColor base = palette.color(QPalette::Base);
    const QColor text = palette.color(QPalette::Text);
    const bool enabled = option->state.testFlag(State_Enabled);
    QColor fill = isPrimary(option) ? palette.color(QPalette::Highlight) : palette.color(QPalette::Button);
    if (option->state & (State_Sunken | State_On))
        fill = mixed(fill, isPrimary(option) ? QColor(Qt::black) : palette.color(QPalette::Highlight), 0.22);
    else if (enabled && option->state.testFlag(State_MouseOver))
        fill = mixed(fill, isPrimary(option) ? QColor(Qt::white) : text, 0.08);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(fill);
    const bool focus = option->state.testFlag(State_HasFocus) && option->state.testFlag(State_KeyboardFocusChange);
    painter->setPen(focus ? QPen(palette.color(QPalette::Highlight), 2) : QPen(mixed(base, text, 0.22), 1));
    painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 1, -1, -1), 5, 5);
    painter->restore();
}

void AppStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                  const QWidget* widget) const
{
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
    if (control == CC_SpinBox && spin && spin->frame)
        drawEdge(option, painter);
}

void AppStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                           const QWidget* widget) const
{
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
    if (element == CE_PushButtonLabel && button && isPrimary(option)) {
        QStyleOptionButton light = *button;
        light.palette.setColor(QPalette::ButtonText, Qt::white);
        QProxyStyle::drawControl(element, &light, painter, widget);
        return;
    }
    if (element == CE_DockWidgetTitle && widget) { // letters of the window's size, whatever the desktop has for titles
        painter->save();
        painter->setFont(widget->font());
        QProxyStyle::drawControl(element, option, painter, widget);
        painter->restore();
        return;
    }
    const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option);
    if (element == CE_ProgressBarGroove && bar) {
        painter->fillRect(bar->rect,
                          mixed(bar->palette.color(QPalette::Base), bar->palette.color(QPalette::Text), 0.14));
        return;
    }
    if (element == CE_ProgressBarContents && bar && bar->maximum > bar->minimum) {
        QRect done = bar->rect;
        done.setWidth(static_cast<int>(static_cast<qint64>(done.width()) * (bar->progress - bar->minimum)
                                       / (bar->maximum - bar->minimum)));
        painter->fillRect(done, bar->palette.color(QPalette::Highlight));
        return;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

} // namespace headscope::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/appstyle.h"

#include "widgets/look/theme.h"

#include <QPainter>
#include <QPlainTextEdit>
#include <QStyleOptionButton>
#include <QTabBar>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kRadius = 6;
constexpr int kIconGap = 4;     // before the words of a box
constexpr int kScrollBar = 10;  // its width
constexpr int kLeastThumb = 24; // of a scroll bar
constexpr double kUnderline = 2.5;

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
    painter->drawRoundedRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
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

/// Of a button or a box: `primary` is filled with the highlight.
QColor buttonFace(const QStyleOption* option, bool primary)
{
    const QPalette& palette = option->palette;
    const QColor fill = palette.color(primary ? QPalette::Highlight : QPalette::Button);
    if (option->state & (QStyle::State_Sunken | QStyle::State_On))
        return mixed(fill, primary ? QColor(Qt::black) : palette.color(QPalette::Highlight), 0.14);
    if (option->state.testFlag(QStyle::State_Enabled) && option->state.testFlag(QStyle::State_MouseOver))
        return mixed(fill, primary ? QColor(Qt::white) : palette.color(QPalette::Text), 0.06);
    return fill;
}

void drawFace(const QStyleOption* option, QPainter* painter, bool primary)
{
    const QPalette& palette = option->palette;
    const bool focus =
        option->state.testFlag(QStyle::State_HasFocus) && option->state.testFlag(QStyle::State_KeyboardFocusChange);
    const bool on = option->state.testFlag(QStyle::State_On);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(buttonFace(option, primary));
    painter->setPen(focus     ? QPen(palette.color(QPalette::Highlight), 2)
                    : on      ? QPen(palette.color(QPalette::Highlight), 1)
                    : primary ? QPen(Qt::NoPen)
                              : QPen(mixed(palette.color(QPalette::Base), palette.color(QPalette::Text), 0.2), 1));
    painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 1, -1, -1), kRadius, kRadius);
    painter->restore();
}

/// "v" in the middle of `box`.
void drawChevron(const QStyleOption* option, QPainter* painter, const QRectF& box)
{
    const QPointF middle = box.center();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(option->palette.color(QPalette::ButtonText), 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPolyline(
        QPolygonF({middle + QPointF(-3.5, -1.75), middle + QPointF(0, 1.75), middle + QPointF(3.5, -1.75)}));
    painter->restore();
}

void drawScrollThumb(const QStyleOptionSlider* bar, QPainter* painter, const QRect& thumb)
{
    const QPalette& palette = bar->palette;
    const bool held = bar->state & (QStyle::State_MouseOver | QStyle::State_Sunken);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(mixed(palette.color(QPalette::Base), palette.color(QPalette::Text), held ? 0.45 : 0.25));
    const QRectF box = QRectF(thumb).adjusted(2, 2, -2, -2);
    const double radius = std::min(box.width(), box.height()) / 2;
    painter->drawRoundedRect(box, radius, radius);
    painter->restore();
}

/// The words alone, and a line along the one that is chosen.
void drawTab(const QStyleOptionTab* tab, QPainter* painter)
{
    const QPalette& palette = tab->palette;
    const QRectF box = tab->rect;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    const bool chosen = tab->state.testFlag(QStyle::State_Selected);
    if (!chosen && tab->state.testFlag(QStyle::State_MouseOver)) {
        painter->setBrush(mixed(palette.color(QPalette::Base), palette.color(QPalette::Text), 0.06));
        painter->drawRoundedRect(box.adjusted(2, 2, -2, -3), kRadius, kRadius);
    }
    if (chosen) {
        painter->setBrush(palette.color(QPalette::Link));
        const bool south = tab->shape == QTabBar::RoundedSouth || tab->shape == QTabBar::TriangularSouth;
        painter->drawRoundedRect(
            QRectF(box.left() + 6, south ? box.top() : box.bottom() - kUnderline, box.width() - 12, kUnderline),
            kUnderline / 2, kUnderline / 2);
    }
    painter->restore();
}

bool isUpright(const QStyleOptionTab* tab)
{
    return tab->shape == QTabBar::RoundedNorth || tab->shape == QTabBar::RoundedSouth
           || tab->shape == QTabBar::TriangularNorth || tab->shape == QTabBar::TriangularSouth;
}

// Fusion cuts an entry that has no room in the middle of a letter.
QStyleOptionComboBox withFittingEntry(QStyleOptionComboBox box, const QRect& room)
{
    const int icon = box.currentIcon.isNull() ? 0 : box.iconSize.width() + kIconGap;
    box.currentText = box.fontMetrics.elidedText(box.currentText, Qt::ElideRight, room.width() - icon);
    return box;
}

} // namespace

AppStyle::AppStyle() : QProxyStyle(u"Fusion"_s) {}

int AppStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const
{
    switch (metric) {
    case PM_ButtonMargin: return 16;
    case PM_ButtonDefaultIndicator: return 0;
    case PM_ScrollBarExtent: return kScrollBar;
    case PM_DockWidgetSeparatorExtent: return 8;
    case PM_DefaultFrameWidth: // text keeps off the rounded corners
        return qobject_cast<const QPlainTextEdit*>(widget) ? 3 : QProxyStyle::pixelMetric(metric, option, widget);
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
    if (element == PE_Frame) { // lists and tables
        painter->setPen(option->palette.color(QPalette::Mid));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
        return;
    }
    if (element == PE_PanelButtonCommand || element == PE_PanelButtonTool) {
        // A tool button that is flat has a face under the mouse, and while it is on.
        const bool flat = element == PE_PanelButtonTool && option->state.testFlag(State_AutoRaise);
        if (!flat || option->state & (State_Sunken | State_On | State_MouseOver | State_HasFocus))
            drawFace(option, painter, isPrimary(option));
        return;
    }
    if (element == PE_FrameStatusBarItem || element == PE_FrameTabBarBase
        || element == PE_IndicatorDockWidgetResizeHandle)
        return;
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void AppStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                  const QWidget* widget) const
{
    if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option); bar && control == CC_ScrollBar) {
        drawScrollThumb(bar, painter, subControlRect(control, option, SC_ScrollBarSlider, widget));
        return;
    }
    if (const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option);
        box && control == CC_ComboBox && !box->editable) {
        drawFace(option, painter, false);
        drawChevron(option, painter, subControlRect(control, option, SC_ComboBoxArrow, widget));
        return;
    }
    if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
        button && control == CC_ToolButton
        && (button->text.size() == 1 || button->text.isEmpty())) { // an icon that opens a menu needs no arrow
        QStyleOptionToolButton sign = *button;
        sign.features &= ~QStyleOptionToolButton::HasMenu;
        if (widget && widget->property("changed").toBool())
            sign.state |= State_On;
        QProxyStyle::drawComplexControl(control, &sign, painter, widget);
        return;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
    if (control == CC_SpinBox && spin && spin->frame)
        drawEdge(option, painter);
}

// A scroll bar is its thumb: no arrows.
QRect AppStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                               const QWidget* widget) const
{
    const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (control != CC_ScrollBar || !bar)
        return QProxyStyle::subControlRect(control, option, part, widget);
    const bool across = bar->orientation == Qt::Horizontal;
    const int length = across ? bar->rect.width() : bar->rect.height();
    const auto range = static_cast<qint64>(bar->maximum) - bar->minimum;
    const int thumb = range <= 0 ? length
                                 : std::clamp(static_cast<int>(length * static_cast<qint64>(bar->pageStep)
                                                               / (range + std::max(1, bar->pageStep))),
                                              std::min(kLeastThumb, length), length);
    const int at =
        sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition, length - thumb, bar->upsideDown);
    const auto piece = [&](int from, int to) {
        return visualRect(bar->direction, bar->rect,
                          across ? QRect(bar->rect.left() + from, bar->rect.top(), to - from, bar->rect.height())
                                 : QRect(bar->rect.left(), bar->rect.top() + from, bar->rect.width(), to - from));
    };
    switch (part) {
    case SC_ScrollBarGroove: return bar->rect;
    case SC_ScrollBarSlider: return piece(at, at + thumb);
    case SC_ScrollBarSubPage: return piece(0, at);
    case SC_ScrollBarAddPage: return piece(at + thumb, length);
    default: return {};
    }
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
    const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option);
    if (element == CE_ComboBoxLabel && box && !box->editable) {
        const QStyleOptionComboBox whole =
            withFittingEntry(*box, subControlRect(CC_ComboBox, box, SC_ComboBoxEditField, widget));
        return QProxyStyle::drawControl(element, &whole, painter, widget);
    }
    if (element == CE_HeaderSection) {
        painter->fillRect(option->rect,
                          mixed(option->palette.color(QPalette::Base), option->palette.color(QPalette::Text), 0.04));
        painter->setPen(option->palette.color(QPalette::Mid));
        painter->drawLine(option->rect.bottomLeft(), option->rect.bottomRight());
        return;
    }
    if (element == CE_Splitter || element == CE_MenuBarEmptyArea) {
        if (element == CE_MenuBarEmptyArea)
            painter->fillRect(option->rect, option->palette.color(QPalette::Base));
        return;
    }
    if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option); item && element == CE_MenuBarItem) {
        const QPalette& palette = option->palette;
        const bool open = item->state & (State_Selected | State_Sunken);
        painter->fillRect(option->rect, palette.color(QPalette::Base));
        if (open)
            painter->fillRect(option->rect, mixed(palette.color(QPalette::Base), palette.color(QPalette::Text), 0.08));
        const bool marked = styleHint(SH_UnderlineShortcut, option, widget) != 0;
        drawItemText(painter, item->rect,
                     Qt::AlignCenter | Qt::TextSingleLine | (marked ? Qt::TextShowMnemonic : Qt::TextHideMnemonic),
                     palette, item->state.testFlag(State_Enabled), item->text, QPalette::Text);
        return;
    }
    if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option);
        tab && element == CE_TabBarTabShape && isUpright(tab)) {
        drawTab(tab, painter);
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/survey/scatterpainter.h"

#include "widgets/look/labels/dotlabels.h"
#include "widgets/look/numbertext.h"
#include "widgets/look/theme.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr double kLeft = 56, kBelow = 44, kScatterMargin = 12, kScatterDot = 4;
constexpr std::size_t kMostLabels = 60; // more are no help, and each is tried against all
constexpr int kTicks = 5;

std::vector<double> valuesOf(const std::vector<ScatterDot>& dots, double ScatterDot::*value)
{
    std::vector<double> values;
    for (const ScatterDot& dot : dots)
        values.push_back(dot.*value);
    return values;
}

} // namespace

ScatterScale ScatterScale::over(const std::vector<double>& values, bool logarithmic)
{
    ScatterScale scale{0, 0, logarithmic};
    bool any = false;
    for (const double value : values) {
        if (!std::isfinite(value) || (logarithmic && value <= 0))
            continue;
        scale.low = any ? std::min(scale.low, value) : value;
        scale.high = any ? std::max(scale.high, value) : value;
        any = true;
    }
    if (!any)
        return {1, 2, logarithmic};
    if (scale.high <= scale.low) // one value stands in the middle
        scale = logarithmic ? ScatterScale{scale.low / 2, scale.high * 2, true}
                            : ScatterScale{scale.low - 0.5, scale.high + 0.5, false};
    return scale;
}

std::optional<double> ScatterScale::place(double value) const
{
    if (!std::isfinite(value) || (logarithmic && value <= 0))
        return std::nullopt;
    return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

std::vector<double> ScatterScale::ticks(int count) const
{
    std::vector<double> all;
    if (!logarithmic) {
        const double step = niceStep(high - low, count);
        for (double value = std::ceil(low / step) * step; value <= high; value += step)
            all.push_back(std::abs(value) < step / 1000 ? 0 : value);
        return all;
    }
    // Powers of ten; of few decades twice and five times as much, too.
    const double decades = std::log10(high / low);
    const double step = std::max(1.0, std::ceil(decades / count));
    const std::vector<double> parts = decades < 2 ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
    for (double power = std::floor(std::log10(low)); power <= std::log10(high); power += step)
        for (const double part : parts)
            if (const double value = part * std::pow(10, power); value >= low && value <= high)
                all.push_back(value);
    return all.size() < 2 ? std::vector<double>{low, high} : all;
}

QRectF Scatter::area(const QSizeF& size, double line)
{
    return QRectF(QPointF(kLeft, kScatterMargin),
                  QPointF(size.width() - kScatterMargin, size.height() - std::max(kBelow, 2 * line + 6)));
}

std::vector<std::optional<QPointF>> Scatter::places(const QRectF& area) const
{
    const ScatterScale x = ScatterScale::over(valuesOf(dots, &ScatterDot::x), logX),
                       y = ScatterScale::over(valuesOf(dots, &ScatterDot::y), logY);
    std::vector<std::optional<QPointF>> all;
    for (const ScatterDot& dot : dots) {
        const auto right = x.place(dot.x), up = y.place(dot.y);
        all.push_back(right && up ? std::optional(
                          QPointF(area.left() + *right * area.width(), area.bottom() - *up * area.height()))
                                  : std::nullopt);
    }
    return all;
}

std::vector<std::size_t> Scatter::inOrder(const std::vector<std::optional<QPointF>>& at) const
{
    const std::vector<double> apart = apartness(at);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < dots.size(); ++i)
        if (at[i])
            order.push_back(i);
    const auto rank = [&](std::size_t i) { return std::pair(!selected.contains(dots[i].head), -apart[i]); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    order.resize(std::min(order.size(), kMostLabels));
    return order;
}

std::vector<std::pair<std::size_t, QRectF>>
Scatter::labels(const QRectF& area, const std::function<double(const QString&)>& width, double height) const
{
    const auto at = places(area);
    const DotLabels names{area, height, kScatterDot, [&](std::size_t i) { return width(dots[i].head); }};
    return names.placedNames(at, inOrder(at));
}

void Scatter::paintAxes(QPainter& painter, const QRectF& inside, const QPalette& palette) const
{
    const Theme theme = themeOf(palette);
    const double line = QFontMetricsF(painter.font()).height();
    const ScatterScale x = ScatterScale::over(valuesOf(dots, &ScatterDot::x), logX),
                       y = ScatterScale::over(valuesOf(dots, &ScatterDot::y), logY);
    for (const double value : x.ticks(kTicks)) {
        const double at = inside.left() + x.place(value).value_or(0) * inside.width();
        painter.setPen(theme.faint);
        painter.drawLine(QPointF(at, inside.top()), QPointF(at, inside.bottom()));
        painter.setPen(theme.muted);
        painter.drawText(QRectF(at - 40, inside.bottom() + 2, 80, line), Qt::AlignHCenter,
                         QString::number(value, 'g', 3));
    }
    for (const double value : y.ticks(kTicks)) {
        const double at = inside.bottom() - y.place(value).value_or(0) * inside.height();
        painter.setPen(theme.faint);
        painter.drawLine(QPointF(inside.left(), at), QPointF(inside.right(), at));
        painter.setPen(theme.muted);
        painter.drawText(QRectF(0, at - line / 2, kLeft - 5, line), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(value, 'g', 3));
    }
    painter.setPen(theme.muted);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(inside);
    painter.setPen(theme.text);
    painter.drawText(QRectF(inside.left(), inside.bottom() + 2 + line, inside.width(), line), Qt::AlignHCenter, xTitle);
    painter.save();
    painter.translate(line, inside.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-inside.height() / 2, -line, inside.height(), line), Qt::AlignHCenter, yTitle);
    painter.restore();
}

void Scatter::paint(QPainter& painter, const QSizeF& size, const QPalette& palette) const
{
    const Theme theme = themeOf(palette);
    const QFontMetricsF metrics(painter.font());
    const QRectF inside = area(size, metrics.height());
    const auto at = places(inside);
    if (std::ranges::none_of(at, [](const auto& place) { return place.has_value(); })) {
        painter.setPen(theme.faint); // numbers on the axes would be nobody's
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(inside);
        return;
    }
    paintAxes(painter, inside, palette);
    for (std::size_t i = 0; i < dots.size(); ++i) {
        if (!at[i])
            continue;
        const bool chosen = selected.contains(dots[i].head);
        const QColor color = sideColor(theme, dots[i].side);
        painter.setPen(chosen ? QPen(theme.text, 1.6) : QPen(Qt::NoPen));
        painter.setBrush(color);
        // B is told from A by its shape too.
        const QRectF dot(*at[i] - QPointF(kScatterDot, kScatterDot), QSizeF(2 * kScatterDot, 2 * kScatterDot));
        if (dots[i].side == Side::A)
            painter.drawEllipse(dot);
        else
            painter.drawRect(dot.adjusted(0.6, 0.6, -0.6, -0.6));
    }
    for (const auto& [i, label] : labels(
             inside, [&](const QString& text) { return metrics.horizontalAdvance(text); }, metrics.height())) {
        painter.setPen(selected.contains(dots[i].head) ? theme.text : theme.muted);
        painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter, dots[i].head);
    }
}

} // namespace headscope::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figurecharts.h"

#include "widgets/look/numbertext.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kMostBars = 36; // of a panel

void widen(double value, double& low, double& high)
{
    if (std::isfinite(value)) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
}

} // namespace

// Of an axis; two lines where one does not fit.
double ChartPainter::titleHeight(const QString& title, double width) const
{
    return textWidth(title) > width ? 2 * m_line : m_line;
}

// Okabe and Ito's colours after ours; differing in lightness and drawn with differing markers, so that grey print
// works.
QColor ChartPainter::curveColor(int color) const
{
    static const QColor kMore[] = {QColor(0x00, 0x9e, 0x73), QColor(0xa0, 0x52, 0x9c), QColor(0x4a, 0xa8, 0xde),
                                   QColor(0x8a, 0x6d, 0x00)};
    if (color <= 1)
        return sideColor(m_theme, color == 0 ? Side::A : Side::B);
    const QColor chosen = kMore[(color - 2) % 4];
    return m_theme.dark ? mixed(chosen, Qt::white, 0.3) : chosen;
}

QColor ChartPainter::colorOf(const ChartCurve& curve) const
{
    return curve.style == ChartCurve::Style::Dotted ? m_theme.muted : curveColor(curve.color);
}

void ChartPainter::marker(const QPointF& at, int shape, const QColor& color)
{
    if (!m_painter)
        return;
    const double r = m_line * 0.2;
    m_painter->setPen(QPen(m_theme.base, m_thin));
    m_painter->setBrush(color);
    // Behind the two sides' the colours come again after four, each time with the next shape.
    switch ((shape + std::max(0, shape - 2) / 4) % 4) {
    case 0: m_painter->drawEllipse(at, r, r); break;
    case 1: m_painter->drawRect(QRectF(at.x() - r * 0.9, at.y() - r * 0.9, r * 1.8, r * 1.8)); break;
    case 2:
        m_painter->drawPolygon(
            QPolygonF({at + QPointF(0, -r * 1.2), at + QPointF(r * 1.15, r * 0.9), at + QPointF(-r * 1.15, r * 0.9)}));
        break;
    default:
        m_painter->drawPolygon(QPolygonF({at + QPointF(0, -r * 1.3), at + QPointF(r * 1.2, 0), at + QPointF(0, r * 1.3),
                                          at + QPointF(-r * 1.2, 0)}));
        break;
    }
    m_painter->setBrush(Qt::NoBrush);
}

void ChartPainter::sample(const QPointF& at, double width, const ChartCurve& curve)
{
    const QColor color = colorOf(curve);
    const Qt::PenStyle style = curve.style == ChartCurve::Style::Solid    ? Qt::SolidLine
                               : curve.style == ChartCurve::Style::Dashed ? Qt::DashLine
                                                                          : Qt::DotLine;
    line(at, at + QPointF(width, 0), color, m_line * 0.12, style);
    if (curve.style != ChartCurve::Style::Dotted)
        marker(at + QPointF(width / 2, 0), curve.color, color);
}

// Entries side by side, in as many rows as they need.
double ChartPainter::legend(const std::vector<ChartCurve>& entries, bool bars, const QRectF& box)
{
    const double swatch = bars ? m_line * 0.7 : m_line * 1.7;
    double x = box.left();
    double y = box.top();
    for (const ChartCurve& entry : entries) {
        // A name longer than the panel would run into the next one: it takes more lines, and then is cut; so is a word
        // longer than a line.
        const FigureMetrics metrics(m_font);
        const double room = box.width() - swatch - m_gap * 0.7;
        QStringList words = metrics.elidedText(entry.name, Qt::ElideMiddle, 1.9 * room).split(u' ');
        for (QString& word : words)
            word = metrics.elidedText(word, Qt::ElideMiddle, room);
        const QString name = words.join(u' ');
        const double high =
            std::max(m_line, metrics.boundingRect(QRectF(0, 0, room, 1e6), Qt::TextWordWrap, name).height());
        const double width = swatch + m_gap * 0.7 + std::min(room, textWidth(name)) + 2 * m_gap;
        if (x > box.left() && x + width - 2 * m_gap > box.right()) {
            x = box.left();
            y += m_line * 1.1;
        }
        if (bars)
            fill(QRectF(x, y + m_line * 0.2, swatch, m_line * 0.6), colorOf(entry));
        else
            sample({x, y + m_line / 2}, swatch, entry);
        text(QRectF(x + swatch + m_gap * 0.7, y, std::min(room, textWidth(name)) + 1, high),
             Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, name, m_font, m_theme.text);
        x += width;
        y += high - m_line;
    }
    return y + m_line - box.top() + m_gap;
}

void ChartPainter::whisker(const Estimate& estimate, const QRectF& plot, const Axis& axis, double across, bool vertical,
                           const QColor& color)
{
    if (!std::isfinite(estimate.low) || !std::isfinite(estimate.high))
        return;
    const auto along = [&](double value) {
        const double part = (std::clamp(value, axis.low, axis.high) - axis.low) / (axis.high - axis.low);
        return vertical ? plot.bottom() - part * plot.height() : plot.left() + part * plot.width();
    };
    const auto at = [&](double value, double aside) {
        return vertical ? QPointF(across + aside, along(value)) : QPointF(along(value), across + aside);
    };
    line(at(estimate.low, 0), at(estimate.high, 0), color, m_thin * 1.6);
    const double cap = m_line * 0.12;
    for (const double end : {estimate.low, estimate.high})
        line(at(end, -cap), at(end, cap), color, m_thin * 1.6);
}

double ChartPainter::draw(const ChartFigure& figure, const QRectF& box)
{
    // 1. the ranges
    Axis x{1e300, -1e300, 1}, y{1e300, -1e300, 0.2};
    for (const ChartCurve& curve : figure.curves)
        for (const ChartPoint& point : curve.points) {
            widen(point.x, x.low, x.high);
            for (const double value : {point.y.value, point.y.low, point.y.high})
                widen(value, y.low, y.high);
        }
    if (figure.share)
        y = {0, 1, 0.2};
    if (!(y.high > y.low))
        y.high = (y.low = std::min(y.low, 0.0)) + 1;
    if (!figure.share) {
        y.step = niceStep(y.high - y.low, 5);
        y.low = std::floor(y.low / y.step) * y.step;
        y.high = std::ceil(y.high / y.step) * y.step;
    }
    const double pad = figure.xLabels.isEmpty() ? 0.04 * std::max(1e-9, x.high - x.low) : 0.5;
    x.low -= x.high > x.low ? pad : 0.5;
    x.high += x.high > x.low + pad ? pad : 0.5;

    // 2. legend, frame, grid
    double top = box.top();
    if (figure.curves.size() > 1)
        top += legend(figure.curves, false, QRectF(box.left(), top, box.width(), 0));
    const int decimals = decimalsOfStep(y.step);
    const double gutter = m_line + m_gap
                          + std::max(textWidth(numberText(y.low, decimals)), textWidth(numberText(y.high, decimals)))
                          + m_gap;
    const QRectF plot(box.left() + gutter, top + m_line * 0.3, box.width() - gutter - m_gap,
                      (box.width() - gutter) * 0.58 * m_fit.stretch);
    const auto xOf = [&](double value) { return plot.left() + (value - x.low) / (x.high - x.low) * plot.width(); };
    // Marks that would run into each other are fewer.
    const double spacing = y.step / (y.high - y.low) * plot.height();
    const double marks = y.step
                         * (spacing >= m_line                         ? 1
                            : 2.5 * spacing >= m_line && figure.share ? 2.5
                                                                      : std::round((y.high - y.low) / y.step));
    for (double value = y.low; value <= y.high + 1e-9; value += marks) {
        const double at = plot.bottom() - (value - y.low) / (y.high - y.low) * plot.height();
        line({plot.left(), at}, {plot.right(), at}, m_theme.faint, m_thin * 0.7);
        text(QRectF(plot.left() - gutter, at - m_line / 2, gutter - m_gap * 0.6, m_line),
             Qt::AlignRight | Qt::AlignVCenter, numberText(value, decimals), m_font, m_theme.text);
    }
    line(plot.bottomLeft(), plot.bottomRight(), m_theme.text, m_thin);
    line(plot.topLeft(), plot.bottomLeft(), m_theme.text, m_thin);
    xTicks(figure, x, plot);
    const double titled = titleHeight(figure.xTitle, box.width());
    // Under the plot, or under all of the panel where that has no room for it.
    const QRectF under = textWidth(figure.xTitle) <= plot.width() ? plot : box;
    text(QRectF(under.left(), plot.bottom() + m_line * 1.35, under.width(), titled),
         Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, figure.xTitle, m_font, m_theme.text);
    if (m_painter && textWidth(figure.yTitle) <= plot.height() + m_line) {
        m_painter->save();
        m_painter->translate(box.left() + m_line / 2, plot.center().y());
        m_painter->rotate(-90);
        text(QRectF(-plot.height(), -m_line / 2, 2 * plot.height(), m_line), Qt::AlignCenter, figure.yTitle, m_font,
             m_theme.text);
        m_painter->restore();
    }

    // 3. the lines, dotted ones below
    for (const bool dotted : {true, false})
        for (const ChartCurve& each : figure.curves)
            if ((each.style == ChartCurve::Style::Dotted) == dotted) {
                for (const ChartPoint& point : each.points)
                    whisker(point.y, plot, y, xOf(point.x), true, colorOf(each));
                curve(each, plot, x, y);
            }
    return plot.bottom() + m_line * 1.35 + titled + m_gap - box.top();
}

void ChartPainter::xTicks(const ChartFigure& figure, const Axis& x, const QRectF& plot)
{
    const auto tick = [&](double value, const QString& words) {
        const double at = plot.left() + (value - x.low) / (x.high - x.low) * plot.width();
        line({at, plot.bottom()}, {at, plot.bottom() + m_gap * 0.4}, m_theme.text, m_thin);
        text(QRectF(at - 1e4, plot.bottom() + m_gap * 0.5, 2e4, m_line), Qt::AlignHCenter | Qt::AlignTop, words, m_font,
             m_theme.text);
    };
    if (!figure.xLabels.isEmpty()) {
        double widest = 0;
        for (const QString& label : figure.xLabels)
            widest = std::max(widest, textWidth(label));
        const double room = plot.width() / (x.high - x.low);
        const int every = std::max(1, static_cast<int>(std::ceil((widest + m_gap) / room)));
        for (int i = 0; i < figure.xLabels.size(); i += every)
            tick(i, figure.xLabels[i]);
        return;
    }
    const int parts = std::clamp(static_cast<int>(plot.width() / (3 * m_line)), 2, 10);
    double step = niceStep(x.high - x.low, parts);
    if (figure.integerX)
        step = std::max(1.0, std::ceil(step));
    // The numbers that were measured where they are few, else round ones.
    std::vector<double> measured;
    for (const ChartCurve& each : figure.curves)
        for (const ChartPoint& point : each.points)
            measured.push_back(point.x);
    std::sort(measured.begin(), measured.end());
    measured.erase(std::unique(measured.begin(), measured.end()), measured.end());
    constexpr std::size_t kFew = 12;
    if (!measured.empty() && measured.size() <= kFew) {
        const auto at = [&](double value) { return (value - x.low) / (x.high - x.low) * plot.width(); };
        const auto named = [&](double value) {
            return figure.integerX && std::abs(value) < 1e6 ? QString::number(std::llround(value)) : compactText(value);
        };
        const double apart = textWidth(named(measured.back())) + m_gap;
        double last = -1e300;
        for (const double value : measured) // the last is always named
            if (value == measured.back() || (at(value) - last > apart && at(measured.back()) - at(value) > apart)) {
                tick(value, named(value));
                last = at(value);
            }
        return;
    }
    for (double value = std::ceil(x.low / step) * step; value <= x.high + 1e-9; value += step)
        tick(value, numberText(value, figure.integerX ? 0 : decimalsOfStep(step)));
}

void ChartPainter::curve(const ChartCurve& curve, const QRectF& plot, const Axis& x, const Axis& y)
{
    if (!m_painter)
        return;
    const QColor color = colorOf(curve);
    const bool dotted = curve.style == ChartCurve::Style::Dotted;
    QPolygonF points;
    for (const ChartPoint& point : curve.points)
        if (std::isfinite(point.x) && std::isfinite(point.y.value))
            points.append({plot.left() + (point.x - x.low) / (x.high - x.low) * plot.width(),
                           plot.bottom() - (point.y.value - y.low) / (y.high - y.low) * plot.height()});
    m_painter->setBrush(Qt::NoBrush);
    m_painter->setPen(QPen(color, m_line * (dotted ? 0.08 : 0.12),
                           dotted                                     ? Qt::DotLine
                           : curve.style == ChartCurve::Style::Dashed ? Qt::DashLine
                                                                      : Qt::SolidLine,
                           Qt::FlatCap, Qt::RoundJoin));
    m_painter->drawPolyline(points);
    if (!dotted)
        for (const QPointF& at : points)
            marker(at, curve.color, color);
}

void ChartPainter::dotsOf(const BarFigure::Bar& bar, const QRectF& plot, const Axis& axis, double y, double step)
{
    line({plot.left(), y}, {plot.right(), y}, m_theme.faint, m_thin * 0.5);
    const auto series = static_cast<double>(bar.values.size());
    for (std::size_t s = 0; s < bar.values.size(); ++s) {
        const Estimate& estimate = bar.values[s];
        if (!std::isfinite(estimate.value))
            continue;
        const double x = plot.left() + (estimate.value - axis.low) / (axis.high - axis.low) * plot.width();
        const double across = y + 0.7 * step * ((static_cast<double>(s) + 0.5) / series - 0.5);
        const QColor color = curveColor(static_cast<int>(s));
        whisker(estimate, plot, axis, across, false, color);
        marker({x, across}, static_cast<int>(s), color);
    }
}

double ChartPainter::draw(const BarFigure& figure, const QRectF& box)
{
    Axis axis{0, 0, 1};
    double gutter = 0;
    for (const BarFigure::Bar& bar : figure.bars) {
        gutter = std::max(gutter, textWidth(bar.label));
        for (const Estimate& estimate : bar.values)
            for (const double value : {estimate.value, estimate.low, estimate.high})
                widen(value, axis.low, axis.high);
    }
    widen(figure.reference, axis.low, axis.high);
    if (!(axis.high > axis.low))
        axis.high = axis.low + 1;
    gutter = std::min(gutter, box.width() * 0.4) + m_gap;
    axis.step =
        niceStep(axis.high - axis.low, std::clamp(static_cast<int>((box.width() - gutter) / (3.5 * m_line)), 2, 6));
    // To the next mark, unless only the end of a whisker stands out.
    const auto beyond = [&axis](double value) { return std::abs(value) < 0.3 * axis.step; };
    axis.low = beyond(axis.low) ? axis.low : std::floor(axis.low / axis.step + 1e-9) * axis.step;
    axis.high = beyond(axis.high) ? axis.high : std::ceil(axis.high / axis.step - 1e-9) * axis.step;

    const auto series = static_cast<double>(std::max<qsizetype>(1, figure.series.size()));
    const std::size_t shown = std::min(figure.bars.size(), static_cast<std::size_t>(m_fit.rows));
    // Many bars are a wall: dots on a line say the same.
    const bool dots = series > 1 && static_cast<double>(shown) * series > kMostBars;
    double top = box.top();
    if (figure.series.size() > 1) {
        std::vector<ChartCurve> entries;
        for (int i = 0; i < figure.series.size(); ++i)
            entries.push_back({figure.series[i], {}, i, ChartCurve::Style::Solid});
        top += legend(entries, !dots, QRectF(box.left(), top, box.width(), 0));
    }
    const double lines = dots ? std::max(1.25, 0.3 * series) : 0.7 + 0.6 * series;
    const double step = m_line * lines * std::clamp(m_fit.stretch, 0.75, 2.0);
    const QRectF plot(box.left() + gutter, top, box.width() - gutter - 2 * m_gap,
                      step * static_cast<double>(shown) + m_gap);
    const auto xOf = [&](double value) {
        return plot.left() + (value - axis.low) / (axis.high - axis.low) * plot.width();
    };
    const int decimals = decimalsOfStep(axis.step);
    for (double value = std::ceil(axis.low / axis.step - 1e-9) * axis.step; value <= axis.high + 1e-9;
         value += axis.step) {
        line({xOf(value), plot.top()}, {xOf(value), plot.bottom()}, m_theme.faint, m_thin * 0.7);
        text(QRectF(xOf(value) - 1e4, plot.bottom() + m_gap * 0.4, 2e4, m_line), Qt::AlignHCenter | Qt::AlignTop,
             numberText(value, decimals), m_font, m_theme.text);
    }
    const FigureMetrics metrics(m_font);
    for (std::size_t i = 0; i < shown; ++i) {
        const BarFigure::Bar& bar = figure.bars[i];
        const double y = plot.top() + m_gap / 2 + static_cast<double>(i) * step;
        text(QRectF(box.left(), y, gutter - m_gap, step), Qt::AlignRight | Qt::AlignVCenter,
             metrics.elidedText(bar.label, Qt::ElideRight, gutter - m_gap), m_font, m_theme.text);
        if (dots) {
            dotsOf(bar, plot, axis, y + step / 2, step);
            continue;
        }
        const double thick = step * 0.78 / series;
        for (std::size_t s = 0; s < bar.values.size(); ++s) {
            if (!std::isfinite(bar.values[s].value))
                continue;
            const double barTop = y + step * 0.11 + static_cast<double>(s) * thick;
            fill(QRectF(QPointF(xOf(std::min(0.0, bar.values[s].value)), barTop),
                        QPointF(xOf(std::max(0.0, bar.values[s].value)), barTop + thick * 0.92)),
                 curveColor(static_cast<int>(s)));
            whisker(bar.values[s], plot, axis, barTop + thick * 0.46, false, m_theme.text);
        }
    }
    if (std::isfinite(figure.reference))
        line({xOf(figure.reference), plot.top()}, {xOf(figure.reference), plot.bottom()}, m_theme.muted, m_thin * 1.6,
             Qt::DashLine);
    line({xOf(std::max(0.0, axis.low)), plot.top()}, {xOf(std::max(0.0, axis.low)), plot.bottom()}, m_theme.text,
         m_thin);
    const double titled = titleHeight(figure.xTitle, box.width());
    text(QRectF(box.left(), plot.bottom() + m_line * 1.3, plot.right() - box.left(), titled),
         Qt::AlignRight | Qt::AlignTop | Qt::TextWordWrap, figure.xTitle, m_font, m_theme.text);
    const double bottom = plot.bottom() + m_line * 1.3 + titled + m_gap;
    return bottom + rowsLeftOut(figure.bars.size(), box.left(), bottom) - box.top();
}

} // namespace headscope::widgets

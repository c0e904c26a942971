// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figureplots.h"

#include "widgets/figures/figuregrids.h"
#include "widgets/look/labels/dotlabels.h"
#include "widgets/look/numbertext.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kBandOpacity = 0.18;
constexpr double kWidestNames = 0.42;   // of a panel, for names beside a plot
constexpr std::size_t kMostNames = 120; // beside marks; each is tried against all
constexpr double kLeast = 1e-12;        // that has a logarithm here
constexpr double kWidestEnds = 0.34;    // of a panel, for names at the ends of lines; else they stand above

const PlotPoint* lastOf(const PlotSeries& series)
{
    const auto last = std::max_element(series.points.begin(), series.points.end(),
                                       [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
    return last == series.points.end() ? nullptr : &*last;
}

/// Where x stands on its axis, which is of magnitudes or of the numbers.
double placedX(const Plot& plot, double x)
{
    return plot.logarithmicX ? std::log10(std::max(x, kLeast)) : x;
}

} // namespace

QColor PlotPainter::toneOf(PlotSeries::Tone tone) const
{
    switch (tone) {
    case PlotSeries::Tone::Control: return m_theme.muted;
    case PlotSeries::Tone::Paper: return m_theme.text;
    default: return curveColor(static_cast<int>(tone));
    }
}

// The paper's are hollow: they were measured on other models.
void PlotPainter::plotMark(const QPointF& at, const PlotSeries& series)
{
    const QColor color = toneOf(series.tone);
    if (series.tone != PlotSeries::Tone::Paper)
        return marker(at, series.tone == PlotSeries::Tone::Control ? 1 : static_cast<int>(series.tone), color);
    if (!m_painter)
        return;
    const double r = m_line * 0.26;
    m_painter->setPen(QPen(color, m_thin * 1.6));
    m_painter->setBrush(Qt::NoBrush);
    m_painter->drawPolygon(
        QPolygonF({at + QPointF(0, -r), at + QPointF(r, 0), at + QPointF(0, r), at + QPointF(-r, 0)}));
}

ChartPainter::Axis PlotPainter::valueAxis(const Plot& plot, int parts) const
{
    if (plot.share)
        return {0, 1, parts >= 4 ? 0.2 : 0.5};
    const auto placed = [&](double value) { return plot.logarithmic ? std::log10(std::max(value, kLeast)) : value; };
    Axis axis{1e300, -1e300, 1};
    const auto widen = [&](double value) {
        if (std::isfinite(value)) {
            axis.low = std::min(axis.low, value);
            axis.high = std::max(axis.high, value);
        }
    };
    const bool drawn = plot.joined || !plot.conditions.isEmpty(); // intervals
    for (const PlotSeries& series : plot.series)
        for (const PlotPoint& point : series.points) {
            widen(placed(point.value));
            if (point.interval && drawn) {
                widen(placed(point.interval->first));
                widen(placed(point.interval->second));
            }
        }
    if (plot.guessing)
        widen(placed(*plot.guessing));
    if (plot.bars) {
        axis.low = 0;
        axis.high *= 1.15; // for the number at its end
    }
    if (!plot.logarithmic && axis.low > 0 && axis.low < 0.5 * axis.high)
        axis.low = 0;
    if (!(axis.high > axis.low))
        axis.high = (axis.low = std::min(axis.low, 0.0)) + 1;
    axis.step = niceStep(axis.high - axis.low, parts);
    if (plot.logarithmic || plot.bars) // whole powers of ten; whole things that are counted
        axis.step = std::max(1.0, std::ceil(axis.step));
    axis.low = std::floor(axis.low / axis.step + 1e-9) * axis.step;
    axis.high = std::ceil(axis.high / axis.step - 1e-9) * axis.step;
    return axis;
}

// A column in which the names of conditions, or of lines, leave room for what they name.
double PlotPainter::narrowest(const Plot& plot) const
{
    if (!plot.grid.rows.isEmpty())
        return GridPainter(*this).narrowest(plot.grid);
    double widest = 0;
    for (const QString& name : plot.conditions)
        widest = std::max(widest, textWidth(name));
    return plot.conditions.isEmpty() ? 13 * m_line : std::min(widest, 14 * m_line) + 8.5 * m_line;
}

double PlotPainter::draw(const Plot& plot, const QRectF& box)
{
    if (!plot.grid.rows.isEmpty())
        return GridPainter(*this).draw(plot, box);
    return plot.conditions.isEmpty() ? plotLines(plot, box) : plotDots(plot, box);
}

double PlotPainter::plotDots(const Plot& plot, const QRectF& box)
{
    // 1. names at the left, in up to three lines where one is too narrow
    const std::size_t shown =
        std::min(static_cast<std::size_t>(plot.conditions.size()), static_cast<std::size_t>(m_fit.rows));
    double widest = 0;
    for (const QString& name : plot.conditions)
        widest = std::max(widest, textWidth(name));
    const double gutter = std::min(widest + m_gap, kWidestNames * box.width());
    int lines = 1; // of the longest name
    for (const QString& name : plot.conditions)
        lines = std::max(
            lines,
            static_cast<int>(std::lround(
                FigureMetrics(m_font).boundingRect(QRectF(0, 0, gutter - m_gap, 1e4), Qt::TextWordWrap, name).height()
                / m_line)));
    lines = std::min(lines, 3);
    double top = box.top();
    if (namesAbove(plot, box.width()))
        plotLegend(plot, QRectF(box.left(), top, box.width(), 0));
    top += m_names.high;
    const double step = m_line * std::max(lines + 0.15, (lines + 0.4) * std::min(m_fit.stretch, 2.0));
    const QRectF area(box.left() + gutter, top, box.width() - gutter - 1.5 * m_gap,
                      step * static_cast<double>(shown) + m_gap);
    const Axis axis = valueAxis(plot, std::clamp(static_cast<int>(area.width() / (3.2 * m_line)), 1, 5));
    const auto xOf = [&](double value) {
        return area.left()
               + (std::clamp(value, axis.low, axis.high) - axis.low) / (axis.high - axis.low) * area.width();
    };

    // 2. axis
    const int decimals = decimalsOfStep(axis.step);
    for (double value = axis.low; value <= axis.high + 1e-9; value += axis.step) {
        line({xOf(value), area.top()}, {xOf(value), area.bottom()}, m_theme.faint, m_thin * 0.7);
        text(QRectF(xOf(value) - 1e4, area.bottom() + m_gap * 0.3, 2e4, m_line), Qt::AlignHCenter | Qt::AlignTop,
             numberText(value, decimals), m_font, m_theme.text);
    }
    if (plot.guessing)
        line({xOf(*plot.guessing), area.top()}, {xOf(*plot.guessing), area.bottom()}, m_theme.muted, m_thin * 1.4,
             Qt::DotLine);

    // 3. a line a condition; several series beside each other on it
    for (std::size_t i = 0; i < shown; ++i) {
        const double y = area.top() + (static_cast<double>(i) + 0.5) * step + m_gap / 2;
        const QString& name = plot.conditions[static_cast<qsizetype>(i)];
        text(QRectF(box.left(), y - lines * m_line / 2, gutter - m_gap, lines * m_line),
             Qt::AlignLeft | Qt::AlignVCenter | (lines > 1 ? Qt::TextWordWrap : 0),
             FigureMetrics(m_font).elidedText(name, Qt::ElideMiddle, (lines == 3 ? 2.4 : lines) * (gutter - m_gap) + 1),
             m_font, m_theme.text);
        line({area.left(), y}, {area.right(), y}, m_theme.faint, m_thin * 0.5);
    }
    const auto count = static_cast<double>(std::max<std::size_t>(plot.series.size(), 1));
    for (std::size_t s = 0; s < plot.series.size(); ++s)
        for (const PlotPoint& point : plot.series[s].points) {
            if (point.x >= static_cast<double>(shown))
                continue;
            const double y = area.top() + (point.x + 0.5) * step + m_gap / 2
                             + 0.55 * step * ((static_cast<double>(s) + 0.5) / count - 0.5);
            if (plot.bars) {
                plotBar(QRectF(area.left(), area.top() + (point.x + 0.2) * step + m_gap / 2,
                               xOf(point.value) - area.left(), 0.6 * step),
                        plot.series[s].tone, numberText(point.value, 0));
                continue;
            }
            if (point.interval)
                whisker({point.value, point.interval->first, point.interval->second}, area, axis, y, false,
                        toneOf(plot.series[s].tone));
            plotMark({xOf(point.value), y}, plot.series[s]);
        }
    const double below = area.bottom() + m_gap * 0.3 + m_line;
    return below + rowsLeftOut(static_cast<std::size_t>(plot.conditions.size()), box.left(), below) + m_gap - box.top();
}

void PlotPainter::plotBar(const QRectF& bar, PlotSeries::Tone tone, const QString& number)
{
    const QColor color = toneOf(tone);
    if (tone != PlotSeries::Tone::Paper)
        fill(bar, color);
    else
        outline(bar, 1.6 * m_thin);
    text(QRectF(bar.right() + m_gap * 0.5, bar.top(), textWidth(number) + m_gap, bar.height()),
         Qt::AlignLeft | Qt::AlignVCenter, number, m_font, m_theme.text);
}

double PlotPainter::plotLegend(const Plot& plot, const QRectF& box)
{
    double x = box.left(), y = box.top();
    for (const PlotSeries& series : plot.series) {
        if (series.name.isEmpty())
            continue;
        const double room = box.width() - m_line * 1.2;
        const QString name = FigureMetrics(m_font).elidedText(series.name, Qt::ElideMiddle, room);
        const double width = m_line * 1.2 + textWidth(name) + 2 * m_gap;
        if (x > box.left() && x + width - 2 * m_gap > box.right()) {
            x = box.left();
            y += m_line * 1.1;
        }
        plotMark({x + m_line * 0.5, y + m_line / 2}, series);
        text(QRectF(x + m_line * 1.1, y, textWidth(name) + m_gap, m_line), Qt::AlignLeft | Qt::AlignVCenter, name,
             m_font, toneOf(series.tone));
        x += width;
    }
    return y + m_line - box.top() + m_gap;
}

// At the ends of their lines, unless they are too long, or unless there are no lines.
bool PlotPainter::namesAbove(const Plot& plot, double width) const
{
    const double widest = widestName(plot);
    return plot.joined && plot.conditions.isEmpty() ? widest > kWidestEnds * width : widest > 0;
}

double PlotPainter::widestName(const Plot& plot) const
{
    double widest = 0;
    for (const PlotSeries& series : plot.series)
        if (!series.points.empty())
            widest = std::max(widest, textWidth(series.name));
    return widest;
}

PlotNames PlotPainter::namesAboveOf(std::span<const FigurePanel> panels, double width) const
{
    PlotPainter measuring(*this);
    measuring.m_painter = nullptr;
    PlotNames names;
    for (const FigurePanel& panel : panels)
        if (const auto* plot = std::get_if<Plot>(&panel.content); plot && namesAbove(*plot, width)) {
            names.high = std::max(names.high, measuring.plotLegend(*plot, QRectF(0, 0, width, 0)));
            names.linesBelow = names.linesBelow || plot->conditions.isEmpty();
        }
    return names;
}

double PlotPainter::plotLines(const Plot& plot, const QRectF& box)
{
    // 1. where the names stand: at the ends of their lines, or above where they are too long
    const bool above = namesAbove(plot, box.width()) || m_names.linesBelow;
    double top = box.top() + m_gap * 0.5;
    if (above)
        top += std::max(plotLegend(plot, QRectF(box.left(), top, box.width(), 0)), m_names.high) + m_gap;

    // 2. axes
    const Axis y = valueAxis(plot, 5);
    Axis x{1e300, -1e300, 1};
    ChartFigure marks{.xTitle = {}, .yTitle = {}, .curves = {}, .share = plot.share, .xLabels = plot.xLabels};
    for (const PlotSeries& series : plot.series) {
        ChartCurve curve;
        for (const PlotPoint& point : series.points) {
            x.low = std::min(x.low, placedX(plot, point.x));
            x.high = std::max(x.high, placedX(plot, point.x));
            curve.points.push_back({point.x, {point.value}});
            marks.integerX = marks.integerX && point.x == std::round(point.x);
        }
        marks.curves.push_back(std::move(curve));
    }
    const double pad = x.high > x.low ? 0.04 * (x.high - x.low) : 0.5;
    x.low -= pad;
    x.high += pad;
    const int decimals = decimalsOfStep(y.step);
    const auto marked = [&](double value) {
        if (!plot.logarithmic)
            return numberText(value, decimals);
        const double number = std::pow(10.0, value);
        return value >= 0 && value < 6 ? numberText(number, 0) : compactText(number);
    };
    const double gutter = std::max(textWidth(marked(y.low)), textWidth(marked(y.high))) + m_gap;
    const double right = above ? 1.5 * m_gap : widestName(plot) + 1.5 * m_gap; // nothing without names
    const QRectF area(box.left() + gutter, top + m_line * 0.3, box.width() - gutter - right,
                      std::max(box.width() * 0.46, 6 * m_line) * m_fit.stretch);
    const auto at = [&](double px, double number) {
        const double value = plot.logarithmic ? std::log10(std::max(number, kLeast)) : number;
        return QPointF(area.left() + (placedX(plot, px) - x.low) / (x.high - x.low) * area.width(),
                       area.bottom() - (std::clamp(value, y.low, y.high) - y.low) / (y.high - y.low) * area.height());
    };
    const double every = std::max(1.0, std::ceil(1.2 * m_line / (y.step / (y.high - y.low) * area.height())));
    for (double value = y.low; value <= y.high + 1e-9; value += y.step * every) {
        const double py = area.bottom() - (value - y.low) / (y.high - y.low) * area.height();
        line({area.left(), py}, {area.right(), py}, m_theme.faint, m_thin * 0.7);
        text(QRectF(area.left() - gutter, py - m_line / 2, gutter - m_gap * 0.6, m_line),
             Qt::AlignRight | Qt::AlignVCenter, marked(value), m_font, m_theme.text);
    }
    line(area.bottomLeft(), area.bottomRight(), m_theme.text, m_thin);
    if (plot.guessing)
        line({area.left(), at(1, *plot.guessing).y()}, {area.right(), at(1, *plot.guessing).y()}, m_theme.muted,
             m_thin * 1.4, Qt::DotLine);
    if (plot.logarithmicX)
        magnitudeTicks(x, area);
    else
        xTicks(marks, x, area);
    const double titled = titleHeight(plot.xTitle, box.width());
    const QRectF under = textWidth(plot.xTitle) <= area.width() ? area : box;
    text(QRectF(under.left(), area.bottom() + m_line * 1.35, under.width(), titled),
         Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, plot.xTitle, m_font, m_theme.text);

    // 3. bands below lines below marks
    plotSeries(plot, at);
    if (!plot.joined)
        plotNames(plot, area, at);
    if (!above)
        plotEnds(plot, area, at);
    const double below = area.bottom() + m_line * 1.35 + titled;
    return below + plotRemarks(plot.remarks, QRectF(box.left(), below, box.width(), 0)) + m_gap - box.top();
}

// Powers of ten; between them 2 and 5 where the axis is short.
void PlotPainter::magnitudeTicks(const Axis& x, const QRectF& plot)
{
    constexpr double kShort = 2.5; // powers of ten
    const double room = plot.width() / (x.high - x.low);
    double free = -1e300; // right of the last number
    for (double power = std::floor(x.low); power <= x.high; ++power)
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double place = power + std::log10(factor);
            if (place < x.low || place > x.high || (factor > 1 && x.high - x.low > kShort))
                continue;
            const double at = plot.left() + (place - x.low) * room;
            const QString words = compactText(factor * std::pow(10.0, power));
            line({at, plot.bottom()}, {at, plot.bottom() + m_gap * 0.4}, m_theme.text, m_thin);
            if (at - textWidth(words) / 2 < free)
                continue;
            text(QRectF(at - 1e4, plot.bottom() + m_gap * 0.5, 2e4, m_line), Qt::AlignHCenter | Qt::AlignTop, words,
                 m_font, m_theme.text);
            free = at + textWidth(words) / 2 + m_gap;
        }
}

void PlotPainter::plotSeries(const Plot& plot, const std::function<QPointF(double, double)>& at)
{
    if (!m_painter)
        return;
    for (const PlotSeries& series : plot.series) {
        QPolygonF low, high;
        for (const PlotPoint& point : series.points)
            if (point.interval && plot.joined) {
                low.append(at(point.x, point.interval->first));
                high.prepend(at(point.x, point.interval->second));
            }
        if (low.size() < 2)
            continue;
        QColor color = toneOf(series.tone);
        color.setAlphaF(static_cast<float>(kBandOpacity));
        m_painter->setPen(Qt::NoPen);
        m_painter->setBrush(color);
        m_painter->drawPolygon(low + high);
    }
    m_painter->setBrush(Qt::NoBrush);
    for (const PlotSeries& series : plot.series) {
        QPolygonF points;
        for (const PlotPoint& point : series.points)
            points.append(at(point.x, point.value));
        if (plot.joined && series.tone != PlotSeries::Tone::Paper) {
            m_painter->setPen(QPen(toneOf(series.tone), m_line * 0.1,
                                   series.tone == PlotSeries::Tone::Control ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap,
                                   Qt::RoundJoin));
            m_painter->drawPolyline(points);
        }
        for (const QPointF& point : points)
            plotMark(point, series);
    }
}

// Names beside marks, those first that stand apart; the others have the figure's numbers.
void PlotPainter::plotNames(const Plot& plot, const QRectF& area, const std::function<QPointF(double, double)>& at)
{
    struct Named {
        const PlotPoint* point;
        const PlotSeries* series;
    };
    std::vector<Named> all;
    std::vector<std::optional<QPointF>> dots;
    for (const PlotSeries& series : plot.series)
        for (const PlotPoint& point : series.points) {
            all.push_back({&point, &series});
            dots.emplace_back(at(point.x, point.value));
        }
    const std::vector<double> apart = apartness(dots);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!all[i].point->name.isEmpty())
            order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return apart[a] > apart[b]; });
    order.resize(std::min(order.size(), kMostNames));
    const QFont small = fontOf(0.8);
    const FigureMetrics metrics(small);
    const DotLabels labels{area, 0.8 * m_line, 0.26 * m_line,
                           [&](std::size_t i) { return metrics.horizontalAdvance(all[i].point->name); }};
    for (const auto& [i, place] : labels.placedNames(dots, order))
        text(place, Qt::AlignCenter, all[i].point->name, small, toneOf(all[i].series->tone));
}

double PlotPainter::plotRemarks(const QStringList& remarks, const QRectF& box)
{
    if (remarks.isEmpty())
        return 0;
    double x = box.left(), y = box.top() + m_gap * 0.5;
    for (const QString& remark : remarks) {
        const QString words = FigureMetrics(m_font).elidedText(remark, Qt::ElideMiddle, box.width());
        const double width = textWidth(words);
        if (x > box.left() && x + width > box.right()) {
            x = box.left();
            y += m_line * 1.1;
        }
        text(QRectF(x, y, width + m_gap, m_line), Qt::AlignLeft | Qt::AlignVCenter, words, m_font, m_theme.text);
        x += width + 2 * m_gap;
    }
    return y + m_line - box.top();
}

// Names of lines that end together are pushed apart, downwards, and up again where that would leave the plot.
void PlotPainter::plotEnds(const Plot& plot, const QRectF& area, const std::function<QPointF(double, double)>& at)
{
    struct End {
        const PlotSeries* series;
        double y;
    };
    std::vector<End> ends;
    for (const PlotSeries& series : plot.series)
        if (const PlotPoint* last = lastOf(series); last && !series.name.isEmpty())
            ends.push_back({&series, at(last->x, last->value).y()});
    std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.y < b.y; });
    for (std::size_t i = 1; i < ends.size(); ++i)
        ends[i].y = std::max(ends[i].y, ends[i - 1].y + m_line);
    double limit = area.bottom();
    for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
        end->y = std::min(end->y, limit);
        limit = end->y - m_line;
    }
    for (const End& end : ends)
        text(QRectF(area.right() + m_gap * 0.7, end.y - m_line / 2, textWidth(end.series->name) + m_gap, m_line),
             Qt::AlignLeft | Qt::AlignVCenter, end.series->name, m_font, toneOf(end.series->tone));
}

} // namespace headscope::widgets

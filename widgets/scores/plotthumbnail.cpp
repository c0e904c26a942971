// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scores/plotthumbnail.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::widgets {

namespace {

constexpr double kDotRadius = 2.6; // radius of a dot
constexpr double kRoundMarks = 4;  // round the marks
constexpr double kLeastShown = 1e-12;

QColor inkOf(PlotSeries::Tone tone, const Theme& theme)
{
    switch (tone) {
    case PlotSeries::Tone::First: return theme.sideA;
    case PlotSeries::Tone::Second: return theme.sideB;
    case PlotSeries::Tone::Control: return theme.muted;
    case PlotSeries::Tone::Paper: return theme.text;
    default: return mixed(theme.text, static_cast<int>(tone) % 2 ? theme.sideA : theme.sideB, 0.5);
    }
}

struct Range {
    double low = std::numeric_limits<double>::infinity(), high = -low;

    void take(double value)
    {
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    [[nodiscard]] double part(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

double placed(const Plot& plot, double value)
{
    return plot.logarithmic ? std::log10(std::max(value, kLeastShown)) : value;
}

void paintGrid(QPainter& painter, const PlotGrid& grid, const QRectF& box, const Theme& theme)
{
    Range range;
    for (const double value : grid.values)
        range.take(std::abs(value));
    const double width = box.width() / static_cast<double>(grid.columns.size()),
                 height = box.height() / static_cast<double>(grid.rows.size());
    for (qsizetype row = 0; row < grid.rows.size(); ++row)
        for (qsizetype column = 0; column < grid.columns.size(); ++column) {
            const double value = grid.values[static_cast<std::size_t>(row * grid.columns.size() + column)];
            if (std::isfinite(value))
                painter.fillRect(QRectF(box.left() + static_cast<double>(column) * width,
                                        box.top() + static_cast<double>(row) * height, width, height),
                                 mixed(theme.base, value < 0 ? theme.sideB : theme.sideA,
                                       range.high > 0 ? std::abs(value) / range.high : 0));
        }
}

void mark(QPainter& painter, const QPointF& at, PlotSeries::Tone tone, const QColor& ink)
{
    const bool hollow = tone == PlotSeries::Tone::Paper;
    painter.setPen(QPen(ink, 1));
    painter.setBrush(hollow ? QBrush(Qt::NoBrush) : QBrush(ink));
    painter.drawEllipse(at, kDotRadius, kDotRadius);
}

/// A bar a condition, from nothing.
void paintBars(QPainter& painter, const Plot& plot, const QRectF& box, const Theme& theme)
{
    Range values{0, 1};
    for (const PlotSeries& series : plot.series)
        for (const PlotPoint& point : series.points)
            values.take(point.value);
    const double height = box.height() / static_cast<double>(plot.conditions.size());
    for (const PlotSeries& series : plot.series)
        for (const PlotPoint& point : series.points)
            painter.fillRect(QRectF(box.left(), box.top() + (point.x + 0.2) * height,
                                    values.part(point.value) * box.width(), 0.6 * height),
                             inkOf(series.tone, theme));
}

} // namespace

void paintThumbnail(QPainter& painter, const Plot& plot, const QRectF& box, const Theme& theme)
{
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF area = box.adjusted(kRoundMarks, kRoundMarks, -kRoundMarks, -kRoundMarks);
    if (!plot.grid.rows.isEmpty())
        return paintGrid(painter, plot.grid, area, theme);
    if (plot.bars)
        return paintBars(painter, plot, area, theme);
    const bool dots = !plot.conditions.isEmpty();
    Range across, values;
    for (const PlotSeries& series : plot.series)
        for (const PlotPoint& point : series.points) {
            across.take(point.x);
            values.take(placed(plot, point.value));
        }
    if (plot.share)
        values = {0, 1};
    // Conditions stand below each other, quantities go to the right.
    const auto at = [&](double x, double value) {
        const double along = values.part(placed(plot, value)), beside = across.part(x);
        return dots ? QPointF(area.left() + along * area.width(), area.top() + beside * area.height())
                    : QPointF(area.left() + beside * area.width(), area.bottom() - along * area.height());
    };
    painter.setPen(QPen(theme.faint, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area);
    if (plot.guessing) {
        painter.setPen(QPen(theme.muted, 1, Qt::DotLine));
        painter.drawLine(at(across.low, *plot.guessing), at(across.high, *plot.guessing));
    }
    for (const PlotSeries& series : plot.series) {
        const QColor ink = inkOf(series.tone, theme);
        QPolygonF line;
        for (const PlotPoint& point : series.points)
            line.append(at(point.x, point.value));
        if (!dots && plot.joined && series.tone != PlotSeries::Tone::Paper) {
            std::sort(line.begin(), line.end(), [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
            painter.setPen(QPen(ink, 1.4));
            painter.setBrush(Qt::NoBrush);
            painter.drawPolyline(line);
        }
        for (const QPointF& point : line)
            mark(painter, point, series.tone, ink);
    }
}

} // namespace headscope::widgets

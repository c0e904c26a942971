// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scores/themedchart.h"

#include "widgets/look/fitting.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/numbertext.h"
#include "widgets/scores/chartfile.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGraphicsLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QToolTip>
#include <QtCharts/QLegendMarker>
#include <QtCharts/QLineSeries>
#include <QtCharts/QValueAxis>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

ThemedChart::ThemedChart(QWidget* parent)
    : QChartView(parent), m_empty(new PlainLabel(viewport())), m_x(new QValueAxis), m_y(new QValueAxis)
{
    QChart* drawn = chart(); // the view's own, which setChart() would leave to nobody
    drawn->addAxis(m_x, Qt::AlignBottom);
    drawn->addAxis(m_y, Qt::AlignLeft);
    drawn->setAnimationOptions(QChart::NoAnimation);
    drawn->setMargins(QMargins(2, 2, 6, 2));
    drawn->setMinimumSize(1, 1); // so that a low view scales it rather than cuts it
    drawn->setBackgroundRoundness(0);
    drawn->layout()->setContentsMargins(0, 0, 0, 0);
    drawn->legend()->setAlignment(Qt::AlignBottom);
    drawn->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setMargin(24);
    makePage(m_empty);
    m_empty->hide();
    setRenderHint(QPainter::Antialiasing);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    restyle();
}

QSize ThemedChart::sizeHint() const
{
    return {430, 300};
}

void ThemedChart::setTitles(const QString& title, const QString& x, const QString& y)
{
    m_title = title;
    m_xTitle = x;
    m_y->setTitleText(y.toHtmlEscaped()); // Qt Charts reads all its texts as HTML
    placeTicks();
    setAccessibleName(title);
    viewport()->setAccessibleName(title); // it takes the focus
}

void ThemedChart::setIntegerX(bool integer)
{
    m_integerX = integer;
    m_x->setLabelFormat(integer ? u"%d"_s : u"%g"_s);
}

void ThemedChart::setRanges(double xLow, double xHigh, double yLow, double yHigh)
{
    // Qt Charts lays ticks out at once, as many as the step of before makes: 30 billion where accuracies give way to
    // perplexities, or without an end where the step is lost in the numbers.
    const auto set = [](QValueAxis* axis, double low, double high) {
        axis->setTickType(QValueAxis::TicksFixed);
        if (!std::isfinite(low) || !std::isfinite(high))
            low = 0, high = 1;
        const double least = 1e-9 * std::max(std::abs(low), std::abs(high));
        axis->setRange(low, high - low > least ? high : low + std::max(1.0, least));
    };
    set(m_x, xLow, xHigh);
    set(m_y, yLow, yHigh);
    placeTicks();
}

void ThemedChart::placeTicks()
{
    const auto place = [](QValueAxis* axis, int steps, bool integer) {
        const double nice =
            niceStep(0.95 * (axis->max() - axis->min()), steps); // a little more than a step may be left over
        const double step = integer ? std::max(1.0, std::round(nice)) : nice;
        axis->setTickAnchor(std::ceil(axis->min() / step) * step); // Qt counts the steps from there in an int
        axis->setTickInterval(step);
        axis->setTickType(QValueAxis::TicksDynamic);
        if (!integer)
            axis->setLabelFormat(
                step < 1 ? u"%.*f"_s.replace(
                    u'*', QString::number(std::max(1, static_cast<int>(-std::floor(std::log10(step) + 1e-9)))))
                         : u"%.0f"_s);
    };
    place(m_x, 5, m_integerX);
    // A low chart has fewer lines: Qt would write "..." for numbers that have no room. Titles, axis and legend take
    // about eight.
    const int line = fontMetrics().lineSpacing();
    place(m_y, std::clamp((height() - 8 * line) / (2 * line), 2, 5), false);
    // A lower one yet has its lines and its legend, the lowest its lines alone; its tab names it, and a narrow one too.
    const bool roomForTitles = height() >= 11 * line;
    m_x->setTitleVisible(roomForTitles);
    m_x->setTitleText(
        partsFitting(m_xTitle, u" · "_s, QFontMetricsF(m_x->titleFont()), width() - 5 * line).toHtmlEscaped());
    m_x->setLabelsVisible(height() >= 6 * line); // they would be cut
    m_y->setLabelsVisible(height() >= 5 * line);
    m_y->setTitleVisible(roomForTitles
                         && QFontMetrics(m_y->titleFont()).horizontalAdvance(m_y->titleText()) < height() - 8 * line);
    const bool fits = QFontMetrics(chart()->titleFont()).horizontalAdvance(m_title) < 0.92 * width();
    chart()->setTitle(height() >= 15 * line && fits ? m_title.toHtmlEscaped() : QString());
    fitLegend();
}

// Names are whole or not there. The dotted line's goes first: it is the quietest.
void ThemedChart::fitLegend()
{
    constexpr double kMarker = 32; // px that Qt Charts takes beside a name
    QLegend* legend = chart()->legend();
    const QFontMetricsF letters(legend->font());
    double room = 0, ofDotted = 0;
    for (const ChartLine& line : m_lines)
        (line.style == ChartLine::Style::Dotted ? ofDotted : room) += letters.horizontalAdvance(line.name) + kMarker;
    const bool all = room + ofDotted < width();
    for (std::size_t i = 0; i < m_series.size(); ++i)
        for (QLegendMarker* marker : legend->markers(m_series[i]))
            marker->setVisible(all || m_lines[i].style != ChartLine::Style::Dotted);
    legend->setVisible(height() >= 9 * fontMetrics().lineSpacing() && room < width());
}

void ThemedChart::setLines(std::vector<ChartLine> lines)
{
    m_lines = std::move(lines);
    chart()->removeAllSeries();
    m_series.clear();
    m_empty->setVisible(m_lines.empty() && !m_empty->text().isEmpty());
    for (const ChartLine& line : m_lines)
        addLine(line);
    fitLegend();
    for (QLegendMarker* marker : chart()->legend()->markers())
        connect(marker, &QLegendMarker::clicked, this, [this, marker] {
            const auto found = std::find(m_series.begin(), m_series.end(), marker->series());
            if (found != m_series.end()) {
                const int line = static_cast<int>(found - m_series.begin());
                setLineVisible(line, !lineVisible(line));
            }
        });
    restyle();
}

void ThemedChart::addLine(const ChartLine& line)
{
    auto* series = new QLineSeries;
    series->setName(line.name.toHtmlEscaped());
    for (const QPointF& point : line.points)
        if (std::isfinite(point.x()) && std::isfinite(point.y()))
            series->append(point);
    series->setPointsVisible(line.markers && line.points.size() <= 40);
    chart()->addSeries(series);
    series->attachAxis(m_x);
    series->attachAxis(m_y);
    connect(series, &QXYSeries::hovered, this,
            [this, series, name = line.name, bounds = line.bounds](const QPointF& at, bool entered) {
                if (!entered) {
                    QToolTip::hideText();
                    return;
                }
                const QList<QPointF> points = series->points();
                const auto near =
                    std::min_element(points.begin(), points.end(), [&](const QPointF& a, const QPointF& b) {
                        return std::abs(a.x() - at.x()) < std::abs(b.x() - at.x());
                    });
                if (near == points.end())
                    return;
                const auto place = static_cast<std::size_t>(near - points.begin());
                const QString interval = place < bounds.size() ? u" [%1, %2]"_s.arg(compactText(bounds[place].x()),
                                                                                    compactText(bounds[place].y()))
                                                               : QString();
                QToolTip::showText(QCursor::pos(),
                                   u"<b>%1</b><br>%2: %3<br>%4: %5"_s.arg(
                                       name.toHtmlEscaped(), m_xTitle.toHtmlEscaped(), compactText(near->x()),
                                       m_y->titleText(), compactText(near->y()) + interval));
            });
    m_series.push_back(series);
}

// Intervals stand on their points; one that has no width says nothing.
void ThemedChart::drawForeground(QPainter* painter, const QRectF& rect)
{
    QChartView::drawForeground(painter, rect);
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        const ChartLine& line = m_lines[i];
        if (!m_series[i]->isVisible())
            continue;
        painter->setPen(QPen(m_series[i]->color(), 1.2));
        for (std::size_t k = 0; k < std::min(line.points.size(), line.bounds.size()); ++k) {
            const auto at = [&](double y) {
                return chart()->mapToScene(chart()->mapToPosition({line.points[k].x(), y}, m_series[i]));
            };
            if (line.bounds[k].x() < line.bounds[k].y())
                painter->drawLine(at(line.bounds[k].x()), at(line.bounds[k].y()));
        }
    }
}

void ThemedChart::setLineVisible(int line, bool visible)
{
    QXYSeries* series = m_series.at(static_cast<std::size_t>(line));
    series->setVisible(visible);
    for (QLegendMarker* marker : chart()->legend()->markers(series)) {
        marker->setVisible(true); // Qt hides the marker with its line; then nobody could bring the line back
        QColor ink = themeOf(palette()).muted;
        ink.setAlphaF(visible ? 1.0F : 0.4F);
        marker->setLabelBrush(ink);
    }
}

bool ThemedChart::lineVisible(int line) const
{
    return m_series.at(static_cast<std::size_t>(line))->isVisible();
}

void ThemedChart::restyle()
{
    const Theme theme = themeOf(palette());
    setMuted(m_empty);
    chart()->setBackgroundBrush(theme.base);
    chart()->setBackgroundPen(Qt::NoPen);
    setBackgroundBrush(theme.base);
    QFont bold = font();
    bold.setBold(true);
    chart()->setTitleFont(bold);
    chart()->setTitleBrush(theme.text);
    chart()->legend()->setLabelColor(theme.muted);
    QFont small = font(); // five lines of a comparison fit one row
    small.setPointSizeF(font().pointSizeF() * 0.88);
    chart()->legend()->setFont(small);
    for (QValueAxis* axis : {m_x, m_y}) {
        axis->setLabelsFont(font());
        axis->setTitleFont(font());
        axis->setLabelsColor(theme.muted);
        axis->setTitleBrush(theme.muted);
        axis->setLinePen(QPen(theme.muted, 1));
        axis->setGridLinePen(QPen(theme.faint, 1, Qt::DotLine));
    }
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        const ChartLine& line = m_lines[i];
        const bool dotted = line.style == ChartLine::Style::Dotted;
        const QColor side = sideColor(theme, line.side);
        // The legend shows no dashes: a paler colour tells there which line is which.
        const QColor color = dotted                                   ? mixed(theme.muted, side, 0.35)
                             : line.style == ChartLine::Style::Dashed ? mixed(theme.base, side, 0.6)
                                                                      : side;
        const Qt::PenStyle style = dotted                                   ? Qt::DotLine
                                   : line.style == ChartLine::Style::Dashed ? Qt::DashLine
                                                                            : Qt::SolidLine;
        m_series[i]->setPen(QPen(color, dotted ? 1.6 : 2, style));
        m_series[i]->setMarkerSize(3.5);
        m_series[i]->setColor(color);
        m_series[i]->setPen(QPen(color, dotted ? 1.6 : 2, style));
    }
}

void ThemedChart::setEmptyText(const QString& text)
{
    m_empty->setText(text);
    m_empty->setVisible(m_lines.empty());
}

void ThemedChart::resizeEvent(QResizeEvent* event)
{
    QChartView::resizeEvent(event);
    m_empty->setGeometry(viewport()->rect());
    placeTicks();
}

void ThemedChart::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    QAction* save = menu.addAction(tr("Save the chart…"), this, &ThemedChart::saveRequested);
    QAction* copy = menu.addAction(tr("Copy the numbers (CSV)"), this,
                                   [this] { QGuiApplication::clipboard()->setText(chartCsv(*this)); });
    save->setEnabled(!m_lines.empty());
    copy->setEnabled(!m_lines.empty());
    menu.exec(event->globalPos());
}

void ThemedChart::changeEvent(QEvent* event)
{
    QChartView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        restyle();
}

} // namespace headscope::widgets

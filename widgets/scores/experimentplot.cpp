// SPDX-License-Identifier: GPL-3.0-or-later
// qcustomplot.h writes `signals:`, so this file is compiled with Qt's keywords; it must come first.
#undef QT_NO_KEYWORDS
#include <qcustomplot.h>

#include "widgets/scores/experimentplot.h"

#include "widgets/look/theme.h"

#include <QEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr float kBandOpacity = 0.15F;
constexpr int kLabelCharacters = 44;

QString shortened(const QString& text)
{
    return text.size() <= kLabelCharacters ? text : text.left(kLabelCharacters - 1) + QChar(0x2026);
}

} // namespace

ExperimentPlot::ExperimentPlot(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    m_plot->axisRect()->setAutoMargins(QCP::msAll);
    setMinimumSize(220, 160);
    connect(m_plot, &QCustomPlot::afterLayout, this, &ExperimentPlot::placeNames);
}

QSize ExperimentPlot::sizeHint() const
{
    const int lines = static_cast<int>(m_data.conditions.size());
    return {340, byCondition() ? 90 + 26 * lines : 240};
}

void ExperimentPlot::setPlot(const Plot& plot)
{
    m_data = plot;
    setAccessibleName(plot.title);
    updateGeometry();
    redraw();
}

void ExperimentPlot::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        redraw();
    QWidget::changeEvent(event);
}

QColor ExperimentPlot::colour(PlotSeries::Tone tone) const
{
    const Theme theme = themeOf(palette());
    switch (tone) {
    case PlotSeries::Tone::First: return theme.sideA;
    case PlotSeries::Tone::Second: return theme.sideB;
    case PlotSeries::Tone::Third: return QColor(0x00, 0x9e, 0x73); // Okabe and Ito's green and purple
    case PlotSeries::Tone::Fourth: return QColor(0xcc, 0x79, 0xa7);
    case PlotSeries::Tone::Control:
    case PlotSeries::Tone::Paper: break;
    }
    return theme.muted;
}

void ExperimentPlot::redraw()
{
    m_plot->clearPlottables();
    m_plot->clearItems();
    m_names.clear();
    styleAxes();
    drawGuessing();
    const auto count = static_cast<double>(std::max<std::size_t>(m_data.series.size(), 1));
    for (std::size_t i = 0; i < m_data.series.size(); ++i) // beside each other on the line of their condition
        drawSeries(m_data.series[i], byCondition() ? 0.5 * ((static_cast<double>(i) + 0.5) / count - 0.5) : 0);
    m_plot->rescaleAxes(true);
    QCPAxis* values = byCondition() ? m_plot->xAxis : m_plot->yAxis;
    if (m_data.share)
        values->setRange(-0.03, 1.03);
    else
        values->scaleRange(1.1);
    if (byCondition())
        m_plot->yAxis->setRange(-0.6, static_cast<double>(m_data.conditions.size()) - 0.4);
    else // room for the names at the right end
        m_plot->xAxis->setRange(m_plot->xAxis->range().lower - 0.03 * m_plot->xAxis->range().size(),
                                m_plot->xAxis->range().upper + 0.35 * m_plot->xAxis->range().size());
    if (!byCondition())
        nameLines();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void ExperimentPlot::styleAxes()
{
    const Theme theme = themeOf(palette());
    m_plot->setBackground(QBrush(theme.base));
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->setBasePen(QPen(theme.faint));
        axis->setTickPen(QPen(theme.faint));
        axis->setSubTicks(false);
        axis->setTickLabelColor(theme.text);
        axis->setLabelColor(theme.muted);
        axis->setTickLabelFont(font());
        axis->setLabelFont(font());
        axis->grid()->setPen(QPen(theme.faint));
        axis->grid()->setZeroLinePen(QPen(theme.faint));
        axis->setTicker(QSharedPointer<QCPAxisTicker>::create());
    }
    m_plot->yAxis->setRangeReversed(byCondition());
    if (!byCondition()) {
        m_plot->xAxis->setLabel(m_data.xTitle);
        m_plot->yAxis->setLabel(QString());
        m_plot->xAxis->grid()->setVisible(false);
        m_plot->yAxis->grid()->setVisible(true);
        return;
    }
    const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (qsizetype i = 0; i < m_data.conditions.size(); ++i)
        ticker->addTick(static_cast<double>(i), shortened(m_data.conditions[i]));
    m_plot->yAxis->setTicker(ticker);
    m_plot->xAxis->setLabel(QString());
    m_plot->xAxis->grid()->setVisible(true);
    m_plot->yAxis->grid()->setVisible(false);
}

void ExperimentPlot::drawGuessing()
{
    if (!m_data.guessing)
        return;
    auto* line = new QCPItemStraightLine(m_plot);
    line->setPen(QPen(themeOf(palette()).muted, 1, Qt::DotLine));
    const double at = *m_data.guessing;
    line->point1->setCoords(byCondition() ? QPointF(at, 0) : QPointF(0, at));
    line->point2->setCoords(byCondition() ? QPointF(at, 1) : QPointF(1, at));
}

void ExperimentPlot::drawSeries(const PlotSeries& series, double shift)
{
    QColor ink = colour(series.tone);
    const bool paper = series.tone == PlotSeries::Tone::Paper;
    auto* graph = byCondition() ? m_plot->addGraph(m_plot->yAxis, m_plot->xAxis) : m_plot->addGraph();
    graph->setName(series.name);
    graph->setLineStyle(byCondition() || paper ? QCPGraph::lsNone : QCPGraph::lsLine);
    graph->setPen(QPen(ink, 1.6, series.tone == PlotSeries::Tone::Control ? Qt::DashLine : Qt::SolidLine));
    QCPScatterStyle mark(paper ? QCPScatterStyle::ssDiamond : QCPScatterStyle::ssDisc, paper ? 9 : 7);
    mark.setPen(QPen(ink, 1.4));
    graph->setScatterStyle(mark);
    auto* bars = new QCPErrorBars(graph->keyAxis(), graph->valueAxis());
    bars->setDataPlottable(graph);
    bars->setPen(QPen(ink, 1.2));
    bars->setWhiskerWidth(0);
    bars->setSymbolGap(0);
    QCPGraph *low = nullptr, *high = nullptr;
    if (!byCondition()) {
        low = m_plot->addGraph();
        high = m_plot->addGraph();
        for (QCPGraph* edge : {low, high})
            edge->setPen(Qt::NoPen);
        ink.setAlphaF(kBandOpacity);
        high->setBrush(ink);
        high->setChannelFillGraph(low);
    }
    for (const PlotPoint& point : series.points) {
        const auto [from, to] = point.interval.value_or(std::pair(point.value, point.value));
        graph->addData(point.x + shift, point.value);
        bars->addData(byCondition() ? point.value - from : 0, byCondition() ? to - point.value : 0);
        if (low) {
            low->addData(point.x, from);
            high->addData(point.x, to);
        }
    }
}

// At the ends of the lines, so that no legend has to be read.
void ExperimentPlot::nameLines()
{
    for (const PlotSeries& series : m_data.series) {
        if (series.points.empty() || series.name.isEmpty())
            continue;
        auto* item = new QCPItemText(m_plot);
        item->setText(shortened(series.name));
        item->setColor(colour(series.tone));
        item->setFont(font());
        item->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        item->setPadding(QMargins(6, 0, 0, 0));
        item->setClipToAxisRect(false);
        m_names.push_back({item, *std::max_element(series.points.begin(), series.points.end(),
                                                   [](const auto& a, const auto& b) { return a.x < b.x; })});
    }
    std::stable_sort(m_names.begin(), m_names.end(),
                     [](const Name& a, const Name& b) { return a.end.value > b.end.value; });
}

// Names of lines that end together are pushed apart, which needs the pixels of the finished layout.
void ExperimentPlot::placeNames()
{
    const double step = QFontMetricsF(font()).height();
    double free = 0;
    for (const Name& name : m_names) {
        const double pixel = std::max(free, m_plot->yAxis->coordToPixel(name.end.value));
        free = pixel + step;
        name.item->position->setCoords(name.end.x, m_plot->yAxis->pixelToCoord(pixel));
    }
}

} // namespace headscope::widgets

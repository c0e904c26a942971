// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The common base of all charts: the window's colours and fonts, tooltips, a legend that hides lines. GUI thread.

#include "widgets/look/theme.h"

#include <QtCharts/QChartView>

#include <vector>

class QAbstractSeries;
class QLabel;
class QValueAxis;
class QXYSeries;

namespace headscope::widgets {

/// One line of a chart.
struct ChartLine {
    QString name;
    std::vector<QPointF> points;
    Side side = Side::A;
    enum class Style { Solid, Dashed, Dotted } style = Style::Solid; ///< Dotted is drawn grey: chance, control
    bool markers = true;
    std::vector<QPointF> bounds; ///< (low, high) of the interval of each point; empty: none is drawn
};

class ThemedChart : public QChartView
{
    Q_OBJECT

public:
    explicit ThemedChart(QWidget* parent = nullptr);
    [[nodiscard]] QString chartTitle() const { return m_title; }
    [[nodiscard]] const std::vector<ChartLine>& lines() const { return m_lines; }
    /// Shows or hides a line, like a click on the legend.
    void setLineVisible(int line, bool visible);
    [[nodiscard]] bool lineVisible(int line) const;
    /// Sets the text of an empty chart, shown instead of axes: what to do to get lines.
    void setEmptyText(const QString& text);
    QSize sizeHint() const override;

Q_SIGNALS:
    void saveRequested();

protected:
    /// `x`: parts between " · ", the last of which are left out where there is no room.
    void setTitles(const QString& title, const QString& x, const QString& y);
    void setLines(std::vector<ChartLine> lines);
    void setRanges(double xLow, double xHigh, double yLow, double yHigh);
    void setIntegerX(bool integer);
    void changeEvent(QEvent* event) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void restyle();
    void placeTicks();
    void fitLegend();
    void addLine(const ChartLine& line);

    QString m_title, m_xTitle;
    QLabel* m_empty;
    std::vector<ChartLine> m_lines;
    std::vector<QXYSeries*> m_series;
    QValueAxis* m_x;
    QValueAxis* m_y;
    bool m_integerX = false;
};

} // namespace headscope::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores of an experiment with their intervals: dots by condition, or lines over a quantity. GUI thread.

#include <QString>
#include <QStringList>
#include <QWidget>

#include <optional>
#include <utility>
#include <vector>

class QCPItemText;
class QCustomPlot;

namespace headscope::widgets {

struct PlotPoint {
    double x = 0; ///< of dots by condition the index of the condition
    double value = 0;
    std::optional<std::pair<double, double>> interval; ///< 95 %
};

struct PlotSeries {
    enum class Tone {
        First, ///< the colours of A and B, then two more
        Second,
        Third,
        Fourth,
        Control, ///< grey: what is expected not to move
        Paper    ///< hollow marks: somebody else's models
    };
    QString name;
    Tone tone = Tone::First;
    std::vector<PlotPoint> points;
};

struct Plot {
    QString title; ///< what was measured
    QString xTitle;
    QStringList conditions; ///< of dots, one a line; empty: lines over x
    std::vector<PlotSeries> series;
    std::optional<double> guessing;
    bool share = false; ///< 0 to 1
};

class ExperimentPlot : public QWidget
{
    Q_OBJECT

public:
    explicit ExperimentPlot(QWidget* parent = nullptr);
    void setPlot(const Plot& plot);
    [[nodiscard]] const Plot& plot() const { return m_data; }
    QSize sizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;

private:
    void redraw();
    void drawSeries(const PlotSeries& series, double shift);
    void drawGuessing();
    void nameLines();
    void placeNames();
    void styleAxes();
    [[nodiscard]] QColor colour(PlotSeries::Tone tone) const;
    [[nodiscard]] bool byCondition() const { return !m_data.conditions.isEmpty(); }

    /// A line's name and the end that it belongs to.
    struct Name {
        QCPItemText* item;
        PlotPoint end;
    };

    Plot m_data;
    QCustomPlot* m_plot;
    std::vector<Name> m_names; ///< the highest first
};

} // namespace headscope::widgets

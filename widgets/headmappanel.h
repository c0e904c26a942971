// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A head map with its model's name, the choice of its colour, and what is off. GUI thread.

#include "widgets/headmapview.h"
#include "widgets/theme.h"

namespace headscope::widgets {

/// Colour bar with the metric's name and its ends.
class MetricLegend : public QWidget
{
    Q_OBJECT
public:
    explicit MetricLegend(HeadMapModel* model, QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    HeadMapModel* m_model;
};

/// Heading, metric choice, map, legend and a line of state. One for each compared model.
class HeadMapPanel : public QWidget
{
    Q_OBJECT

public:
    explicit HeadMapPanel(Side side, QWidget* parent = nullptr);
    [[nodiscard]] HeadMapView* view() const { return m_view; }
    [[nodiscard]] HeadMapModel* model() const { return m_model; }

    void setModelName(const QString& name);
    /// Choices for the colour: pairs of id ("effect", "gather") and translated name.
    void setMetricChoices(const QList<std::pair<QString, QString>>& choices, const QString& current);

Q_SIGNALS:
    void metricChosen(const QString& id);

protected:
    void changeEvent(QEvent* event) override;

private:
    void updateState();

    Side m_side;
    HeadMapModel* m_model;
    HeadMapView* m_view;
    QLabel* m_title;
    QLabel* m_state;
    QComboBox* m_metric;
};

} // namespace headscope::widgets

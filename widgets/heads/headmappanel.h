// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A head map with the name of its model, the choice of metric, and the current ablation. GUI thread.

#include "widgets/heads/headmapview.h"
#include "widgets/look/theme.h"

class QLabel;
class QSpinBox;
class QToolButton;

namespace headscope::widgets {

class ElidedLabel;

class ChoiceBox;

/// A colour bar with labelled ends. Dragging on it hides heads with lower values; a double click shows all again.
class MetricLegend : public QWidget
{
    Q_OBJECT
public:
    explicit MetricLegend(HeadMapModel* model, QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    struct Bar {
        QString low, high;
        int left = 0, right = 0; ///< pixels
    };
    [[nodiscard]] Bar bar() const;
    void setFloorAt(double x);
    HeadMapModel* m_model;
};

/// Heading, state, map, legend, choice of metric, and "ablate the first k" with its control. One for each model.
class HeadMapPanel : public QWidget
{
    Q_OBJECT

public:
    explicit HeadMapPanel(Side side, QWidget* parent = nullptr);
    [[nodiscard]] HeadMapView* view() const { return m_view; }
    [[nodiscard]] HeadMapModel* model() const { return m_model; }

    void setModelName(const QString& name);
    /// See HeadMapView.
    void setClickLooks(bool looks);
    /// In an exam: nothing chooses a colour, sorts heads by it or ablates the first of it, and there is no page on a
    /// head.
    void setExam();
    /// Asks as the buttons do, with what is in their fields.
    void requestTop();
    void requestRandom();
    /// Sets the metrics to choose from: pairs of id ("effect", "gather") and translated name.
    void setMetricChoices(const QList<std::pair<QString, QString>>& choices, const QString& current);

Q_SIGNALS:
    void metricChosen(const QString& id);
    /// The user wants to load a metric of their own from a file.
    void metricFileWanted();
    /// Ablate the top k heads by the current metric.
    void topRequested(int count);
    /// Ablate k random heads, the control; the same seed yields the same heads.
    void randomRequested(int count, int seed);

protected:
    void changeEvent(QEvent* event) override;

private:
    void updateState();
    [[nodiscard]] QToolButton* makePicker();

    Side m_side;
    HeadMapModel* m_model;
    HeadMapView* m_view;
    QLabel* m_title;
    ElidedLabel* m_state;
    MetricLegend* m_legend;
    ChoiceBox* m_metric;
    QToolButton* m_sort;
    QToolButton* m_picker;
    QSpinBox* m_count;
    QSpinBox* m_seed;
};

} // namespace headscope::widgets

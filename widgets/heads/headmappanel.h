// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A head map with its model's name, the choice of its colour, and what is off. GUI thread.

#include "widgets/heads/headmapview.h"
#include "widgets/look/theme.h"

class QLabel;
class QSpinBox;
class QToolButton;

namespace headscope::widgets {

class ElidedLabel;

class ChoiceBox;

/// Colour bar with its ends. Dragging on it hides the heads below; a double click shows all again.
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

/// Heading and a line of state, map, legend, metric choice, "the first k off" with its control. One for each model.
class HeadMapPanel : public QWidget
{
    Q_OBJECT

public:
    explicit HeadMapPanel(Side side, QWidget* parent = nullptr);
    [[nodiscard]] HeadMapView* view() const { return m_view; }
    [[nodiscard]] HeadMapModel* model() const { return m_model; }

    void setModelName(const QString& name);
    /// Asks as the buttons do, with what is in their fields.
    void requestTop();
    void requestRandom();
    /// Choices for the colour: pairs of id ("effect", "gather") and translated name.
    void setMetricChoices(const QList<std::pair<QString, QString>>& choices, const QString& current);

Q_SIGNALS:
    void metricChosen(const QString& id);
    /// A column of the person's own is to be read from a file.
    void metricFileWanted();
    /// The k heads that stand out most in the present colour.
    void topRequested(int count);
    /// k heads by chance, the control; the same seed gives the same heads.
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
    ChoiceBox* m_metric;
    QToolButton* m_sort;
    QSpinBox* m_count;
    QSpinBox* m_seed;
};

} // namespace headscope::widgets

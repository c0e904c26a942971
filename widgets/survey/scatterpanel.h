// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Plots two metrics of heads against each other: choice of axes, dots, and correlation. GUI thread.

#include "widgets/survey/scatterview.h"

class QCheckBox;
class QComboBox;
class QLabel;

namespace headscope::widgets {

class ScatterPanel : public QWidget
{
    Q_OBJECT

public:
    explicit ScatterPanel(QWidget* parent = nullptr);

    /// Sets the metrics for the axes; the current choice is kept.
    void setMetrics(const QStringList& metrics);
    void setCorrelation(const QString& sentence);
    void setAxes(const QString& x, const QString& y);
    /// Returns indexes of metrics; -1: there are none.
    [[nodiscard]] std::pair<int, int> axes() const;
    [[nodiscard]] ScatterView* view() const { return m_view; }
    [[nodiscard]] QString correlation() const;

Q_SIGNALS:
    void axesChanged();
    void saveRequested();

private:
    ScatterView* m_view;
    QComboBox *m_x, *m_y;
    QCheckBox *m_logX, *m_logY;
    QLabel* m_correlation;
};

} // namespace headscope::widgets

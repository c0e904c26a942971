// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two numbers of heads against each other: which ones, the dots, and how they go together. GUI thread.

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

    /// What can be at an axis; what was chosen stays chosen.
    void setMetrics(const QStringList& metrics);
    void setCorrelation(const QString& sentence);
    void setAxes(const QString& x, const QString& y);
    /// Indexes of metrics; -1: there are none.
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

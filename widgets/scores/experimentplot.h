// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A picture of an experiment as its figure is drawn, in the window's colours and letters. GUI thread.

#include "widgets/figures/plot.h"

#include <QWidget>

namespace headscope::widgets {

struct Figure;
struct FigureStyle;

class ExperimentPlot : public QWidget
{
    Q_OBJECT

public:
    explicit ExperimentPlot(QWidget* parent = nullptr);
    void setPlot(const Plot& plot);
    [[nodiscard]] const Plot& plot() const { return m_plot; }
    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    /// As high as the figure of that width.
    int heightForWidth(int width) const override;

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] Figure figure() const;
    [[nodiscard]] FigureStyle style(int width) const;

    Plot m_plot;
};

} // namespace headscope::widgets

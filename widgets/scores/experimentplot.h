// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The plot of an experiment as in its figure, in the colours and fonts of the window. GUI thread.

#include "widgets/figures/figure.h"

#include <QWidget>

namespace headscope::widgets {

class ExperimentPlot : public QWidget
{
    Q_OBJECT

public:
    explicit ExperimentPlot(QWidget* parent = nullptr);
    void setFigure(const Figure& figure);
    [[nodiscard]] const Figure& figure() const { return m_figure; }
    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    /// Returns the height of the figure at that width.
    int heightForWidth(int width) const override;

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] FigureStyle style(int width) const;

    Figure m_figure;
};

} // namespace headscope::widgets

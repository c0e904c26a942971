// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The picture of an experiment as its figure is drawn, in the window's colours and letters. GUI thread.

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
    /// As high as the figure of that width.
    int heightForWidth(int width) const override;

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] FigureStyle style(int width) const;

    Figure m_figure;
};

} // namespace headscope::widgets

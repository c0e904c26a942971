// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scores/experimentplot.h"

#include "widgets/figures/figurerenderer.h"
#include "widgets/look/theme.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr int kLeastWidth = 240;
constexpr double kMmPerPoint = 25.4 / 72;

} // namespace

ExperimentPlot::ExperimentPlot(QWidget* parent) : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setMinimumWidth(kLeastWidth);
}

void ExperimentPlot::setFigure(const Figure& figure)
{
    m_figure = figure;
    QStringList names;
    for (const FigurePanel& panel : figure.panels)
        names.append(panel.heading);
    setAccessibleName(names.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

// On paper as wide as the window makes it, so that letters are the window's.
FigureStyle ExperimentPlot::style(int width) const
{
    const double pointsPerPixel = 72.0 / logicalDpiY();
    return {.widthMm = std::max(width, kLeastWidth) * pointsPerPixel * kMmPerPoint,
            .fontPt = QFontInfo(font()).pixelSize() * pointsPerPixel,
            .fontFamily = font().family(),
            .dark = themeOf(palette()).dark,
            .transparent = true,
            .printProvenance = false};
}

QSize ExperimentPlot::sizeHint() const
{
    return {kLeastWidth, heightForWidth(kLeastWidth)};
}

int ExperimentPlot::heightForWidth(int width) const
{
    const QSizeF size = figureSizeMm(m_figure, style(width));
    return static_cast<int>(std::ceil(size.height() / size.width() * std::max(width, kLeastWidth)));
}

void ExperimentPlot::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        updateGeometry();
        update();
    }
    QWidget::changeEvent(event);
}

void ExperimentPlot::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::TextAntialiasing);
    paintFigure(painter, m_figure, style(width()), rect());
}

} // namespace headscope::widgets

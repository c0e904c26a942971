// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A scatter plot of heads by two of their metrics: positions, labels that fit, and painting, for the screen and for
// files. Values; any thread that paints.

#include "core/base/side.h"

#include <QPalette>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <QStringList>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

class QPainter;

namespace headscope::widgets {

struct ScatterDot {
    QString head;
    double x = 0, y = 0; ///< NaN: not drawn
    Side side = Side::A;
};

/// Converts values to positions in a unit square; on a logarithmic scale only values above 0 have
/// one.
struct ScatterScale {
    double low = 0, high = 1;
    bool logarithmic = false;

    [[nodiscard]] static ScatterScale over(const std::vector<double>& values, bool logarithmic);
    [[nodiscard]] std::optional<double> place(double value) const;
    /// Returns round numbers between both ends, about `count` at most.
    [[nodiscard]] std::vector<double> ticks(int count) const;
};

struct Scatter {
    std::vector<ScatterDot> dots;
    QString xTitle, yTitle;
    bool logX = false, logY = false;
    QStringList selected;

    /// Returns the area for dots in a picture of this size, with letters this high.
    [[nodiscard]] static QRectF area(const QSizeF& size, double line);
    /// Returns positions by dot; nothing for dots that are not drawn.
    [[nodiscard]] std::vector<std::optional<QPointF>> places(const QRectF& area) const;
    /// Returns labels that fit without touching each other or a dot, by index and place: selected dots first, then
    /// isolated ones. `width` returns the width of a text; all texts are `height` high.
    [[nodiscard]] std::vector<std::pair<std::size_t, QRectF>>
    labels(const QRectF& area, const std::function<double(const QString&)>& width, double height) const;
    void paint(QPainter& painter, const QSizeF& size, const QPalette& palette) const;

private:
    [[nodiscard]] std::vector<std::size_t> inOrder(const std::vector<std::optional<QPointF>>& at) const;
    void paintAxes(QPainter& painter, const QRectF& inside, const QPalette& palette) const;
};

} // namespace headscope::widgets

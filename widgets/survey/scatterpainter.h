// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads as dots by two of their numbers: where each stands, which labels fit, and the picture, for the screen and for
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

/// From numbers to the place in a square of size 1, and whether a number has one: with a logarithm only what is above
/// 0.
struct ScatterScale {
    double low = 0, high = 1;
    bool logarithmic = false;

    [[nodiscard]] static ScatterScale over(const std::vector<double>& values, bool logarithmic);
    [[nodiscard]] std::optional<double> place(double value) const;
    /// Round numbers between both ends, at most `count` or so.
    [[nodiscard]] std::vector<double> ticks(int count) const;
};

struct Scatter {
    std::vector<ScatterDot> dots;
    QString xTitle, yTitle;
    bool logX = false, logY = false;
    QStringList selected;

    /// In which dots are drawn, of a picture of this size.
    [[nodiscard]] static QRectF area(const QSizeF& size);
    /// By dot; nothing where it is not drawn.
    [[nodiscard]] std::vector<std::optional<QPointF>> places(const QRectF& area) const;
    /// Labels that fit without touching each other or a dot, index and place: those that are selected first, then those
    /// that stand apart. `width` says how wide a text is; all are `height` high.
    [[nodiscard]] std::vector<std::pair<std::size_t, QRectF>>
    labels(const QRectF& area, const std::function<double(const QString&)>& width, double height) const;
    void paint(QPainter& painter, const QSizeF& size, const QPalette& palette) const;

private:
    [[nodiscard]] std::vector<std::size_t> inOrder(const std::vector<std::optional<QPointF>>& at) const;
    void paintAxes(QPainter& painter, const QRectF& inside, const QPalette& palette) const;
};

} // namespace headscope::widgets

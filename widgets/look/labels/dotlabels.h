// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Places the names of dots in a picture where there is room. Pure; any thread.

#include <QPointF>
#include <QRectF>

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace headscope::widgets {

struct DotLabels {
    QRectF area;                              ///< bounds of the names; on the right they may exceed it by their height
    double height = 0;                        ///< of every name
    double radius = 0;                        ///< of a dot
    std::function<double(std::size_t)> width; ///< width of the name of a dot

    /// Returns names that overlap neither each other nor a dot, by index and place; first those early in `order`.
    [[nodiscard]] std::vector<std::pair<std::size_t, QRectF>> placedNames(std::span<const std::optional<QPointF>> dots,
                                                                          std::span<const std::size_t> order) const;
};

/// Returns the distance of each dot to its nearest neighbour; 0 for more than 2000 dots.
[[nodiscard]] std::vector<double> apartness(std::span<const std::optional<QPointF>> dots);

} // namespace headscope::widgets

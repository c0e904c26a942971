// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which dots of a picture have room for their names, and where. Pure; any thread.

#include <QPointF>
#include <QRectF>

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace headscope::widgets {

struct DotLabels {
    QRectF area;                              ///< that names stay in; at the right they may leave it by their height
    double height = 0;                        ///< of every name
    double radius = 0;                        ///< of a dot
    std::function<double(std::size_t)> width; ///< of the name of a dot

    /// Names that touch neither each other nor a dot, index and place; those that come first in `order` choose first.
    [[nodiscard]] std::vector<std::pair<std::size_t, QRectF>> thatFit(std::span<const std::optional<QPointF>> dots,
                                                                      std::span<const std::size_t> order) const;
};

/// Of each dot, how far it is from the nearest other one; 0 of more than 2000 dots.
[[nodiscard]] std::vector<double> apartness(std::span<const std::optional<QPointF>> dots);

} // namespace headscope::widgets

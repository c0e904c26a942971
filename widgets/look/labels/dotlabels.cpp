// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/labels/dotlabels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::widgets {

namespace {

constexpr std::size_t kMostCompared = 2000; // each with every other

QRectF squareAt(const QPointF& dot, double radius)
{
    return {dot.x() - radius, dot.y() - radius, 2 * radius, 2 * radius};
}

// Right of the dot, left, above, below, and at its corners.
std::vector<QRectF> besides(const QPointF& dot, double width, double height, double gap)
{
    std::vector<QRectF> all = {QRectF(dot.x() + gap, dot.y() - height / 2, width, height),
                               QRectF(dot.x() - gap - width, dot.y() - height / 2, width, height),
                               QRectF(dot.x() - width / 2, dot.y() - gap - height, width, height),
                               QRectF(dot.x() - width / 2, dot.y() + gap, width, height)};
    for (const double x : {dot.x() + gap, dot.x() - gap - width})
        for (const double y : {dot.y() - gap - height, dot.y() + gap})
            all.emplace_back(x, y, width, height);
    return all;
}

} // namespace

std::vector<std::pair<std::size_t, QRectF>> DotLabels::placedNames(std::span<const std::optional<QPointF>> dots,
                                                                   std::span<const std::size_t> order) const
{
    const QRectF inside = area.adjusted(0, 0, height, 0);
    const double apart = height / 4; // of two names beside each other, else they read as one
    std::vector<QRectF> taken, named;
    for (const auto& dot : dots)
        if (dot)
            taken.push_back(squareAt(*dot, radius));
    std::vector<std::pair<std::size_t, QRectF>> all;
    for (const std::size_t i : order) {
        if (!dots[i])
            continue;
        const auto places = besides(*dots[i], width(i), height, 1.25 * radius);
        const auto free = std::ranges::find_if(places, [&](const QRectF& place) {
            return inside.contains(place)
                   && std::ranges::none_of(taken, [&](const QRectF& other) { return other.intersects(place); })
                   && std::ranges::none_of(named, [&](const QRectF& other) {
                          return other.intersects(place.adjusted(-apart, 0, apart, 0));
                      });
        });
        if (free == places.end())
            continue;
        named.push_back(*free);
        all.emplace_back(i, *free);
    }
    return all;
}

std::vector<double> apartness(std::span<const std::optional<QPointF>> dots)
{
    std::vector<double> apart(dots.size(), 0);
    for (std::size_t i = 0; i < dots.size() && dots.size() <= kMostCompared; ++i) {
        double nearest = std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < dots.size() && dots[i]; ++j)
            if (j != i && dots[j])
                nearest = std::min(nearest, std::hypot(dots[i]->x() - dots[j]->x(), dots[i]->y() - dots[j]->y()));
        apart[i] = nearest;
    }
    return apart;
}

} // namespace headscope::widgets

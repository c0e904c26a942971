// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/multiplicity.h"

#include <algorithm>
#include <numeric>

namespace headscope::analysis {

namespace {

/// Indices of the p values, the smallest first.
std::vector<std::size_t> ascending(std::span<const double> p)
{
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
    return order;
}

} // namespace

std::vector<double> holm(std::span<const double> p)
{
    std::vector<double> corrected(p.size());
    double least = 0;
    std::size_t left = p.size();
    for (const std::size_t i : ascending(p)) {
        least = std::max(least, std::min(1.0, p[i] * static_cast<double>(left--)));
        corrected[i] = least;
    }
    return corrected;
}

std::vector<double> benjaminiHochberg(std::span<const double> p)
{
    std::vector<double> corrected(p.size());
    const auto order = ascending(p);
    const auto count = static_cast<double>(p.size());
    double most = 1;
    for (std::size_t rank = order.size(); rank > 0; --rank) {
        most = std::min(most, p[order[rank - 1]] * count / static_cast<double>(rank));
        corrected[order[rank - 1]] = most;
    }
    return corrected;
}

} // namespace headscope::analysis

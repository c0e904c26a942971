// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/confidencesequence.h"

#include <algorithm>
#include <cmath>

namespace headscope::analysis {

namespace {

constexpr double kJeffreys = 0.5; // of each of the three counts
constexpr int kHalvings = 50;

double weighted(double count, double probability)
{
    return count == 0 ? 0 : count * std::log(std::max(probability, 0.0));
}

struct Trinomial {
    double lost, gained, neither;

    /// The largest log-likelihood of those whose difference, gained minus lost, is `difference`.
    [[nodiscard]] double profile(double difference) const
    {
        // In the share of lost rows x it is concave; gained is x + difference, neither the rest.
        double low = std::max(0.0, -difference), high = (1 - difference) / 2;
        for (int i = 0; i < kHalvings; ++i) {
            const double x = (low + high) / 2;
            const double slope = (lost == 0 ? 0 : lost / x) + (gained == 0 ? 0 : gained / (x + difference))
                                 - (neither == 0 ? 0 : 2 * neither / (1 - 2 * x - difference));
            (slope > 0 ? low : high) = x;
        }
        const double x = (low + high) / 2;
        return weighted(lost, x) + weighted(gained, x + difference) + weighted(neither, 1 - 2 * x - difference);
    }

    /// The log of the counts' probability, in one order, under the mixture.
    [[nodiscard]] double mixture() const
    {
        const double all = lost + gained + neither;
        return std::lgamma(3 * kJeffreys) - std::lgamma(all + 3 * kJeffreys) + std::lgamma(lost + kJeffreys)
               + std::lgamma(gained + kJeffreys) + std::lgamma(neither + kJeffreys) - 3 * std::lgamma(kJeffreys);
    }
};

Trinomial trinomial(const PairedCounts& counts)
{
    return {static_cast<double>(counts.lost), static_cast<double>(counts.gained),
            static_cast<double>(counts.bothRight + counts.bothWrong)};
}

} // namespace

double anytimeP(const PairedCounts& counts)
{
    const Trinomial rows = trinomial(counts);
    return std::min(1.0, std::exp(rows.profile(0) - rows.mixture()));
}

Interval anytimeDifference(const PairedCounts& counts, double confidence)
{
    if (counts.total() == 0)
        return {-1, 1};
    const Trinomial rows = trinomial(counts);
    const double least = rows.mixture() + std::log(1 - confidence), middle = counts.difference();
    // From the likeliest difference outwards the profile falls.
    const auto bound = [&](double end) {
        double inside = middle, outside = end;
        if (rows.profile(end) > least)
            return end;
        for (int i = 0; i < kHalvings; ++i) {
            const double between = (inside + outside) / 2;
            (rows.profile(between) > least ? inside : outside) = between;
        }
        return outside;
    };
    return {bound(-1), bound(1)};
}

} // namespace headscope::analysis

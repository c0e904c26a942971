// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/confidencesequence.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

namespace headscope::analysis {

namespace {

constexpr double kJeffreys = 0.5; // of each of the three counts
constexpr int kHalvings = 50;

double weightedSum(double count, double probability)
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
        return weightedSum(lost, x) + weightedSum(gained, x + difference)
               + weightedSum(neither, 1 - 2 * x - difference);
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

constexpr int kBets = 10; // shares of the capital, on either side

/// log(exp(a) + exp(b)) without overflow.
double logSum(double a, double b)
{
    const double large = std::max(a, b), small = std::min(a, b);
    return std::isinf(small) ? large : large + std::log1p(std::exp(small - large));
}

/// Log of what one bet's capital has become: each row multiplies it by 1 - share + share * x / mean.
double logCapital(const std::vector<double>& values, double mean, double share)
{
    double sum = 0, product = 1;
    for (const double x : values) {
        product *= 1 - share + share * x / mean; // one logarithm for many rows
        if (product < 1e-100 || product > 1e100) {
            sum += std::log(product);
            product = 1;
        }
    }
    return sum + std::log(product);
}

/// The differences as numbers in [0, 1], and from the other end.
struct Bounded {
    std::vector<double> up, down;
    double middle = 0.5;

    Bounded(std::span<const double> before, std::span<const double> after)
    {
        double sum = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
            assert(before[i] >= 0 && before[i] <= 1 && after[i] >= 0 && after[i] <= 1);
            up.push_back((1 + after[i] - before[i]) / 2);
            down.push_back(1 - up.back());
            sum += up.back();
        }
        if (!up.empty())
            middle = sum / static_cast<double>(up.size());
    }
    /// Log of the capital, in the mean of all bets, of who bets that the mean is not `mean`. Convex in it.
    [[nodiscard]] double evidence(double mean) const
    {
        constexpr double kInfinite = std::numeric_limits<double>::infinity();
        if ((mean <= 0 && middle > 0) || (mean >= 1 && middle < 1))
            return kInfinite; // that every row stood at the end is seen to be wrong
        double all = -kInfinite;
        for (int i = 1; i <= kBets; ++i) {
            const double share = static_cast<double>(i) / (kBets + 1);
            if (mean > 0)
                all = logSum(all, logCapital(up, mean, share));
            if (mean < 1)
                all = logSum(all, logCapital(down, 1 - mean, share));
        }
        return all - std::log(2.0 * kBets);
    }
};

} // namespace

double anytimeEvidence(const PairedCounts& counts)
{
    const Trinomial rows = trinomial(counts);
    return std::exp(rows.mixture() - rows.profile(0));
}

double anytimeP(const PairedCounts& counts)
{
    return std::min(1.0, 1 / anytimeEvidence(counts));
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

double boundedEvidence(std::span<const double> before, std::span<const double> after)
{
    return std::exp(Bounded(before, after).evidence(0.5));
}

Interval boundedDifference(std::span<const double> before, std::span<const double> after, double confidence)
{
    const Bounded rows(before, after);
    if (rows.up.empty())
        return {-1, 1};
    const double most = -std::log(1 - confidence);
    // At the mean itself no bet gains; from there the capital grows outwards.
    const auto bound = [&](double end) {
        double inside = rows.middle, outside = end;
        if (rows.evidence(end) < most)
            return end;
        for (int i = 0; i < kHalvings; ++i) {
            const double between = (inside + outside) / 2;
            (rows.evidence(between) < most ? inside : outside) = between;
        }
        return outside;
    };
    return {2 * bound(0) - 1, 2 * bound(1) - 1};
}

} // namespace headscope::analysis

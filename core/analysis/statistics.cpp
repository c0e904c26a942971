// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/statistics.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace headscope::analysis {

namespace {

double normalQuantile(double confidence)
{
    assert(confidence > 0 && confidence < 1);
    return boost::math::quantile(boost::math::normal(), 0.5 + confidence / 2);
}

Result<void> checkPairs(std::span<const double> x, std::span<const double> y, std::size_t least)
{
    if (x.size() != y.size())
        return inputError("The two lists have " + std::to_string(x.size()) + " and " + std::to_string(y.size())
                          + " values; paired statistics need equal lengths.");
    if (x.size() < least)
        return inputError("There are " + std::to_string(x.size()) + " pairs; at least " + std::to_string(least)
                          + " are needed.");
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!std::isfinite(x[i]) || !std::isfinite(y[i]))
            return inputError("Pair " + std::to_string(i) + " is not finite; paired statistics need finite values.");
    }
    return {};
}

// Tango's score statistic of the hypothesis that after minus before is `delta`; it falls as delta rises.
double pairedScore(const PairedCounts& counts, double delta)
{
    const double n = static_cast<double>(counts.total());
    const double gained = static_cast<double>(counts.gained), lost = static_cast<double>(counts.lost);
    // The likeliest share of lost rows under the hypothesis.
    const double linear = (2 * n - gained + lost) * delta - gained - lost;
    const double root = std::sqrt(std::max(0.0, linear * linear + 8 * n * lost * delta * (1 - delta)));
    const double variance = n * ((root - linear) / (2 * n) + delta * (1 - delta));
    return (gained - lost - n * delta) / std::sqrt(std::max(variance, std::numeric_limits<double>::min()));
}

std::vector<double> ranks(std::span<const double> values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> result(values.size());
    for (std::size_t i = 0; i < order.size();) {
        std::size_t end = i + 1;
        while (end < order.size() && values[order[end]] == values[order[i]])
            ++end;
        const double meanRank = static_cast<double>(i + 1 + end) / 2; // of ranks i + 1 .. end
        for (; i < end; ++i)
            result[order[i]] = meanRank;
    }
    return result;
}

} // namespace

double PairedCounts::before() const
{
    return total() == 0 ? 0.0 : static_cast<double>(bothRight + lost) / static_cast<double>(total());
}

double PairedCounts::difference() const
{
    return total() == 0 ? 0.0 : static_cast<double>(gained - lost) / static_cast<double>(total());
}

void PairedCounts::add(bool before, bool after)
{
    ++(before ? (after ? bothRight : lost) : (after ? gained : bothWrong));
}

Interval wilsonInterval(std::int64_t successes, std::int64_t total, double confidence)
{
    assert(successes >= 0 && successes <= total);
    if (total == 0)
        return {0, 1};
    const double z = normalQuantile(confidence);
    const double n = static_cast<double>(total);
    const double p = static_cast<double>(successes) / n;
    const double centre = p + z * z / (2 * n);
    const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    const double scale = 1 + z * z / n;
    // The ends are 0 and 1 exactly at 0 and n successes; rounding would leave 1e-17.
    return {successes == 0 ? 0.0 : (centre - half) / scale, successes == total ? 1.0 : (centre + half) / scale};
}

Limit limitOf(double share, std::int64_t n, double chance)
{
    if (n == 0)
        return Limit::None;
    const std::int64_t right = std::llround(share * static_cast<double>(n));
    return right == 0                                             ? Limit::Floor
           : right == n                                           ? Limit::Ceiling
           : chance > 0 && wilsonInterval(right, n).low <= chance ? Limit::Chance
                                                                  : Limit::None;
}

const char* name(Limit limit)
{
    switch (limit) {
    case Limit::None: break;
    case Limit::Floor: return "floor";
    case Limit::Chance: return "chance";
    case Limit::Ceiling: return "ceiling";
    }
    return "";
}

double mcnemarExact(const PairedCounts& counts)
{
    const std::int64_t discordant = counts.lost + counts.gained;
    if (discordant == 0)
        return 1;
    const boost::math::binomial binomial(static_cast<double>(discordant), 0.5);
    return std::min(1.0, 2 * boost::math::cdf(binomial, static_cast<double>(std::min(counts.lost, counts.gained))));
}

Interval tangoInterval(const PairedCounts& counts, double confidence)
{
    if (counts.total() == 0)
        return {-1, 1};
    const double z = normalQuantile(confidence), found = counts.difference();
    constexpr int kHalvings = 60; // beyond the digits of a double
    const auto end = [&](double inside, double outside) {
        for (int i = 0; i < kHalvings; ++i) {
            const double middle = (inside + outside) / 2;
            (std::abs(pairedScore(counts, middle)) > z ? outside : inside) = middle;
        }
        return inside;
    };
    return {end(found, -1), end(found, 1)};
}

PairedChange pairedChange(const PairedCounts& counts)
{
    return {counts.difference(), tangoInterval(counts), mcnemarExact(counts)};
}

double studentQuantile(double degrees, double confidence)
{
    return boost::math::quantile(boost::math::students_t(degrees), 0.5 + confidence / 2);
}

Interval meanInterval(double mean, double standardError, std::int64_t n, double confidence)
{
    if (n < 2 || standardError == 0)
        return {mean, mean};
    const double half = studentQuantile(static_cast<double>(n) - 1, confidence) * standardError;
    return {mean - half, mean + half};
}

Result<PairedT> pairedT(std::span<const double> before, std::span<const double> after, double confidence)
{
    if (const Result<void> checked = checkPairs(before, after, 2); !checked.has_value())
        return checked.error();
    const double n = static_cast<double>(before.size());
    double mean = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
        mean += (after[i] - before[i]) / n;
    double squares = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
        squares += std::pow(after[i] - before[i] - mean, 2);

    PairedT result;
    result.difference = mean;
    result.degrees = n - 1;
    result.standardError = std::sqrt(squares / (n - 1) / n);
    result.interval = meanInterval(mean, result.standardError, std::ssize(before), confidence);
    if (result.standardError == 0) {
        result.p = mean == 0 ? 1 : 0;
        result.t = mean == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), mean);
        return result;
    }
    const boost::math::students_t student(result.degrees);
    result.t = mean / result.standardError;
    result.p = 2 * boost::math::cdf(boost::math::complement(student, std::abs(result.t)));
    return result;
}

Result<Correlation> spearman(std::span<const double> x, std::span<const double> y)
{
    if (const Result<void> checked = checkPairs(x, y, 3); !checked.has_value())
        return checked.error();
    const std::vector<double> rx = ranks(x);
    const std::vector<double> ry = ranks(y);
    const double mean = (static_cast<double>(x.size()) + 1) / 2;
    double xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 0; i < rx.size(); ++i) {
        xx += (rx[i] - mean) * (rx[i] - mean);
        yy += (ry[i] - mean) * (ry[i] - mean);
        xy += (rx[i] - mean) * (ry[i] - mean);
    }
    if (xx == 0 || yy == 0)
        return inputError("All values of one list are equal; a rank correlation is not defined.");
    Correlation result;
    result.n = std::ssize(x);
    result.rho = std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
    const double degrees = static_cast<double>(x.size()) - 2;
    if (std::abs(result.rho) == 1) {
        result.p = 0;
    } else {
        const double t = result.rho * std::sqrt(degrees / ((1 - result.rho) * (1 + result.rho)));
        result.p = 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), std::abs(t)));
    }
    return result;
}

Mean meanOf(std::span<const double> values)
{
    if (values.empty())
        return {};
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    Mean mean{sum / static_cast<double>(values.size())};
    const std::vector<double> zeros(values.size(), 0.0);
    if (const auto test = pairedT(zeros, values); test.has_value() && test->interval.known())
        mean.interval = test->interval;
    return mean;
}

std::optional<Interval> rankInterval(const Correlation& correlation)
{
    const double rho = correlation.rho;
    if (correlation.n < 5 || std::abs(rho) >= 1)
        return std::nullopt;
    const double error = 1.959963984540054 * std::sqrt((1 + rho * rho / 2) / static_cast<double>(correlation.n - 3));
    return Interval{std::tanh(std::atanh(rho) - error), std::tanh(std::atanh(rho) + error)};
}

} // namespace headscope::analysis

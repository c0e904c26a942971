// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Statistics for scores and for scores before and after an intervention on the same rows. Pure functions; any thread.

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <span>

namespace headscope::analysis {

struct Interval {
    double low = 0;
    double high = 0;

    /// Returns false if the values had no spread: their uncertainty is unknown, and no interval is reported.
    [[nodiscard]] bool known() const { return low < high; }
};

/// Row counts by (right before, right after), from which all paired comparisons of accuracies are computed.
struct PairedCounts {
    std::int64_t bothRight = 0;
    std::int64_t lost = 0;   ///< right before, wrong after
    std::int64_t gained = 0; ///< wrong before, right after
    std::int64_t bothWrong = 0;

    [[nodiscard]] std::int64_t total() const { return bothRight + lost + gained + bothWrong; }
    /// Return the accuracy before, and after minus before; 0 without rows.
    [[nodiscard]] double before() const;
    [[nodiscard]] double difference() const;
    void add(bool before, bool after);
};

/// Returns Wilson's score interval of a proportion (1927, JASA 22:209; no continuity correction). [0, 1] if total is 0.
[[nodiscard]] Interval wilsonInterval(std::int64_t successes, std::int64_t total, double confidence = 0.95);

/// Why a score cannot change in one direction, or why its change carries no information.
enum class Limit {
    None,
    Floor,   ///< every row is wrong: nothing can be lost
    Chance,  ///< not above guessing: a loss carries no information
    Ceiling, ///< every row is right: nothing can be gained
};
/// Classifies a share of `n` rows. `chance`: expected share when guessing among the options, 0 if there are none.
[[nodiscard]] Limit limitOf(double share, std::int64_t n, double chance);
/// Returns "floor", "chance" or "ceiling"; empty for None.
[[nodiscard]] const char* name(Limit limit);

/// Returns the two-sided exact McNemar p-value: min(1, 2 P(X <= min(lost, gained))), X binomial(lost + gained, 1/2)
/// (McNemar 1947, Psychometrika 12:153; exact form as in Agresti, Categorical Data Analysis, 10.1). 1 without
/// discordant rows.
[[nodiscard]] double mcnemarExact(const PairedCounts& counts);

/// Returns the interval of the paired difference of two proportions (after minus before): the differences that the
/// score test does not reject (Tango 1998, Statistics in Medicine 17:891), McNemar's counterpart. Depends on lost,
/// gained and total only; without discordant rows it is +-z^2 / (n + z^2), never empty. [-1, 1] without rows.
[[nodiscard]] Interval tangoInterval(const PairedCounts& counts, double confidence = 0.95);

/// The reported change of rows that are right or wrong before and after; the same numbers in every output.
struct PairedChange {
    double delta = 0;  ///< after minus before
    Interval interval; ///< of delta, 95 %: tangoInterval()
    double p = 1;      ///< mcnemarExact()
};
[[nodiscard]] PairedChange pairedChange(const PairedCounts& counts);

/// Names under which the 95 % intervals are reported, one for each kind of quantity.
inline constexpr const char* kProportionInterval = "Wilson"; ///< one share: wilsonInterval()
inline constexpr const char* kPairedInterval = "Tango";      ///< a paired difference of shares: tangoInterval()
inline constexpr const char* kMeanInterval = "Student t";    ///< a mean or a paired difference of means: meanInterval()

/// Returns how many standard errors the two-sided interval of a mean reaches to each side; `degrees` of freedom > 0.
[[nodiscard]] double studentQuantile(double degrees, double confidence = 0.95);

/// Returns Student's interval of a mean of n independent values from its standard error, with n - 1 degrees of freedom
/// (Student 1908, Biometrika 6:1). {mean, mean}, which is not Interval::known(), for n < 2.
[[nodiscard]] Interval meanInterval(double mean, double standardError, std::int64_t n, double confidence = 0.95);

struct PairedT {
    double difference = 0; ///< mean(after - before)
    double standardError = 0;
    double t = 0;
    double degrees = 0; ///< n - 1
    double p = 1;       ///< two-sided
    Interval interval;  ///< of the difference: meanInterval()
};

/// Runs Student's paired t test, for token log-likelihoods before and after (Student 1908, Biometrika 6:1). If all
/// differences are equal, p = 1 when they are 0 and p = 0 otherwise, and there is no interval (Interval::known). Fails
/// for fewer than two pairs, unequal lengths, or non-finite values.
[[nodiscard]] Result<PairedT> pairedT(std::span<const double> before, std::span<const double> after,
                                      double confidence = 0.95);

struct Correlation {
    double rho = 0;
    double p = 1; ///< two-sided, Student's t with n - 2 degrees of freedom
    std::int64_t n = 0;
};

/// Returns Spearman's rank correlation, ties at their mean rank (Spearman 1904, Am. J. Psychology 15:72).
/// Fails for fewer than three pairs, unequal lengths, non-finite values, or if one side is constant.
[[nodiscard]] Result<Correlation> spearman(std::span<const double> x, std::span<const double> y);

struct Mean {
    double value = 0;
    std::optional<Interval> interval{}; ///< 95 %, Student's t; nothing without spread
};

/// Returns the mean with its interval; 0 without values.
[[nodiscard]] Mean meanOf(std::span<const double> values);

/// Returns the 95 % interval of Spearman's rank correlation by Fisher's transformation with the variance of Bonett and
/// Wright 2000, Psychometrika 65:23. Nothing for fewer than five pairs and for a correlation of 1 or -1.
[[nodiscard]] std::optional<Interval> rankInterval(const Correlation& correlation);

} // namespace headscope::analysis

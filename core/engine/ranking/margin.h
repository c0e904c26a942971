// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How confidently a row is answered: the log odds of its right choice. Finer than right or wrong, so it orders heads
// whose removal costs the same score. Any thread.

#include "core/analysis/statistics.h"
#include "core/engine/scoring/benchmark.h"

#include <optional>

namespace headscope::engine {

/// Returns the log-likelihood of the right choice minus log sum exp of the others', nats; for a single continuation its
/// own. None for generated text, for failed rows, and for rows without a right choice.
[[nodiscard]] std::optional<double> margin(const tasks::Example& example, const tasks::Outcome& outcome);

struct MarginChange {
    double mean = 0;             ///< now minus before, nats, over the rows in both
    analysis::Interval interval; ///< of the mean, Student's t
    int n = 0;                   ///< 0: no row has a margin
};

/// Nats, one percent of the odds: smaller mean changes count as zero when heads are ordered. Such heads differ only by
/// rounding and by the sample of examples.
constexpr double kNoMarginChange = 0.01;
/// Returns `change` as used for ordering heads.
[[nodiscard]] inline double orderedMargin(double change)
{
    return change > -kNoMarginChange && change < kNoMarginChange ? 0 : change;
}

[[nodiscard]] MarginChange marginChange(const tasks::TaskSet& set, const Rows& before, const Rows& now,
                                        double confidence = 0.95);

} // namespace headscope::engine

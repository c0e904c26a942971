// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ranking/margin.h"

#include <cmath>

namespace headscope::engine {

std::optional<double> margin(const tasks::Example& example, const tasks::Outcome& outcome)
{
    const auto& values = outcome.logLikelihoods;
    if (!outcome.rejected.empty() || values.empty())
        return std::nullopt;
    if (values.size() == 1)
        return std::isfinite(values[0]) ? std::optional(values[0]) : std::nullopt;
    if (example.gold < 0 || example.gold >= static_cast<int>(values.size()))
        return std::nullopt;
    const auto gold = static_cast<std::size_t>(example.gold);
    double largest = -HUGE_VAL, others = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        largest = i == gold ? largest : std::max(largest, values[i]);
    for (std::size_t i = 0; i < values.size(); ++i)
        others += i == gold ? 0 : std::exp(values[i] - largest);
    const double odds = values[gold] - largest - std::log(others);
    return std::isfinite(odds) ? std::optional(odds) : std::nullopt;
}

MarginChange marginChange(const tasks::TaskSet& set, const Rows& before, const Rows& now, double confidence)
{
    std::vector<double> was, is;
    for (std::size_t i = 0; i < set.examples.size(); ++i) {
        if (!before.outcomes[i] || !now.outcomes[i])
            continue;
        const auto first = margin(set.examples[i], *before.outcomes[i]),
                   second = margin(set.examples[i], *now.outcomes[i]);
        if (!first || !second)
            continue;
        was.push_back(*first);
        is.push_back(*second);
    }
    MarginChange change{.n = static_cast<int>(was.size())};
    for (std::size_t i = 0; i < was.size(); ++i)
        change.mean += (is[i] - was[i]) / static_cast<double>(was.size());
    change.interval = {change.mean, change.mean};
    if (const auto t = analysis::pairedT(was, is, confidence); t.has_value())
        change.interval = t->interval;
    return change;
}

} // namespace headscope::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/questions/overpairs.h"

#include "core/why/patching.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace headscope::engine {

namespace {

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4f", value);
    return text;
}

} // namespace

Result<PairRuns> recordPair(const lm::Model& model, const lm::Edits& base, const PromptPair& pair,
                            const Control& control)
{
    auto both = why::recordToPatch(model, std::array{pair.clean, pair.corrupt}, base, control);
    if (!both.has_value())
        return both.error();
    why::Recording &clean = both->front(), &corrupt = both->back();
    const auto metric = metricOf({.answer = pair.answer}, clean, model);
    if (!metric.has_value())
        return metric.error();
    const int distractor = pair.distractor ? *pair.distractor : why::mostProbable(corrupt, {}, metric->answer);
    PairRuns runs{std::move(clean), std::move(corrupt), {metric->answer, distractor}};
    if (const auto fits = why::check(runs.metric, model); !fits.has_value())
        return fits.error();
    return runs;
}

analysis::Mean OverPairs::effect(std::size_t cell) const
{
    std::vector<double> changes;
    for (std::size_t pair = 0; pair < into().size(); ++pair)
        changes.push_back(values[cell][pair] - into()[pair]);
    return analysis::meanOf(changes);
}

analysis::Mean OverPairs::normalised(std::size_t cell) const
{
    const double whole = analysis::meanOf(from()).value - analysis::meanOf(into()).value;
    analysis::Mean mean = effect(cell);
    mean.value /= whole;
    if (mean.interval) {
        const double a = mean.interval->low / whole, b = mean.interval->high / whole;
        mean.interval = analysis::Interval{std::min(a, b), std::max(a, b)};
    }
    return mean;
}

Result<void> append(OverPairs& over, const PromptPair& pair, const PairRuns& runs, const std::vector<double>& values)
{
    if (over.values.empty())
        over.values.resize(values.size());
    if (over.values.size() != values.size())
        return inputError("The prompts of " + pair.source
                          + " have another length than those before; expected pairs of one length, or positions that "
                            "all have: --positions all or last.");
    over.metrics.push_back(runs.metric);
    over.clean.push_back(runs.clean.difference(runs.metric));
    over.corrupt.push_back(runs.corrupt.difference(runs.metric));
    for (std::size_t cell = 0; cell < values.size(); ++cell)
        over.values[cell].push_back(values[cell]);
    return {};
}

Result<void> checkDifference(const OverPairs& over)
{
    const double clean = analysis::meanOf(over.clean).value, corrupt = analysis::meanOf(over.corrupt).value;
    if (why::normalised(clean, corrupt, clean))
        return {};
    return inputError("Both runs have the logit difference " + number(clean)
                      + ", so a patch would have no effect; expected prompts that the model answers "
                        "differently, or another answer and distractor.");
}

Result<OverPairs> measurePairs(const lm::Model& model, const lm::Edits& base, const std::vector<PromptPair>& pairs,
                               PatchDirection direction, const MeasurePair& measure, const Control& control)
{
    OverPairs over{.direction = direction, .asked = pairs.size()};
    const bool several = pairs.size() > 1;
    const auto keeps = [&](const Error& error) { return error.kind == Error::Kind::Cancelled && !over.clean.empty(); };
    for (const PromptPair& pair : pairs) {
        const auto runs = recordPair(model, base, pair, {control.stop, {}});
        if (!runs.has_value() && keeps(runs.error()))
            break;
        if (!runs.has_value())
            return runs.error();
        const bool denoise = direction == PatchDirection::Denoise;
        const auto values = measure(denoise ? runs->corrupt : runs->clean, denoise ? runs->clean : runs->corrupt,
                                    runs->metric, several ? Control{control.stop, {}} : control);
        if (!values.has_value() && keeps(values.error()))
            break;
        if (!values.has_value())
            return values.error();
        if (const auto taken = append(over, pair, *runs, *values); !taken.has_value())
            return taken.error();
        if (several)
            control.progress("patching pairs", static_cast<std::int64_t>(over.clean.size()),
                             static_cast<std::int64_t>(pairs.size()));
    }
    if (const auto differ = checkDifference(over); !differ.has_value())
        return differ.error();
    return over;
}

} // namespace headscope::engine

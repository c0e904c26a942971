// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/questions/overpairs.h"

#include "core/survey/texts/textpacking.h"
#include "core/why/paths/patching.h"

#include <array>
#include <cstdio>
#include <utility>

namespace headscope::engine {

namespace {

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4f", value);
    return text;
}

std::string packedPair(const MeasuredPair& pair)
{
    survey::Packer out;
    out.add(pair.metric.answer);
    out.add(pair.metric.distractor);
    out.add(pair.clean);
    out.add(pair.corrupt);
    out.add(static_cast<std::uint64_t>(pair.values.size()));
    out.add(std::span<const double>(pair.values));
    return out.take();
}

Result<MeasuredPair> unpackedPair(std::string_view bytes)
{
    survey::Unpacker in(bytes);
    MeasuredPair pair;
    std::uint64_t cells = 0;
    if (!in.read(pair.metric.answer) || !in.read(pair.metric.distractor) || !in.read(pair.clean)
        || !in.read(pair.corrupt) || !in.read(cells) || !in.read(pair.values, cells) || !in.atEnd())
        return inputError("The stored measurement of a pair cannot be read: it is of another version or damaged.");
    return pair;
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

Result<void> append(OverPairs& over, const PromptPair& pair, const MeasuredPair& measured)
{
    const std::vector<double>& values = measured.values;
    if (over.values.empty())
        over.values.resize(values.size());
    if (over.values.size() != values.size())
        return inputError("The prompts of " + pair.source
                          + " have another length than those before; expected pairs of one length, or positions that "
                            "all have: --positions all or last.");
    over.metrics.push_back(measured.metric);
    over.clean.push_back(measured.clean);
    over.corrupt.push_back(measured.corrupt);
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

PiecedWork pairPieces(const lm::Model& model, const lm::Edits& base, const std::vector<PromptPair>& pairs,
                      PatchDirection direction, MeasurePair measure)
{
    const auto one = [&model, &base, &pairs, direction,
                      measure = std::move(measure)](int piece, const Control& control) -> Result<std::string> {
        const auto runs = recordPair(model, base, pairs[static_cast<std::size_t>(piece)], {control.stop, {}});
        if (!runs.has_value())
            return runs.error();
        const bool denoise = direction == PatchDirection::Denoise;
        auto values = measure(denoise ? runs->corrupt : runs->clean, denoise ? runs->clean : runs->corrupt,
                              runs->metric, control);
        if (!values.has_value())
            return values.error();
        return packedPair({runs->metric, runs->clean.difference(runs->metric), runs->corrupt.difference(runs->metric),
                           std::move(*values)});
    };
    return {.name = "pairs", .stage = "patching pairs", .count = static_cast<int>(pairs.size()), .measure = one};
}

Result<OverPairs> measurePairs(const lm::Model& model, const lm::Edits& base, const std::vector<PromptPair>& pairs,
                               PatchDirection direction, const MeasurePair& measure, const Control& control,
                               const MeasurePieces& pieces)
{
    OverPairs over{.direction = direction, .asked = pairs.size()};
    const auto measured = pieces(pairPieces(model, base, pairs, direction, measure), control);
    if (!measured.has_value())
        return measured.error();
    for (std::size_t pair = 0; pair < measured->size(); ++pair) {
        const auto one = unpackedPair((*measured)[pair]);
        if (!one.has_value())
            return one.error();
        if (const auto taken = append(over, pairs[pair], *one); !taken.has_value())
            return taken.error();
    }
    if (const auto differ = checkDifference(over); !differ.has_value())
        return differ.error();
    return over;
}

} // namespace headscope::engine

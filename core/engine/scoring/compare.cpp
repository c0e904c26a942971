// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/compare.h"

#include "core/analysis/confidencesequence.h"

#include <algorithm>
#include <cmath>

namespace headscope::engine {

namespace {

/// Pairs of one metric's values on the rows that both sides have.
struct Pairs {
    std::vector<double> before, after;
    bool binary = true;
};

void collect(Pairs& pairs, const tasks::LeafTask& leaf, std::size_t metric, std::span<const tasks::RowResult> baseline,
             std::span<const tasks::RowResult> now)
{
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
        if (!baseline[i].judgement || !now[i].judgement)
            continue;
        const double before = baseline[i].judgement->values[metric], after = now[i].judgement->values[metric];
        pairs.before.push_back(before);
        pairs.after.push_back(after);
        pairs.binary = pairs.binary && (before == 0 || before == 1) && (after == 0 || after == 1);
    }
}

double mean(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values)
        sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

void comparePerplexity(Comparison& c, const Pairs& pairs)
{
    // Perplexity is exp(-mean): the test and the interval are of the mean log-likelihood, the interval is carried over.
    const double before = mean(pairs.before), after = mean(pairs.after);
    c.baseline = std::exp(-before);
    c.delta = std::exp(-after) - c.baseline;
    c.test = "paired t on log-likelihoods";
    c.kind = analysis::kMeanInterval;
    const auto t = analysis::pairedT(pairs.before, pairs.after);
    if (!t.has_value()) {
        c.interval = {c.delta, c.delta};
        return;
    }
    c.p = t->p;
    c.interval = {std::exp(-(before + t->interval.high)) - c.baseline,
                  std::exp(-(before + t->interval.low)) - c.baseline};
}

std::optional<Anytime> anytimeOf(const Pairs& pairs, const analysis::PairedCounts& counts)
{
    if (pairs.binary)
        return Anytime{.interval = analysis::anytimeDifference(counts),
                       .p = analysis::anytimeP(counts),
                       .evidence = analysis::anytimeEvidence(counts),
                       .test = "anytime-valid mixture martingale"};
    const auto bounded = [](double value) { return value >= 0 && value <= 1; };
    if (!std::ranges::all_of(pairs.before, bounded) || !std::ranges::all_of(pairs.after, bounded))
        return {};
    const double evidence = analysis::boundedEvidence(pairs.before, pairs.after);
    return Anytime{.interval = analysis::boundedDifference(pairs.before, pairs.after),
                   .p = std::min(1.0, 1 / evidence),
                   .evidence = evidence,
                   .test = "anytime-valid betting"};
}

analysis::PairedCounts countsOf(const Pairs& pairs)
{
    analysis::PairedCounts counts;
    for (std::size_t i = 0; pairs.binary && i < pairs.before.size(); ++i)
        counts.add(pairs.before[i] == 1, pairs.after[i] == 1);
    return counts;
}

void compareMeans(Comparison& c, const Pairs& pairs, const CompareOptions& options)
{
    c.baseline = mean(pairs.before);
    c.delta = mean(pairs.after) - c.baseline;
    const analysis::PairedCounts counts = countsOf(pairs);
    c.broken = static_cast<int>(counts.lost);
    c.fixed = static_cast<int>(counts.gained);
    if (options.anytime)
        c.anytime = anytimeOf(pairs, counts);
    for (std::size_t i = 0; options.keepRows && pairs.binary && i < pairs.after.size(); ++i)
        c.right.push_back(pairs.after[i] == 1);
    if (pairs.binary) {
        const analysis::PairedChange change = analysis::pairedChange(counts);
        c.test = "exact McNemar";
        c.p = change.p;
        c.interval = change.interval;
    } else if (const auto t = analysis::pairedT(pairs.before, pairs.after); t.has_value()) {
        c.test = "paired t";
        c.kind = analysis::kMeanInterval;
        c.p = t->p;
        c.interval = t->interval;
    }
}

// A plain mean of parts: each part's change with its interval, distances added in squares (Zou and Donner 2008,
// Statistics in Medicine 27:1693). The test stays that of all rows.
void weighEvenly(Comparison& c, const std::vector<Pairs>& parts)
{
    const double count = static_cast<double>(parts.size());
    double below = 0, above = 0;
    c.baseline = c.delta = 0;
    for (const Pairs& part : parts) {
        const analysis::PairedCounts counts = countsOf(part);
        const analysis::PairedChange change = analysis::pairedChange(counts);
        c.baseline += counts.before() / count;
        c.delta += change.delta / count;
        below += std::pow(change.delta - change.interval.low, 2);
        above += std::pow(change.interval.high - change.delta, 2);
    }
    c.interval = {c.delta - std::sqrt(below) / count, c.delta + std::sqrt(above) / count};
}

std::size_t metricIndex(const tasks::LeafTask& leaf, const std::string& metric, const std::string& filter)
{
    for (std::size_t i = 0; i < leaf.metrics.size(); ++i)
        if (metric == tasks::name(leaf.metrics[i].kind) && (filter == "none" || leaf.metrics[i].filter == filter))
            return i;
    return 0;
}

/// The leaves that a score is over, and whether each counts the same.
struct Parts {
    std::vector<const tasks::LeafTask*> leaves;
    bool even = false;
};

Parts partsOf(const tasks::TaskSet& set, const tasks::Score& score)
{
    Parts parts;
    for (const tasks::Group& group : set.groups)
        if (score.group && group.name == score.task) {
            parts.even = !group.weighBySize || score.metric.ends_with("_macro");
            for (const std::size_t leaf : group.leaves)
                parts.leaves.push_back(&set.leaves[leaf]);
        }
    for (const tasks::LeafTask& leaf : set.leaves)
        if (!score.group && leaf.name == score.task)
            parts.leaves.push_back(&leaf);
    return parts;
}

Comparison compareScore(const tasks::TaskSet& set, const tasks::Score& score,
                        std::span<const tasks::RowResult> baseline, std::span<const tasks::RowResult> now,
                        const CompareOptions& options)
{
    Comparison comparison{.now = score};
    const Parts parts = partsOf(set, score);
    const std::string metric = score.metric.substr(0, score.metric.find("_macro"));
    Pairs pairs;
    std::vector<Pairs> each;
    for (const tasks::LeafTask* leaf : parts.leaves) {
        const std::size_t index = metricIndex(*leaf, metric, score.filter);
        collect(pairs, *leaf, index, baseline, now);
        if (Pairs own; parts.even && (collect(own, *leaf, index, baseline, now), !own.before.empty()))
            each.push_back(std::move(own));
    }
    comparison.n = static_cast<int>(pairs.before.size());
    if (score.metric == "perplexity")
        comparePerplexity(comparison, pairs);
    else
        compareMeans(comparison, pairs, options);
    if (pairs.binary && !each.empty())
        weighEvenly(comparison, each);
    return comparison;
}

} // namespace

Result<std::vector<Comparison>> compare(const tasks::TaskSet& set, std::span<const tasks::RowResult> baseline,
                                        std::span<const tasks::RowResult> now, const CompareOptions& options)
{
    if (baseline.size() != set.examples.size() || now.size() != set.examples.size())
        return Error{Error::Kind::Internal, "The rows to compare are not the rows of the task.", {}};
    const auto scores = tasks::aggregate(set, now, {.bootstrapResamples = 0});
    if (!scores.has_value())
        return scores.error();
    std::vector<Comparison> comparisons;
    for (const tasks::Score& score : *scores)
        comparisons.push_back(compareScore(set, score, baseline, now, options));
    return comparisons;
}

} // namespace headscope::engine

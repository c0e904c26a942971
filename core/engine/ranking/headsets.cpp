// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ranking/headsets.h"

#include "core/base/shuffle.h"

#include <algorithm>

namespace headscope::engine {

using interventions::HeadRef;
using interventions::InterventionSet;

const char* name(PairKind kind)
{
    return kind == PairKind::Redundant ? "redundant" : kind == PairKind::Synergistic ? "synergistic" : "additive";
}

Result<PairSweep> PairSweep::start(const Benchmark& benchmark, InterventionSet fixed, std::vector<HeadRef> heads,
                                   Measure measure)
{
    if (heads.size() < 2)
        return inputError("Pairs need at least 2 heads; got " + std::to_string(heads.size()) + ".");
    PairSweep sweep;
    sweep.m_benchmark = &benchmark;
    sweep.m_fixed = std::move(fixed);
    sweep.m_heads = std::move(heads);
    sweep.m_measure = std::move(measure);
    auto baseline = sweep.m_measure(sweep.m_fixed);
    if (!baseline.has_value())
        return baseline.error();
    sweep.m_baseline = std::move(*baseline);
    auto score = firstScore(benchmark, sweep.m_baseline);
    if (!score.has_value())
        return score.error();
    sweep.m_score = std::move(*score);
    for (const HeadRef& head : sweep.m_heads) {
        auto alone = sweep.m_measure(without(sweep.m_fixed, std::span(&head, 1)));
        if (!alone.has_value())
            return alone.error();
        sweep.m_alone.push_back(std::move(*alone));
    }
    return sweep;
}

Result<void> PairSweep::step()
{
    const std::vector<HeadRef> both = {m_heads[m_first], m_heads[m_second]};
    const auto rows = m_measure(without(m_fixed, both));
    if (!rows.has_value())
        return rows.error();
    const auto measured = measuredRemoval(*m_benchmark, m_baseline, *rows, both.front());
    if (!measured.has_value())
        return measured.error();
    HeadPair pair{both[0], both[1], measured->value, measured->delta, measured->interval};
    std::vector<double> expected, found;
    const Rows &one = m_alone[m_first], &other = m_alone[m_second];
    for (std::size_t i = 0; i < rows->results.size(); ++i) {
        const auto value = [i](const Rows& of) { return of.results[i].judgement->values.front(); };
        if (!rows->results[i].judgement || !m_baseline.results[i].judgement || !one.results[i].judgement
            || !other.results[i].judgement)
            continue;
        expected.push_back(value(one) + value(other) - value(m_baseline));
        found.push_back(value(*rows));
    }
    if (const auto t = analysis::pairedT(expected, found); t.has_value()) {
        pair.interaction = t->difference;
        pair.interactionInterval = t->interval;
        pair.kind = t->interval.high < 0  ? PairKind::Redundant
                    : t->interval.low > 0 ? PairKind::Synergistic
                                          : PairKind::Additive;
    }
    m_pairs.push_back(pair);
    if (++m_second == m_heads.size())
        m_second = ++m_first + 1;
    return {};
}

Result<GreedySet> GreedySet::start(const Benchmark& benchmark, InterventionSet fixed, std::vector<HeadRef> heads,
                                   int size, Measure measure, Prepare prepare)
{
    if (size < 1 || size > static_cast<int>(heads.size()))
        return inputError("A set of heads can have 1 to " + std::to_string(heads.size()) + " of them; got "
                          + std::to_string(size) + ".");
    GreedySet set;
    set.m_benchmark = &benchmark;
    set.m_removed = std::move(fixed);
    set.m_heads = heads.size();
    set.m_left = std::move(heads);
    set.m_size = size;
    set.m_measure = std::move(measure);
    set.m_prepare = std::move(prepare);
    if (const auto prepared = set.prepareRound(); !prepared.has_value())
        return prepared.error();
    auto baseline = set.m_measure(set.m_removed);
    if (!baseline.has_value())
        return baseline.error();
    set.m_baseline = std::move(*baseline);
    auto score = firstScore(benchmark, set.m_baseline);
    if (!score.has_value())
        return score.error();
    set.m_score = std::move(*score);
    return set;
}

Result<void> GreedySet::prepareRound() const
{
    return m_prepare ? m_prepare(*m_benchmark, removalStates(m_removed, m_left)) : Result<void>();
}

Result<void> GreedySet::step()
{
    const HeadRef head = m_left[m_round.size()];
    const auto rows = m_measure(without(m_removed, std::span(&head, 1)));
    if (!rows.has_value())
        return rows.error();
    const auto measured = measuredRemoval(*m_benchmark, m_baseline, *rows, head);
    if (!measured.has_value())
        return measured.error();
    m_round.push_back(*measured);
    ++m_steps;
    if (m_round.size() < m_left.size())
        return {};
    sortByLoss(m_round, m_score.higherIsBetter);
    const RankedHead best = m_round.front();
    m_chosen.push_back(best);
    m_removed = without(m_removed, std::span(&best.head, 1));
    std::erase(m_left, best.head);
    m_round.clear();
    return done() ? Result<void>() : prepareRound();
}

std::int64_t GreedySet::total() const
{
    std::int64_t steps = 0;
    for (int i = 0; i < m_size; ++i)
        steps += static_cast<std::int64_t>(m_heads) - i;
    return steps;
}

std::vector<HeadRef> randomHeads(std::vector<HeadRef> heads, int count, std::uint64_t seed)
{
    shuffle(heads, seed);
    heads.resize(std::min(heads.size(), static_cast<std::size_t>(std::max(count, 0))));
    std::sort(heads.begin(), heads.end());
    return heads;
}

} // namespace headscope::engine

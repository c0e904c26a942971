// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads removed together: pairs and their interactions, the set found by repeatedly removing the most important head
// and ranking again, and k heads drawn at random as a control. Worker thread.

#include "core/engine/ranking/rank.h"

namespace headscope::engine {

/// How the joint removal of two heads relates to their single removals.
enum class PairKind {
    Additive,   ///< costs about the sum of both single removals
    Redundant,  ///< costs more: each head compensates for the other
    Synergistic ///< costs less: they work together, so that one removal already breaks both
};
/// "additive", "redundant", "synergistic"
[[nodiscard]] const char* name(PairKind kind);

struct HeadPair {
    interventions::HeadRef first, second;
    double value = 0;                       ///< the task's score without both
    double delta = 0;                       ///< value minus baseline
    analysis::Interval interval;            ///< interval of delta
    double interaction = 0;                 ///< delta of the pair minus the two single deltas, over the rows
    analysis::Interval interactionInterval; ///< Student's t over the rows, 95 %
    PairKind kind = PairKind::Additive;     ///< Additive unless the interval excludes 0
};

/// All pairs of some heads, one per step.
class PairSweep
{
public:
    using Measure = RemovalRanking::Measure;
    /// Measures `fixed` and each head alone.
    [[nodiscard]] static Result<PairSweep> start(const Benchmark& benchmark, interventions::InterventionSet fixed,
                                                 std::vector<interventions::HeadRef> heads, Measure measure);
    [[nodiscard]] bool done() const { return m_pairs.size() == m_heads.size() * (m_heads.size() - 1) / 2; }
    [[nodiscard]] Result<void> step();
    [[nodiscard]] const std::vector<HeadPair>& measured() const { return m_pairs; }
    [[nodiscard]] std::int64_t total() const
    {
        return static_cast<std::int64_t>(m_heads.size() * (m_heads.size() - 1) / 2);
    }
    [[nodiscard]] const tasks::Score& baseline() const { return m_score; }

private:
    PairSweep() = default;
    const Benchmark* m_benchmark = nullptr;
    interventions::InterventionSet m_fixed;
    std::vector<interventions::HeadRef> m_heads;
    Measure m_measure;
    Rows m_baseline;
    std::vector<Rows> m_alone;
    tasks::Score m_score;
    std::size_t m_first = 0, m_second = 1;
    std::vector<HeadPair> m_pairs;
};

/// Removes the most important head, ranks the rest without it, and so on; measures one head per step.
class GreedySet
{
public:
    using Measure = RemovalRanking::Measure;
    [[nodiscard]] static Result<GreedySet> start(const Benchmark& benchmark, interventions::InterventionSet fixed,
                                                 std::vector<interventions::HeadRef> heads, int size, Measure measure,
                                                 Prepare prepare = {});
    [[nodiscard]] bool done() const { return static_cast<int>(m_chosen.size()) == m_size; }
    [[nodiscard]] Result<void> step();
    /// Returns the heads in order of removal; value and delta are of the set up to this head, delta against `fixed`.
    [[nodiscard]] const std::vector<RankedHead>& chosen() const { return m_chosen; }
    [[nodiscard]] std::int64_t stepsDone() const { return m_steps; }
    [[nodiscard]] std::int64_t total() const; ///< steps
    [[nodiscard]] const tasks::Score& baseline() const { return m_score; }

private:
    GreedySet() = default;
    [[nodiscard]] Result<void> prepareRound() const;
    const Benchmark* m_benchmark = nullptr;
    interventions::InterventionSet m_removed; ///< including the heads chosen so far
    std::vector<interventions::HeadRef> m_left;
    Measure m_measure;
    Prepare m_prepare; ///< called with each round's states
    int m_size = 0;
    std::size_t m_heads = 0;
    Rows m_baseline;
    tasks::Score m_score;
    std::vector<RankedHead> m_round;
    std::vector<RankedHead> m_chosen;
    std::int64_t m_steps = 0;
};

/// Draws `count` different heads from `heads`, identical for the same seed everywhere, in the order of `heads`.
[[nodiscard]] std::vector<interventions::HeadRef> randomHeads(std::vector<interventions::HeadRef> heads, int count,
                                                              std::uint64_t seed);

} // namespace headscope::engine

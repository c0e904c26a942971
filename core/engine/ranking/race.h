// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Finds the k heads whose removal costs the most without measuring every head on every example: all heads run on the
// same few examples, those surely in or surely out are decided, the rest run on twice as many (successive rejects
// with paired intervals; after Even-Dar, Mannor and Mansour 2006, and Bubeck, Wang and Viswanathan 2013). Worker
// thread.

#include "core/engine/ranking/rank.h"

namespace headscope::engine {

struct RaceOptions {
    int top = 10;
    double errorProbability = 0.05; ///< chance of a set other than the exact one, over all comparisons and
                                    ///< looks
    std::uint64_t seed = 0;         ///< seed of the order of examples
    int firstExamples = 16;
    Prepare prepare{}; ///< called with each round's states
    double work = 1;   ///< maximum share of an exact ranking's runs; open decisions then stay uncertain
};

/// Heads are compared row by row. One is ahead of another if its loss of score is larger by the paired interval; if
/// scores are indistinguishable, if its loss of score so far is not smaller and its loss of margin is larger by the
/// interval. Intervals are Student's, corrected for the finite number of examples and for the number of comparisons;
/// rows of all parts of a group count equally. They cannot account for an effect that no sampled example has shown: a
/// head that costs one row in 256 looks like one that costs none. Two heads that change every row by exactly the same
/// number (heads whose output is unused, as after pruning) are equal and keep their original order, as in the exact
/// ranking.
class Race
{
public:
    /// Returns the rows of a part of the benchmark under a set: run, or taken from known results.
    using Measure = std::function<Result<Rows>(const Benchmark& part, const interventions::InterventionSet& set)>;

    /// Starts a race. Fails for sets whose effect depends on which examples run together (mean, resample), and if there
    /// is nothing to choose from.
    [[nodiscard]] static Result<Race> start(const Benchmark& benchmark, interventions::InterventionSet fixed,
                                            std::vector<interventions::HeadRef> heads, const Scorer& scorer,
                                            Measure measure, const RaceOptions& options);

    [[nodiscard]] bool done() const { return m_done; }
    /// Measures one head on the examples of one round, or a round's baseline.
    [[nodiscard]] Result<void> step();
    /// Returns the heads so far, the first `top` in front; each with its numbers over the examples it ran on.
    [[nodiscard]] std::vector<RankedHead> sorted() const;
    [[nodiscard]] tasks::Score baseline() const; ///< over the examples taken so far
    /// Returns whether all examples were used, which makes the order exact.
    [[nodiscard]] bool exact() const { return m_done && m_taken == m_order.size(); }
    /// Returns how many of the first `top` are determined by the intervals (or by all examples).
    [[nodiscard]] int certain() const;
    /// Returns whether the intervals decided the whole set.
    [[nodiscard]] bool decidedEarly() const { return m_done && !exact() && certain() == m_options.top; }
    [[nodiscard]] std::int64_t runsDone() const { return m_runs; } ///< pairs of head and example
    [[nodiscard]] std::int64_t runsOfAll() const { return static_cast<std::int64_t>(m_heads.size() * m_order.size()); }
    [[nodiscard]] int undecided() const; ///< heads still running
    [[nodiscard]] std::size_t examplesUsed() const { return m_taken; }

private:
    enum class Status { Running, In, Out };
    struct Runner {
        interventions::HeadRef head;
        Status status = Status::Running;
        std::vector<double> score, margin; ///< change on each used example, in order; NaN if it has none
    };
    Race() = default;
    [[nodiscard]] Result<void> startRound();
    void decide();
    [[nodiscard]] bool ahead(const Runner& one, const Runner& other, double confidence) const;
    [[nodiscard]] bool same(const Runner& one, const Runner& other) const;
    [[nodiscard]] std::size_t nextRound() const;
    [[nodiscard]] RankedHead rankedHead(const Runner& runner) const;
    [[nodiscard]] std::vector<std::size_t> ordered() const;

    const Benchmark* m_benchmark = nullptr;
    interventions::InterventionSet m_fixed;
    const Scorer* m_scorer = nullptr; ///< prepares the examples of a round
    Measure m_measure;
    RaceOptions m_options;
    std::vector<Runner> m_heads;
    std::vector<std::size_t> m_order; ///< examples in the order of use
    std::size_t m_taken = 0;          ///< examples of the order used so far, including this round's
    std::size_t m_next = 0;           ///< the head that the next step runs
    std::shared_ptr<const Benchmark> m_part;
    std::shared_ptr<const Benchmark> m_nextPart; ///< part of a round whose baseline is not yet measured
    Rows m_partBaseline;
    std::vector<double> m_baselineScores; ///< score of each used example; NaN if it has none
    std::string m_metric;
    bool m_higherIsBetter = true;
    std::int64_t m_runs = 0;
    bool m_done = false;
};

} // namespace headscope::engine

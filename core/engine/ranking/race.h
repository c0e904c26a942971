// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The k heads whose removal costs the most, found without measuring every head on every example: all heads run on the
// same few examples, those that are surely in or surely out are dropped, the rest run on twice as many (successive
// rejects with paired intervals; after Even-Dar, Mannor and Mansour 2006, and Bubeck, Wang and Viswanathan 2013).
// Worker thread.

#include "core/engine/ranking/rank.h"

#include <limits>

namespace headscope::engine {

struct RaceOptions {
    int top = 10;
    double errorProbability = 0.05; ///< that the set found is not the exact one, over all comparisons and looks
    std::uint64_t seed = 0;         ///< of the order in which examples are taken
    int firstExamples = 16;
    Prepare prepare{}; ///< called with each round's states
    double work = 1;   ///< the largest share of the runs of an exact ranking; what is open then stays uncertain
};

/// Heads are compared row by row. One is ahead of another where its loss of score is larger by the paired interval;
/// where scores cannot be told apart, where it does not lose less score so far and its loss of margin is larger by the
/// interval. Intervals are Student's, corrected for the finite number of examples and for the number of comparisons;
/// rows of all parts of a group count alike. They know nothing of an effect that no example taken has shown: a head
/// that costs one row in 256 looks like one that costs none. Two heads that changed every row by the same number to the
/// last digit (heads whose output is not used, as pruning leaves them) are equal and keep their own order, as in
/// the exact ranking.
class Race
{
public:
    /// The rows of a part of the benchmark under a set: run, or taken from where they are known.
    using Measure = std::function<Result<Rows>(const Benchmark& part, const interventions::InterventionSet& set)>;
    /// A benchmark of some of the examples.
    using MakePart = std::function<Result<std::shared_ptr<const Benchmark>>(tasks::TaskSet set)>;

    /// Fails for sets whose effect depends on which examples run together (mean, resample), and for nothing to choose
    /// from.
    [[nodiscard]] static Result<Race> start(const Benchmark& benchmark, interventions::InterventionSet fixed,
                                            std::vector<interventions::HeadRef> heads, MakePart makePart,
                                            Measure measure, const RaceOptions& options);

    [[nodiscard]] bool done() const { return m_done; }
    /// One head on the examples of one round, or a round's baseline.
    [[nodiscard]] Result<void> step();
    /// Heads so far, the first `top` in front; each with its numbers over the examples it ran on.
    [[nodiscard]] std::vector<RankedHead> sorted() const;
    [[nodiscard]] tasks::Score baseline() const; ///< over the examples taken so far
    /// True when it took all examples, which makes the order exact.
    [[nodiscard]] bool exact() const { return m_done && m_taken == m_order.size(); }
    /// Of the first `top`, those that the intervals (or all examples) put there.
    [[nodiscard]] int certain() const;
    /// True when the intervals decided the whole set.
    [[nodiscard]] bool decidedEarly() const { return m_done && !exact() && certain() == m_options.top; }
    [[nodiscard]] std::int64_t runsDone() const { return m_runs; } ///< pairs of head and example
    [[nodiscard]] std::int64_t runsOfAll() const { return static_cast<std::int64_t>(m_heads.size() * m_order.size()); }
    [[nodiscard]] int undecided() const; ///< heads that still run
    [[nodiscard]] std::size_t examplesTaken() const { return m_taken; }

private:
    enum class Fate { Running, In, Out };
    struct Runner {
        interventions::HeadRef head;
        Fate fate = Fate::Running;
        std::vector<double> score, margin; ///< change of each example taken, in the order taken; NaN where it has none
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
    MakePart m_makePart;
    Measure m_measure;
    RaceOptions m_options;
    std::vector<Runner> m_heads;
    std::vector<std::size_t> m_order; ///< examples in the order in which they are taken
    std::size_t m_taken = 0;          ///< of the order, this round's included
    std::size_t m_next = 0;           ///< the head that the next step runs
    std::shared_ptr<const Benchmark> m_part;
    std::shared_ptr<const Benchmark> m_nextPart; ///< of a round whose baseline is not measured yet
    Rows m_partBaseline;
    std::vector<double> m_baselineScores; ///< of each example taken; NaN where it has none
    std::string m_metric;
    bool m_higherIsBetter = true;
    std::int64_t m_runs = 0;
    bool m_done = false;
};

} // namespace headscope::engine

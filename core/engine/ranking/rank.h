// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads ordered by the cost of their removal: ablate one, measure, reinsert (the paper's ranking); or by a pattern
// score. Worker thread.

#include "core/analysis/patternscores.h"
#include "core/analysis/statistics.h"
#include "core/engine/scoring/benchmark.h"

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace headscope::engine {

struct RankedHead {
    interventions::HeadRef head;
    double value = 0;            ///< exact: the task's score without the head; otherwise the method's own number
    double delta = 0;            ///< value minus baseline (exact only)
    analysis::Interval interval; ///< interval of delta; for an estimate, of value
    const char* kind = analysis::kPairedInterval; ///< kind of the interval
    double p = 1;
    double margin = 0;       ///< change of the rows' mean margin, nats
    int n = 0;               ///< examples measured
    bool estimate = false;   ///< value and margin are estimates, not measured
    std::vector<bool> right; ///< exact, with right or wrong rows: which rows are right without the head
    std::string fault;       ///< why there is no value (no row could be scored without the head); empty: has one
};

/// Returns all heads of the model, layer by layer; the site is named in layers with two.
[[nodiscard]] std::vector<interventions::HeadRef> allHeads(const lm::ModelSpec& spec);

/// Returns `fixed` with these heads also removed.
[[nodiscard]] interventions::InterventionSet without(const interventions::InterventionSet& fixed,
                                                     std::span<const interventions::HeadRef> heads);
/// Fails if a head cannot be removed under `fixed`, so that a ranking need not begin (lm::checkSameHeads()).
[[nodiscard]] Result<void> checkRemovals(const lm::ModelSpec& spec, const interventions::InterventionSet& fixed,
                                         std::span<const interventions::HeadRef> heads, const lm::DonorLoader& donors);
/// Returns the task's first metric, by which heads are ranked. Fails if no row can be scored.
[[nodiscard]] Result<tasks::Score> firstScore(const Benchmark& benchmark, const Rows& rows);
/// Compares the rows without a head with the baseline's; the result has a fault if none of them could be scored.
[[nodiscard]] Result<RankedHead> measuredRemoval(const Benchmark& benchmark, const Rows& baseline, const Rows& rows,
                                                 const interventions::HeadRef& head);
/// Sorts by the largest loss of score, then the largest loss of margin that counts (kNoMarginChange); equal heads keep
/// their order. Faults come last.
void sortByLoss(std::vector<RankedHead>& heads, bool higherIsBetter);

/// Returns how many heads are among the first `top` of both.
[[nodiscard]] std::size_t sameTop(const std::vector<RankedHead>& one, const std::vector<RankedHead>& other, int top);
/// Returns the heads of the first list that are also in the second, in the order of the first, each with its
/// counterpart; pointers into the given lists.
[[nodiscard]] std::vector<std::pair<const RankedHead*, const RankedHead*>>
sameHeads(const std::vector<RankedHead>& one, const std::vector<RankedHead>& other);

/// Called with everything that will be measured next, all known before any of it is measured, so that several processes
/// can share the work. Empty: not called.
using Prepare =
    std::function<Result<void>(const Benchmark& benchmark, const std::vector<interventions::InterventionSet>& sets)>;
/// Returns `fixed`, and each head removed in addition to it.
[[nodiscard]] std::vector<interventions::InterventionSet>
removalStates(const interventions::InterventionSet& fixed, const std::vector<interventions::HeadRef>& heads);

/// Ablate one head, measure, reinsert: every head alone in addition to `fixed`, one per step, so that the caller can do
/// other work between two heads. Keeps a reference to the benchmark.
class RemovalRanking
{
public:
    /// Returns the rows of the benchmark under a set: run, or taken from known results.
    using Measure = std::function<Result<Rows>(const interventions::InterventionSet& set)>;

    /// Measures `fixed` itself. Fails if no row can be scored.
    [[nodiscard]] static Result<RemovalRanking> start(const Benchmark& benchmark, interventions::InterventionSet fixed,
                                                      std::vector<interventions::HeadRef> heads, Measure measure);

    [[nodiscard]] bool done() const { return m_measured.size() == m_heads.size(); }
    /// Measures the next head.
    [[nodiscard]] Result<void> step();
    /// Adds heads after those already requested.
    void add(std::span<const interventions::HeadRef> heads)
    {
        m_heads.insert(m_heads.end(), heads.begin(), heads.end());
    }
    [[nodiscard]] const tasks::Score& baseline() const { return m_score; } ///< the task's first number under `fixed`
    [[nodiscard]] const std::vector<RankedHead>& measured() const { return m_measured; } ///< in the order of the heads
    [[nodiscard]] std::int64_t total() const { return static_cast<std::int64_t>(m_heads.size()); }
    /// Returns the heads in the order of sortByLoss(); equal heads keep their order.
    [[nodiscard]] std::vector<RankedHead> sorted() const;

private:
    RemovalRanking() = default;
    const Benchmark* m_benchmark = nullptr;
    interventions::InterventionSet m_fixed;
    std::vector<interventions::HeadRef> m_heads;
    Measure m_measure;
    Rows m_baseline;
    tasks::Score m_score;
    std::vector<RankedHead> m_measured;
};

enum class PatternScore { Gather, Aggregate };

/// Examples [begin, end) of a set whose prompts are run, encoded as by the scorer.
struct PatternPrompts {
    const tasks::TaskSet& set;
    const text::Tokenizer& tokenizer;
    BosPolicy bos = BosPolicy::Never;
    std::size_t begin = 0;
    std::size_t end = std::numeric_limits<std::size_t>::max();
};

/// Ranks all heads by a pattern score, averaged over the prompts, in one pass per prompt; the largest first. Fails for
/// examples without segments.
[[nodiscard]] Result<std::vector<RankedHead>> rankByPattern(const lm::Model& model, const PatternPrompts& prompts,
                                                            PatternScore score,
                                                            const interventions::InterventionSet& fixed,
                                                            const Control& control);

/// Returns the mean score over the same prompts of a head that attends uniformly to all tokens.
[[nodiscard]] Result<double> uniformPatternScore(const PatternPrompts& prompts, PatternScore score);

/// Returns the segments of an example in tokens of `encoding`: every key with its value is one segment whose
/// representative is the value; every option ends with its own text. A query is not a segment.
[[nodiscard]] std::vector<analysis::TokenSegment> tokenSegments(const tasks::Example& example,
                                                                const text::Encoding& encoding);

} // namespace headscope::engine

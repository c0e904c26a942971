// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads in order of what their removal costs: ablate one, measure, reinsert (the paper's ranking); or of a pattern
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
    double value = 0;            ///< exact: the task's score without the head; else the method's own number
    double delta = 0;            ///< value minus baseline (exact only)
    analysis::Interval interval; ///< of delta; of an estimate's value
    const char* kind = analysis::kPairedInterval; ///< of the interval
    double p = 1;
    double margin = 0;       ///< change of the rows' mean margin, nats
    int n = 0;               ///< examples measured
    bool estimate = false;   ///< value and margin are estimates, not measured
    std::vector<bool> right; ///< exact, of right or wrong: which rows are right without the head
    std::string fault;       ///< why there is no value (no row could be scored without the head); empty: there is one
};

/// All heads of the model, layer by layer; the site is named in layers with two.
[[nodiscard]] std::vector<interventions::HeadRef> allHeads(const lm::ModelSpec& spec);

/// `fixed` with these heads removed too.
[[nodiscard]] interventions::InterventionSet without(const interventions::InterventionSet& fixed,
                                                     std::span<const interventions::HeadRef> heads);
/// The first number of the task, by which heads are ranked. Fails when no row can be scored.
[[nodiscard]] Result<tasks::Score> firstScore(const Benchmark& benchmark, const Rows& rows);
/// What the rows without a head say against the baseline's; a fault where none of them could be scored.
[[nodiscard]] Result<RankedHead> measuredRemoval(const Benchmark& benchmark, const Rows& baseline, const Rows& rows,
                                                 const interventions::HeadRef& head);
/// The largest loss of score first, then the largest loss of margin that counts (kNoMarginChange); the order is kept
/// among equals. Faults come last.
void sortByLoss(std::vector<RankedHead>& heads, bool higherIsBetter);

/// How many heads stand among the first `top` of both.
[[nodiscard]] std::size_t sameTop(const std::vector<RankedHead>& one, const std::vector<RankedHead>& other, int top);
/// The heads of the first that the second has, too, in the order of the first, each with its twin; of the lists that
/// were given.
[[nodiscard]] std::vector<std::pair<const RankedHead*, const RankedHead*>>
sameHeads(const std::vector<RankedHead>& one, const std::vector<RankedHead>& other);

/// Called with what will be measured next, all of it known before any of it is measured: processes that do the same can
/// share it. Empty: nothing is done.
using Prepare =
    std::function<Result<void>(const Benchmark& benchmark, const std::vector<interventions::InterventionSet>& sets)>;
/// `fixed`, and each head removed on top of it.
[[nodiscard]] std::vector<interventions::InterventionSet>
removalStates(const interventions::InterventionSet& fixed, const std::vector<interventions::HeadRef>& heads);

/// Ablate one head, measure, reinsert: every head alone on top of `fixed`, one a step, so that its caller can do
/// other things between two heads. Refers to the benchmark.
class RemovalRanking
{
public:
    /// The rows of the benchmark under a set: run, or taken from where they are known.
    using Measure = std::function<Result<Rows>(const interventions::InterventionSet& set)>;

    /// Measures `fixed` itself. Fails when no row can be scored.
    [[nodiscard]] static Result<RemovalRanking> start(const Benchmark& benchmark, interventions::InterventionSet fixed,
                                                      std::vector<interventions::HeadRef> heads, Measure measure);

    [[nodiscard]] bool done() const { return m_measured.size() == m_heads.size(); }
    /// Measures the next head.
    [[nodiscard]] Result<void> step();
    /// More heads, behind those that were asked for.
    void add(std::span<const interventions::HeadRef> heads)
    {
        m_heads.insert(m_heads.end(), heads.begin(), heads.end());
    }
    [[nodiscard]] const tasks::Score& baseline() const { return m_score; } ///< the task's first number under `fixed`
    [[nodiscard]] const std::vector<RankedHead>& measured() const { return m_measured; } ///< in the order of the heads
    [[nodiscard]] std::int64_t total() const { return static_cast<std::int64_t>(m_heads.size()); }
    /// As sortByLoss() sorts; equals keep the order of the heads.
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

/// Examples [begin, end) of a set whose prompts are run, as the scorer encodes them.
struct PatternPrompts {
    const tasks::TaskSet& set;
    const text::Tokenizer& tokenizer;
    BosPolicy bos = BosPolicy::Never;
    std::size_t begin = 0;
    std::size_t end = std::numeric_limits<std::size_t>::max();
};

/// Mean over the prompts of a pattern score, for all heads in one pass a prompt. Fails for examples without segments.
/// Largest first.
[[nodiscard]] Result<std::vector<RankedHead>> rankByPattern(const lm::Model& model, const PatternPrompts& prompts,
                                                            PatternScore score,
                                                            const interventions::InterventionSet& fixed,
                                                            const Control& control);

/// Mean over the same prompts of what a head that reads all tokens alike scores.
[[nodiscard]] Result<double> uniformPatternScore(const text::Tokenizer& tokenizer,
                                                 std::span<const tasks::Example> examples, PatternScore score);

/// Segments of an example in tokens of `encoding`: every key with its value is one segment whose representative is the
/// value; every option ends with its own text. A query is none.
[[nodiscard]] std::vector<analysis::TokenSegment> tokenSegments(const tasks::Example& example,
                                                                const text::Encoding& encoding);

} // namespace headscope::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Cells measured on many pairs of prompts in steps, so that what a person looks at comes in between. The same numbers
// as at once, whatever the steps (to rounding: cells of a step run side by side). Worker thread.

#include "core/engine/questions/overpairs.h"

#include <optional>

namespace headscope::engine {

class PairRun
{
public:
    virtual ~PairRun() = default;
    PairRun(const PairRun&) = delete;
    PairRun& operator=(const PairRun&) = delete;

    /// Records a pair, or measures some cells of it; false: that was all. A step that was stopped (Cancelled) can be
    /// asked for again.
    [[nodiscard]] Result<bool> step(const Control& control);
    /// All that were asked for.
    [[nodiscard]] const std::vector<PromptPair>& pairs() const { return m_pairs; }
    /// Pairs that are over count.
    [[nodiscard]] const OverPairs& over() const { return m_over; }
    [[nodiscard]] std::size_t pairsDone() const { return m_over.clean.size(); }

protected:
    /// The model and the edits outlive it. `stage`: what its progress is called.
    PairRun(const lm::Model& model, const lm::Edits& base, std::vector<PromptPair> pairs, PatchDirection direction,
            const char* stage);

    [[nodiscard]] const lm::Model& model() const { return m_model; }
    [[nodiscard]] const lm::Edits& base() const { return m_base; }
    /// How many cells there are on a pair; the first pair's count holds for all.
    [[nodiscard]] virtual Result<std::size_t> begin(const why::Recording& into, const why::Recording& from) = 0;
    /// The metric in the next cells from `first` on, at least one of them.
    [[nodiscard]] virtual Result<std::vector<double>> measure(const why::Recording& into, const why::Recording& from,
                                                              const why::Metric& metric, std::size_t first,
                                                              const Control& control) = 0;

private:
    [[nodiscard]] Result<void> beginPair(const Control& control);
    [[nodiscard]] Result<void> measureSome(const Control& control);
    [[nodiscard]] const why::Recording& into() const;
    [[nodiscard]] const why::Recording& from() const;

    const lm::Model& m_model;
    const lm::Edits& m_base;
    std::vector<PromptPair> m_pairs;
    const char* m_stage;
    OverPairs m_over;
    std::optional<PairRuns> m_runs; ///< of the pair that is being measured
    std::size_t m_cells = 0;        ///< of a pair
    std::vector<double> m_values;   ///< of its cells so far
};

} // namespace headscope::engine

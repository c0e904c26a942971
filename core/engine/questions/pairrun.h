// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Cells measured on many pairs of prompts in steps, so that interactive work can run in between. The numbers do not
// depend on the steps (up to rounding: cells of a step run side by side). Worker thread.

#include "core/engine/questions/overpairs.h"

#include <optional>

namespace headscope::engine {

class PairRun
{
public:
    virtual ~PairRun() = default;
    PairRun(const PairRun&) = delete;
    PairRun& operator=(const PairRun&) = delete;

    /// Records a pair, or measures some of its cells; returns false at the end. A step that was stopped (Cancelled) can
    /// be repeated.
    [[nodiscard]] Result<bool> step(const Control& control);
    /// Returns all requested pairs.
    [[nodiscard]] const std::vector<PromptPair>& pairs() const { return m_pairs; }
    /// Returns the results of the completed pairs.
    [[nodiscard]] const OverPairs& over() const { return m_over; }
    [[nodiscard]] std::size_t pairsDone() const { return m_over.clean.size(); }

protected:
    /// The model and the edits must outlive the run. `stage`: name of the stage in progress reports.
    PairRun(const lm::Model& model, const lm::Edits& base, std::vector<PromptPair> pairs, PatchDirection direction,
            const char* stage);

    [[nodiscard]] const lm::Model& model() const { return m_model; }
    [[nodiscard]] const lm::Edits& base() const { return m_base; }
    /// Returns the number of cells of a pair; the first pair's count applies to all.
    [[nodiscard]] virtual Result<std::size_t> begin(const why::Recording& into, const why::Recording& from) = 0;
    /// Returns the metric in the next cells from `first` on, at least one of them.
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
    std::optional<PairRuns> m_runs; ///< runs of the pair being measured
    std::size_t m_cells = 0;        ///< per pair
    std::vector<double> m_values;   ///< values of the current pair's cells so far
};

} // namespace headscope::engine

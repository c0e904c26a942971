// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A map of patches in steps, so that what a person looks at comes in between. The same numbers as patchMap() at once,
// whatever the steps (to rounding: cells of a step run side by side). Worker thread.

#include "core/engine/questions/patchmap.h"

namespace headscope::engine {

class PatchRun
{
public:
    /// `atOnce`: cells of a step. The model and the edits outlive it.
    PatchRun(const lm::Model& model, const lm::Edits& base, std::vector<PromptPair> pairs, const PatchAsked& asked,
             std::size_t atOnce);

    /// Records a pair, or patches some cells of it; false: that was all. A step that was stopped (Cancelled) can be
    /// asked for again.
    [[nodiscard]] Result<bool> step(const Control& control);
    /// Pairs that are over count.
    [[nodiscard]] const PatchMap& map() const { return m_map; }
    [[nodiscard]] std::size_t pairsDone() const { return m_map.over.clean.size(); }

private:
    [[nodiscard]] Result<void> begin(const Control& control);
    [[nodiscard]] Result<void> patchSome(const Control& control);

    const lm::Model& m_model;
    const lm::Edits& m_base;
    std::vector<PromptPair> m_pairs;
    PatchAsked m_asked;
    std::size_t m_atOnce;
    PatchMap m_map;
    std::optional<PairRuns> m_runs; ///< of the pair that is being patched
    std::vector<double> m_values;   ///< of its cells so far
};

} // namespace headscope::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A map of patches measured in steps, with the same numbers as patchMap(). Worker thread.

#include "core/engine/questions/pairrun.h"
#include "core/engine/questions/patchmap.h"

namespace headscope::engine {

class PatchRun : public PairRun
{
public:
    /// `atOnce`: cells per step.
    PatchRun(const lm::Model& model, const lm::Edits& base, std::vector<PromptPair> pairs, const PatchRequest& asked,
             std::size_t atOnce)
        : PairRun(model, base, std::move(pairs), asked.direction, "patching"), m_asked(asked), m_atOnce(atOnce)
    {
    }

    [[nodiscard]] const std::vector<PatchCell>& cells() const { return m_cells; }

private:
    [[nodiscard]] Result<std::size_t> begin(const why::Recording& into, const why::Recording& from) override;
    [[nodiscard]] Result<std::vector<double>> measure(const why::Recording& into, const why::Recording& from,
                                                      const why::Metric& metric, std::size_t first,
                                                      const Control& control) override;

    PatchRequest m_asked;
    std::size_t m_atOnce;
    std::vector<PatchCell> m_cells;
};

} // namespace headscope::engine

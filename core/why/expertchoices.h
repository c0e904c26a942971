// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which experts the routers of a model choose for each token of a run, and what each of them counts (Shazeer et al.
// 2017, arXiv 1701.06538). Worker thread.

#include "core/why/recording.h"

#include <vector>

namespace headscope::why {

struct ExpertChoices {
    int layer = 0;
    int experts = 0, chosen = 0; ///< of so many so many a token
    std::vector<int> ids;        ///< [T, chosen], the heaviest first
    std::vector<float> weights;  ///< the same
};

/// Of every layer whose experts run, in the run that was recorded. Fails for a model without such a layer.
[[nodiscard]] Result<std::vector<ExpertChoices>> expertChoices(const lm::Model& model, const lm::Edits& base,
                                                               const Recording& run, const Control& control = {});

} // namespace headscope::why

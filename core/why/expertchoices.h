// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which experts the routers of a model choose for each token of a text, and what each of them counts (Shazeer et al.
// 2017, arXiv 1701.06538). Worker thread.

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/lm/model.h"

#include <vector>

namespace headscope::why {

struct ExpertChoices {
    int layer = 0;
    int experts = 0, chosen = 0; ///< of so many so many a token
    std::vector<int> ids;        ///< [T, chosen], the heaviest first
    std::vector<float> weights;  ///< the same: what the layer multiplies the expert's output by, before any ablation
    std::vector<float> shared;   ///< [T]: the same of the expert that runs for every token; empty: there is none
};

/// Of every layer whose experts run, in one run under the base's edits. Fails for a model without such a layer, and for
/// what record() fails for.
[[nodiscard]] Result<std::vector<ExpertChoices>> expertChoices(const lm::Model& model, const std::vector<int>& ids,
                                                               const lm::Edits& base, const Control& control = {});

} // namespace headscope::why

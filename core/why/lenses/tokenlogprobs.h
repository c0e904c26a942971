// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Log-probability of each token of a prompt, given the tokens before it. Worker thread.

#include "core/why/lenses/lens.h"

#include <limits>
#include <vector>

namespace headscope::why {

struct TokenLogProb {
    double value = std::numeric_limits<double>::quiet_NaN(); ///< nats; NaN for the first token
    std::vector<LensCell::Token> likely;                     ///< most probable tokens at this position, best first
};

/// Returns one entry per token of the run, with `likely` alternatives each; 0: none.
[[nodiscard]] Result<std::vector<TokenLogProb>> tokenLogProbs(const lm::Model& model, const std::vector<int>& ids,
                                                              const lm::Edits& edits, int likely,
                                                              const Control& control = {});

} // namespace headscope::why

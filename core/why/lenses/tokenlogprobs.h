// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How likely each token of a prompt was, by what precedes it. Worker thread.

#include "core/why/lenses/lens.h"

#include <limits>
#include <vector>

namespace headscope::why {

struct TokenLogProb {
    double value = std::numeric_limits<double>::quiet_NaN(); ///< nats; NaN for the first: nothing precedes it
    std::vector<LensCell::Token> likely;                     ///< what was most probable in its place, best first
};

/// One a token of the run; `likely` that many of each, 0: none.
[[nodiscard]] Result<std::vector<TokenLogProb>> tokenLogProbs(const lm::Model& model, const std::vector<int>& ids,
                                                              const lm::Edits& edits, int likely,
                                                              const Control& control = {});

} // namespace headscope::why

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Quick checks of loaded weights that detect corrupt or misread files. Worker thread.

#include "core/lm/model.h"

#include <string>
#include <vector>

namespace headscope::lm {

struct SelfCheck {
    std::string name;
    bool passed = false;
    std::string result; ///< the measured values, as text
};

/// Checks finite logits, causality, and that matrices agree with the mixers (rows of attention sum to 1; the last
/// output of the step-by-step pass equals that of the whole pass), on a prompt of a few tokens.
[[nodiscard]] std::vector<SelfCheck> selfTest(const Model& model);

} // namespace headscope::lm

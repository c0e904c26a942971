// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Cheap checks on loaded weights: a wrong file or a wrong reading of it shows here. Worker thread.

#include "core/lm/model.h"

#include <string>
#include <vector>

namespace headscope::lm {

struct SelfCheck {
    std::string name;
    bool passed = false;
    std::string result; ///< what was measured, in words
};

/// Finite logits, causality, matrices equal to what the mixers do (rows of attention sum to 1; the last output of the
/// step-by-step pass equals the whole pass), on a prompt of a few tokens.
[[nodiscard]] std::vector<SelfCheck> selfTest(const Model& model);

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The routers' choices in a run of the model. Worker thread.

#include "core/analysis/expertchoices.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/lm/model.h"

#include <vector>

namespace headscope::why {

using analysis::ExpertChoices;

/// Returns the choices of every layer whose experts run, in one run under the base's edits. Fails for a model without
/// such a layer, and where tokensOf() fails.
[[nodiscard]] Result<std::vector<ExpertChoices>> expertChoices(const lm::Model& model, const std::vector<int>& ids,
                                                               const lm::Edits& base, const Control& control = {});

} // namespace headscope::why

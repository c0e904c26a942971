// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Divides measurements into steps by the size of a model. Lives on the thread that runs the model.

#include "app/workbench/models/openmodel.h"
#include "core/engine/scoring/portion.h"

namespace headscope::app {

/// Returns the smallest number of tokens per step: short work is not divided.
[[nodiscard]] std::int64_t portionTokens(const lm::ModelSpec& spec);

/// Runs some of the missing rows, without storing them in a session. Returns false when all are done.
[[nodiscard]] Result<bool> runPortion(OpenModel& open, const engine::Benchmark& benchmark,
                                      const interventions::InterventionSet& set, engine::Rows& rows,
                                      const Control& control);

} // namespace headscope::app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Measurements in steps of a model's size. Lives on the thread that runs the model.

#include "app/workbench/models/openmodel.h"
#include "core/engine/scoring/portion.h"

namespace headscope::app {

/// How many tokens a step runs at the least: what takes no time is not cut up.
[[nodiscard]] std::int64_t portionTokens(const lm::ModelSpec& spec);

/// Some of the rows that are missing, kept in no session. False when all are in.
[[nodiscard]] Result<bool> runPortion(OpenModel& open, const engine::Benchmark& benchmark,
                                      const interventions::InterventionSet& set, engine::Rows& rows,
                                      const Control& control);

} // namespace headscope::app

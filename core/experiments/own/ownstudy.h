// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Turns a user's study in JSON into an experiment like all others: run, stored, drawn and judged by the same code. Any
// thread.

#include "core/experiments/experiment.h"

#include <memory>
#include <string_view>

namespace headscope::experiments {

/// Reads a study. Fails in one sentence where readDefinition() fails, and for an id or number that is already used by
/// an experiment of the program.
[[nodiscard]] Result<std::shared_ptr<const Experiment>> ownStudy(std::string_view json);

} // namespace headscope::experiments

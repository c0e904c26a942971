// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A study that was written down in JSON as an experiment like all others: run, stored, drawn and judged by the same
// machinery. Any thread.

#include "core/experiments/experiment.h"

#include <memory>
#include <string_view>

namespace headscope::experiments {

/// Fails in one sentence for what readDefinition refuses, and for an id or number that an experiment of the program
/// has.
[[nodiscard]] Result<std::shared_ptr<const Experiment>> ownStudy(std::string_view json);

/// Two of the program's own are written as such a file (resources/studies) and part of the program.
[[nodiscard]] Experiment headsKept();
[[nodiscard]] Experiment individualPruning();

} // namespace headscope::experiments

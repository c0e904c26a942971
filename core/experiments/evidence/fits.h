// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Kinds of models on which an experiment can run, known before any is opened. Pure functions; any thread.

#include "core/experiments/experiment.h"
#include "core/lm/familykind.h"

#include <string>

namespace headscope::experiments {

/// Returns why the experiment skips models of this kind, one sentence; empty: it does not. Properties known only after
/// opening a model (heads joined by a norm) are reported when it is run.
[[nodiscard]] std::string misfit(const Experiment& experiment, lm::FamilyKind kind);

} // namespace headscope::experiments

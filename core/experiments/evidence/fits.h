// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which kinds of models an experiment can be run on, known before anything is opened. Pure functions; any thread.

#include "core/experiments/experiment.h"
#include "core/lm/familykind.h"

#include <string>

namespace headscope::experiments {

/// Why a model of this kind is left out by the experiment, one sentence; empty: it is not. What only the opened model
/// gives (heads whose norm joins them) is said when it is run.
[[nodiscard]] std::string misfit(const Experiment& experiment, lm::FamilyKind kind);

} // namespace headscope::experiments

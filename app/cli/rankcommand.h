// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// headscope-cli rank: which heads a task needs. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

/// rank MODEL --task T [--method exact|race|estimate|gather|aggregate|pairs|greedy|random] [--heads L1H0-3,...] [--top
/// K] [--ablate SPEC]... [--limit N]
void addRankCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

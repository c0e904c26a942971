// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// headscope-cli score: benchmarks on a model, with the paired test against the baseline where heads are off. Main
// thread.

#include "app/cli/context.h"

namespace headscope::cli {

/// score MODEL --task T[,T...] [--data DIR] [--limit N] [--fewshot K] [--ablate SPEC]... [--samples FILE].
void addScoreCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

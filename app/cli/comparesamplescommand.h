// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// headscope-cli compare-samples: two samples files of lm-evaluation-harness, or one of ours, row by row. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

/// compare-samples FIRST SECOND [--tolerance X]. With --json the counts and the rows that differ. Fails (exit 1) when
/// prompts, predictions or metrics differ or a log-likelihood is beyond the tolerance.
void addCompareSamplesCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

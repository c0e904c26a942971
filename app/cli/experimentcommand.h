// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// headscope-cli experiment: the tables and figures of the paper, one command each. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

/// experiment list; experiment NAME|all [--model M]... [-o DIR] [--data DIR] [--limit N] [--forecast]
void addExperimentCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// headscope-cli pattern: what a head looks at, as numbers and as files. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

/// pattern MODEL (--text S | --task T --sample K) --head HEAD... [--ablate SPEC]... [--row N] [--no-d] [--scale S] [-o
/// F]...
void addPatternCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

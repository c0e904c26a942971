// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// headscope-cli demo: what the program is for, in one command and without a display. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

/// demo [MODEL] [-o DIR]: baseline scores, the aggregate head found and switched off, scores again with the paired
/// test, its pattern before and after as PDF and PNG, everything kept in DIR/demo.headscope.
void addDemoCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

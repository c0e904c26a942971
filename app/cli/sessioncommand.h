// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// `headscope-cli session ...`: look at, check, join, copy and export a session file without any model. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

void addSessionCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

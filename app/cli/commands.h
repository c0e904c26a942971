// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All commands of headscope-cli, one file pair each. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

void addDumpCommand(CLI::App& app, Context& context);
void addInfoCommand(CLI::App& app, Context& context);
void addModelsCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

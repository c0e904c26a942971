// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All commands of headscope-cli, one file pair each. Main thread.

#include "app/cli/benchcommand.h"
#include "app/cli/comparesamplescommand.h"
#include "app/cli/context.h"
#include "app/cli/democommand.h"
#include "app/cli/distillcommand.h"
#include "app/cli/experimentcommand.h"
#include "app/cli/generatecommand.h"
#include "app/cli/patterncommand.h"
#include "app/cli/rankcommand.h"
#include "app/cli/requestscommand.h"
#include "app/cli/scorecommand.h"
#include "app/cli/sessioncommand.h"
#include "app/cli/tokenizecommand.h"
#include "app/cli/traincommand.h"

namespace headscope::cli {

void addDumpCommand(CLI::App& app, Context& context);
/// Only where the program is built with Qt.
void addFigureCommand(CLI::App& app, Context& context);
void addInfoCommand(CLI::App& app, Context& context);
void addModelsCommand(CLI::App& app, Context& context);
void addTasksCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

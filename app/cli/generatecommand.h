// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// `generate`: continues a prompt, with interventions active, and shows the text as it comes. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

void addGenerateCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

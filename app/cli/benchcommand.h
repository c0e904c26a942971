// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// `headscope-cli bench`: one timed workload, one line of JSON. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

void addBenchCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

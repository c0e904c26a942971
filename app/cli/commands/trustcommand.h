// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The command "trust". Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

void addTrustCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

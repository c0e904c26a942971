// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// `train RECIPE -o DIR`: trains a tiny model and writes it as a model folder. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

void addTrainCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// headscope-cli distill: a Transformer whose heads, but for a few, become SSM heads. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

/// distill TEACHER --keep-heads RANKING:k|HEADS -o DIR [--state N] [--text FILE] [--orientation-steps N] ...
void addDistillCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

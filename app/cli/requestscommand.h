// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// headscope-cli requests: the exact strings a task asks a model, as JSONL. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

/// requests --task T[,T...] [--data DIR] [--fewshot K] [--limit N] [--words DIR] [--model MODEL]. One JSON object an
/// example on stdout; what was read, rejected and warned about on stderr. With --model each also has its token ids.
void addRequestsCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

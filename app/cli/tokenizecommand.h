// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// headscope-cli tokenize: text to token ids and back, as JSONL. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

/// tokenize MODEL (--text S | --file F | --stdin-jsonl) [--decode] [--skip-special] [--no-special]. Prints one JSON
/// object a text: {ids, tokens, offsets}, offsets in bytes; with --decode {text}.
void addTokenizeCommand(CLI::App& app, Context& context);

} // namespace headscope::cli

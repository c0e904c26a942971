// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The command `lens fit`: fits a Jacobian lens of a model to texts. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

/// Adds it to the command `lens`, which then needs neither a model nor a prompt.
void addLensFitCommand(CLI::App& lens, Context& context);

} // namespace headscope::cli

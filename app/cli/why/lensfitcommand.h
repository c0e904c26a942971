// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// `lens fit`: a Jacobian lens of a model, fitted to texts. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

/// Adds it to the command `lens`, which needs neither a model nor a prompt then.
void addLensFitCommand(CLI::App& lens, Context& context);

} // namespace headscope::cli

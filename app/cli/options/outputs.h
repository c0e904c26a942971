// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Checks the output paths of a command before it runs, so that an unusable folder does not cost a run. Main thread.

#include "core/base/result.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

/// Checks the parsed command and its subcommands. Fails for a file or folder that cannot be created, for a file that
/// the command also reads, and for a session. Before a session is opened.
[[nodiscard]] Result<void> checkOutputs(const CLI::App& app);

} // namespace headscope::cli

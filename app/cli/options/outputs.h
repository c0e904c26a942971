// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a command is to write, looked at before it runs: an impossible folder must not cost a run. Main thread.

#include "core/base/result.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

/// Of the command that was parsed and those inside it. Fails for a file or folder that cannot be made.
[[nodiscard]] Result<void> checkOutputs(const CLI::App& app);

} // namespace headscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The man pages of both programs, from the same table and parser as --help. Main thread.

#include "app/cli/options/commandtree.h"

namespace headscope::cli {

/// Returns headscope-cli(1).
[[nodiscard]] std::string commandLineManual(const std::vector<CommandInfo>& commands, const std::string& version);
/// Returns headscope(1).
[[nodiscard]] std::string windowManual(const std::string& version);

} // namespace headscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Completion scripts for shells, with commands, options and their values, from the same table and parser as --help.
// Main thread.

#include "app/cli/options/commandtree.h"

namespace headscope::cli {

/// `tasks`: the task names offered for --task.
[[nodiscard]] std::string bashCompletion(const std::vector<CommandInfo>& commands,
                                         const std::vector<std::string>& tasks);
[[nodiscard]] std::string zshCompletion(const std::vector<CommandInfo>& commands,
                                        const std::vector<std::string>& tasks);
[[nodiscard]] std::string fishCompletion(const std::vector<CommandInfo>& commands,
                                         const std::vector<std::string>& tasks);

} // namespace headscope::cli

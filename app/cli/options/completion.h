// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scripts by which shells complete commands, options and their values, from the same table and parser as --help. Main
// thread.

#include "app/cli/options/commandtree.h"

namespace headscope::cli {

/// `tasks`: the names that --task is completed with.
[[nodiscard]] std::string bashCompletion(const std::vector<CommandInfo>& commands,
                                         const std::vector<std::string>& tasks);
[[nodiscard]] std::string zshCompletion(const std::vector<CommandInfo>& commands,
                                        const std::vector<std::string>& tasks);
[[nodiscard]] std::string fishCompletion(const std::vector<CommandInfo>& commands,
                                         const std::vector<std::string>& tasks);

} // namespace headscope::cli

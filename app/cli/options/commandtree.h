// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The names and options of all commands, read from the parser, for man pages, completion and tests. Main thread.

#include "app/workbench/options.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace headscope::cli {

/// An option as used by one command.
struct OptionUse {
    std::string name; ///< "--output"
    std::string meaning;
    bool required = false;
    const app::OptionInfo* info = nullptr; ///< null: not in the table
};

struct ArgumentUse {
    std::string name; ///< "MODEL"
    std::string meaning;
    bool required = false;
};

struct CommandInfo {
    std::string name; ///< "session export"; empty: the program itself
    std::string meaning;
    std::vector<ArgumentUse> arguments;
    std::vector<OptionUse> options; ///< without the common options
};

/// Returns the program itself, then every visible command in the order of --help; subcommands follow their command.
[[nodiscard]] std::vector<CommandInfo> commandsOf(const CLI::App& app);

} // namespace headscope::cli

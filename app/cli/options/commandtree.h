// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the commands are called and take, read off the parser itself, for man pages, completion and tests. Main thread.

#include "app/workbench/options.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace headscope::cli {

/// An option as one command has it.
struct OptionUse {
    std::string name; ///< "--output"
    std::string meaning;
    bool required = false;
    const app::OptionInfo* info = nullptr; ///< null: not of the table
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
    std::vector<OptionUse> options; ///< without those of all commands
};

/// The program itself, then every command that is shown, in the order of --help; commands of commands after their own.
[[nodiscard]] std::vector<CommandInfo> commandsOf(const CLI::App& app);

} // namespace headscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Commands get their options from the table that all share (app/workbench/options.h), and old names still work. Main
// thread.

#include "app/workbench/options.h"
#include "core/base/result.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace headscope::cli {

/// The names of an option of the table as the parser takes them: "-o,--output". A name that is not in the table is a
/// fault of the program.
[[nodiscard]] std::string optionNames(std::string_view name);
/// Gives an option that was added its value's name and its choices.
CLI::Option* described(CLI::Option* added, std::string_view name);

/// Adds an option of the table. `note`: what it means in this command alone, instead of what the table says.
template <typename T>
CLI::Option* option(CLI::App& command, std::string_view name, T& target, const std::string& note = {})
{
    const std::string meaning(app::findOption(name) ? app::findOption(name)->meaning : "");
    return described(command.add_option(optionNames(name), target, note.empty() ? meaning : note), name);
}
CLI::Option* flag(CLI::App& command, std::string_view name, bool& target, const std::string& note = {});

/// Fails for ways of earlier versions that are gone, with the sentence that names the new one.
[[nodiscard]] Result<void> refuseRetired(const std::vector<std::string>& arguments);

/// The arguments with aliases replaced by the names that the command named among them knows.
[[nodiscard]] std::vector<std::string> withoutAliases(const CLI::App& app, std::vector<std::string> arguments);

} // namespace headscope::cli

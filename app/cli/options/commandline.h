// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Adds options to commands from the shared table (app/workbench/options.h), and accepts old names. Main
// thread.

#include "app/workbench/options.h"
#include "core/base/result.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace headscope::cli {

/// Returns the names of an option in the table as the parser expects them: "-o,--output". A name outside the table is a
/// programming error.
[[nodiscard]] std::string optionNames(std::string_view name);
/// Adds the name of its value and its choices to an option.
CLI::Option* described(CLI::Option* added, std::string_view name);

/// Adds an option from the table. `note`: its meaning in this command, instead of that in the table.
template <typename T>
CLI::Option* option(CLI::App& command, std::string_view name, T& target, const std::string& note = {})
{
    const std::string meaning(app::findOption(name) ? app::findOption(name)->meaning : "");
    return described(command.add_option(optionNames(name), target, note.empty() ? meaning : note), name);
}
CLI::Option* flag(CLI::App& command, std::string_view name, bool& target, const std::string& note = {});

/// Accepts these values only.
[[nodiscard]] CLI::Validator oneOf(const std::vector<std::string>& choices);

/// Returns a sentence about the first unknown option or command among the parsed arguments, with the name that is
/// probably meant; empty if all are known.
[[nodiscard]] std::string unknownArgument(const CLI::App& app);

/// Fails for removed options of earlier versions, naming their replacement.
[[nodiscard]] Result<void> refuseRetired(const std::vector<std::string>& arguments);

/// Returns the arguments with aliases replaced by the option names of the command among them.
[[nodiscard]] std::vector<std::string> withoutAliases(const CLI::App& app, std::vector<std::string> arguments);

} // namespace headscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All options of the programs in one table: name, argument, meaning. Commands take their options from here, as do
// --help, the man pages and shell completion. Any thread.

#include <span>
#include <string_view>
#include <vector>

namespace headscope::app {

/// The kind of an option's argument. Choice: one of its choices; for other kinds choices are common values.
enum class Takes { Nothing, Text, Number, File, Folder, Model, Task, Choice };

struct OptionInfo {
    std::string_view name; ///< "--output"
    char letter = 0;       ///< 'o'; 0: none
    Takes takes = Takes::Nothing;
    std::string_view value;   ///< name of the argument in help texts: "FILE"
    std::string_view meaning; ///< the same in every command that has it
    std::string_view aliases; ///< old names, still accepted but hidden, separated by blanks
    std::string_view choices; ///< accepted words, separated by blanks

    [[nodiscard]] std::vector<std::string_view> aliasList() const;
    [[nodiscard]] std::vector<std::string_view> choiceList() const;
};

/// Returns the options sorted by name.
[[nodiscard]] std::span<const OptionInfo> allOptions();
/// Returns null for a name that is not in the table; aliases are not found.
[[nodiscard]] const OptionInfo* findOption(std::string_view name);

/// Returns the options of the window, in the order of its help text.
[[nodiscard]] std::span<const std::string_view> windowOptions();
/// Returns the options that every command of headscope-cli has.
[[nodiscard]] std::span<const std::string_view> commonOptions();

} // namespace headscope::app

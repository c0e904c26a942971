// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every option that the programs can be called with, once: its name, what it takes, what it means. Commands take their
// options from here, and so do --help, the man pages and the completion of shells. Any thread.

#include <span>
#include <string_view>
#include <vector>

namespace headscope::app {

/// What an option takes. Choice: one of its choices; other kinds may have choices too, as the most usual ones.
enum class Takes { Nothing, Text, Number, File, Folder, Model, Task, Choice };

struct OptionInfo {
    std::string_view name; ///< "--output"
    char letter = 0;       ///< 'o'; 0: none
    Takes takes = Takes::Nothing;
    std::string_view value;   ///< how it is written in a help text: "FILE"
    std::string_view meaning; ///< in every command that has it
    std::string_view aliases; ///< old names that still work and are shown nowhere, separated by blanks
    std::string_view choices; ///< the words that it takes, separated by blanks

    [[nodiscard]] std::vector<std::string_view> aliasList() const;
    [[nodiscard]] std::vector<std::string_view> choiceList() const;
};

/// By name.
[[nodiscard]] std::span<const OptionInfo> allOptions();
/// Null for a name that is not in the table; aliases are none.
[[nodiscard]] const OptionInfo* findOption(std::string_view name);

/// Those of the window, in the order of its help text.
[[nodiscard]] std::span<const std::string_view> windowOptions();
/// Those that every command of headscope-cli has.
[[nodiscard]] std::span<const std::string_view> commonOptions();

} // namespace headscope::app

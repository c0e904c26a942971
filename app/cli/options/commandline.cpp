// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/commandline.h"

#include <algorithm>
#include <stdexcept>

namespace headscope::cli {

namespace {

const app::OptionInfo& known(std::string_view name)
{
    const app::OptionInfo* found = app::findOption(name);
    if (!found)
        throw std::logic_error("The option " + std::string(name) + " is not in the table.");
    return *found;
}

bool has(const CLI::App* command, const std::string& name)
{
    for (; command; command = command->get_parent())
        if (command->get_option_no_throw(name))
            return true;
    return false;
}

// The name that stands for an alias in this command; the alias itself where it is none.
std::string nameOf(const CLI::App& command, const std::string& alias)
{
    if (has(&command, alias))
        return alias;
    for (const app::OptionInfo& one : app::allOptions()) {
        const auto aliases = one.aliasList();
        if (std::find(aliases.begin(), aliases.end(), alias) != aliases.end() && has(&command, std::string(one.name)))
            return std::string(one.name);
    }
    return alias;
}

} // namespace

std::string optionNames(std::string_view name)
{
    const app::OptionInfo& option = known(name);
    return (option.letter ? std::string{'-', option.letter, ','} : std::string()) + std::string(name);
}

CLI::Option* described(CLI::Option* added, std::string_view name)
{
    const app::OptionInfo& option = known(name);
    added->type_name(std::string(option.value));
    if (option.takes == app::Takes::Choice) {
        const auto choices = option.choiceList();
        added->check(CLI::IsMember(std::vector<std::string>(choices.begin(), choices.end())));
    }
    if (added->get_items_expected_max() > 1) // several by several options, so that what follows may be an argument
        added->allow_extra_args(false);
    return added;
}

CLI::Option* flag(CLI::App& command, std::string_view name, bool& target, const std::string& note)
{
    return command.add_flag(optionNames(name), target, note.empty() ? std::string(known(name).meaning) : note);
}

std::vector<std::string> withoutAliases(const CLI::App& app, std::vector<std::string> arguments)
{
    const CLI::App* command = &app;
    for (std::string& argument : arguments) {
        if (argument == "--")
            break;
        if (argument.starts_with("--")) {
            const std::size_t equals = argument.find('=');
            const std::string value = equals == std::string::npos ? std::string() : argument.substr(equals);
            argument = nameOf(*command, argument.substr(0, equals)) + value;
        } else {
            const auto named =
                command->get_subcommands([&](const CLI::App* inner) { return inner->check_name(argument); });
            command = named.empty() ? command : named.front();
        }
    }
    return arguments;
}

} // namespace headscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/commandline.h"

#include "core/base/words/suggestion.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <stdexcept>

namespace headscope::cli {

namespace {

constexpr double kLargestNumber = 1e9;

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

// A whole number that a seed is; CLI11 takes -1 for the largest of them.
std::string seedFault(const std::string& text)
{
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc() && end == text.data() + text.size()
               ? std::string()
               : "'" + text + "' does not fit; expected a whole number of 0 or more.";
}

// No option of ours means anything below 0 or above this; infinity and NaN are no numbers of anything.
std::string numberFault(const std::string& text)
{
    double value = 0;
    const bool number = CLI::detail::lexical_cast(text, value);
    return number && value >= 0 && value <= kLargestNumber
               ? std::string()
               : "'" + text + "' does not fit; expected a number from 0 to 1000000000.";
}

// What may be given as nothing: a text of no words, a state in which nothing is done.
bool mayBeEmpty(std::string_view name)
{
    constexpr std::array<std::string_view, 6> kNames = {"--text",    "--ablate", "--off",
                                                        "--caption", "--state",  "--title"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

} // namespace

CLI::Validator oneOf(const std::vector<std::string>& choices)
{
    const auto fault = [choices](const std::string& text) {
        return std::ranges::find(choices, text) != choices.end()
                   ? std::string()
                   : "'" + text + "' does not fit" + didYouMean(text, choices) + "; expected one of "
                         + CLI::detail::join(choices, ", ") + ".";
    };
    return {fault, "{" + CLI::detail::join(choices) + "}"};
}

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
        added->check(oneOf({choices.begin(), choices.end()}));
    }
    if (option.takes == app::Takes::Number)
        added->check(CLI::Validator(name.ends_with("seed") ? seedFault : numberFault, ""));
    if (option.takes != app::Takes::Nothing && !mayBeEmpty(name))
        added->check(CLI::Validator(
            [](const std::string& text) { return text.empty() ? "its value is empty." : std::string(); }, ""));
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

namespace {

void addOptionNames(const CLI::App& command, std::vector<std::string>& names)
{
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    for (const CLI::App* group : command.get_subcommands([](const CLI::App* one) { return one->get_name().empty(); }))
        addOptionNames(*group, names);
}

} // namespace

std::string unknownArgument(const CLI::App& app)
{
    const std::vector<std::string> rest = app.remaining(true);
    if (rest.empty())
        return {};
    const CLI::App* command = &app;
    while (!command->get_subcommands().empty())
        command = command->get_subcommands().front();
    const auto namesOf = [](const CLI::App& of) {
        std::vector<std::string> names;
        for (const CLI::App* inner : of.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
            if (!inner->get_name().empty()) // a group of options has none
                names.push_back(inner->get_name());
        return names;
    };
    const std::vector<std::string> inner = namesOf(*command);
    const auto option = std::ranges::find_if(rest, [](const auto& one) { return one.starts_with('-'); });
    if (option != rest.end() && (inner.empty() || option == rest.begin())) {
        std::vector<std::string> options;
        for (const CLI::App* one = command; one; one = one->get_parent())
            addOptionNames(*one, options);
        const std::string name = option->substr(0, option->find('='));
        return "There is no option '" + name + "'" + didYouMean(name, options) + ".";
    }
    const std::string meant = didYouMean(rest.front(), inner.empty() ? namesOf(app) : inner);
    // After a complete command, another word is one argument too many rather than a command.
    return inner.empty() && meant.empty() ? std::string() : "There is no command '" + rest.front() + "'" + meant + ".";
}

Result<void> refuseRetired(const std::vector<std::string>& arguments)
{
    if (arguments.size() > 1 && arguments[0] == "bench" && std::ranges::find(arguments, "scaling") != arguments.end())
        return inputError(
            "'bench scaling' was removed together with the protocol that it simulated: 'python -m headscope_cluster "
            "plan' predicts a run on many machines, tests/bench/processes.py measures one.");
    return {};
}

} // namespace headscope::cli

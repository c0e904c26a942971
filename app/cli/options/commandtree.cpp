// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/commandtree.h"

namespace headscope::cli {

namespace {

void addOptions(const CLI::App& from, bool inner, CommandInfo& command)
{
    for (const CLI::Option* option : from.get_options()) {
        const auto& names = option->get_lnames();
        if (names.empty()) {
            command.arguments.push_back({option->get_name(true), option->get_description(), option->get_required()});
            continue;
        }
        const std::string name = "--" + names.front();
        if (inner && name == "--help") // as all have it
            continue;
        command.options.push_back({name, option->get_description(), option->get_required(), app::findOption(name)});
    }
    for (const CLI::App* group : from.get_subcommands([](const CLI::App* one) { return one->get_name().empty(); }))
        addOptions(*group, inner, command);
}

void addCommand(const CLI::App& from, const std::string& name, std::vector<CommandInfo>& commands)
{
    CommandInfo command{.name = name, .meaning = from.get_description()};
    addOptions(from, !name.empty(), command);
    commands.push_back(std::move(command));
    const auto shown = [](const CLI::App* one) { return !one->get_name().empty() && !one->get_group().empty(); };
    for (const CLI::App* inner : from.get_subcommands(shown))
        addCommand(*inner, (name.empty() ? "" : name + " ") + inner->get_name(), commands);
}

} // namespace

std::vector<CommandInfo> commandsOf(const CLI::App& app)
{
    std::vector<CommandInfo> commands;
    addCommand(app, {}, commands);
    return commands;
}

} // namespace headscope::cli

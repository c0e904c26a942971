// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli man and completion: what a package installs beside the programs. Hidden, as people meet them installed.
#include "app/cli/commands/commands.h"
#include "app/cli/options/completion.h"
#include "app/cli/options/manpage.h"
#include "app/cli/output.h"
#include "core/tasks/registry.h"

#include <nlohmann/json.hpp>

namespace headscope::cli {

namespace {

Result<void> write(const std::string& text)
{
    printData(text);
    return {};
}

std::string completionFor(const std::string& shell, const std::vector<CommandInfo>& commands)
{
    std::vector<std::string> tasks;
    for (const tasks::TaskInfo& task : tasks::listTasks())
        tasks.push_back(task.name);
    return shell == "bash"  ? bashCompletion(commands, tasks)
           : shell == "zsh" ? zshCompletion(commands, tasks)
                            : fishCompletion(commands, tasks);
}

// Every command with its options, for tests.
nlohmann::json listed(const std::vector<CommandInfo>& commands)
{
    nlohmann::json list = nlohmann::json::array();
    for (const CommandInfo& command : commands) {
        nlohmann::json options = nlohmann::json::array();
        for (const OptionUse& option : command.options)
            options.push_back(option.name);
        list.push_back({{"name", command.name}, {"options", options}});
    }
    return {{"commands", list}};
}

} // namespace

void addManualCommands(CLI::App& app, Context& context)
{
    const auto page = std::make_shared<std::string>(), shell = std::make_shared<std::string>();
    CLI::App* manual = app.add_subcommand("man", "print a man page")->group("");
    manual->add_option("PAGE", *page, "headscope or headscope-cli")
        ->required()
        ->check(oneOf({"headscope", "headscope-cli"}));
    manual->callback([&app, &context, page] {
        context.run = [&app, page] {
            return write(*page == "headscope" ? windowManual(HEADSCOPE_VERSION)
                                              : commandLineManual(commandsOf(app), HEADSCOPE_VERSION));
        };
    });
    CLI::App* completion = app.add_subcommand("completion", "print the completion script of a shell")->group("");
    completion->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(oneOf({"bash", "zsh", "fish"}));
    completion->callback([&app, &context, shell] {
        context.run = [&app, shell] { return write(completionFor(*shell, commandsOf(app))); };
    });
    CLI::App* options = app.add_subcommand("options", "list every command with its options")->group("");
    options->callback([&app, &context] {
        context.run = [&app]() -> Result<void> {
            Context::print(listed(commandsOf(app)));
            return {};
        };
    });
}

} // namespace headscope::cli

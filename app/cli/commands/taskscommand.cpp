// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli tasks: which benchmarks there are, and which files each wants, from where, under which licence.
#include "app/cli/commands/commands.h"

#include "app/cli/output.h"
#include "core/tasks/registry.h"

#include <nlohmann/json.hpp>

namespace headscope::cli {

namespace {

nlohmann::json describeTasks(const tasks::TaskInfo& info)
{
    return {{"name", info.name},     {"title", info.title},     {"files", info.files},
            {"source", info.source}, {"licence", info.licence}, {"rows", info.official}};
}

// Parts and variants (mmlu_anatomy, bbh_fewshot_snarks) come from the same files: for people their number is enough.
void printTasks(const std::vector<tasks::TaskInfo>& infos)
{
    for (std::size_t i = 0; i < infos.size();) {
        const tasks::TaskInfo& info = infos[i];
        std::size_t end = i + 1;
        while (end < infos.size() && infos[end].files == info.files && infos[end].name.starts_with(info.name + "_"))
            ++end;
        printText("%s: %s\n  files: %s\n", info.name.c_str(), info.title.c_str(), info.files.c_str());
        if (!info.source.empty())
            printText("  from: %s; licence: %s\n", info.source.c_str(), info.licence.c_str());
        if (info.official > 0)
            printText("  rows: %d%s\n", info.official,
                      end - i > 1 ? ("; " + std::to_string(end - i - 1) + " more tasks of these files are named "
                                     + info.name + "_...")
                                        .c_str()
                                  : "");
        i = end;
    }
}

} // namespace

void addTasksCommand(CLI::App& app, Context& context)
{
    CLI::App* command =
        app.add_subcommand("tasks", "list benchmarks, and the files that each needs in the data folder");
    command->callback([&context] {
        context.run = [&context]() -> Result<void> {
            const std::vector<tasks::TaskInfo> infos = tasks::listTasks();
            if (!context.json) {
                printTasks(infos);
                return {};
            }
            nlohmann::json list = nlohmann::json::array();
            for (const tasks::TaskInfo& info : infos)
                list.push_back(describeTasks(info));
            Context::print({{"tasks", list}});
            return {};
        };
    });
}

} // namespace headscope::cli

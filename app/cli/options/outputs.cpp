// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/outputs.h"

#include "core/base/writefile.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace headscope::cli {

namespace {

/// Commands whose --output is a folder.
constexpr std::array<std::string_view, 4> kIntoFolders = {"demo", "distill", "experiment", "train"};

Result<void> checkOption(const CLI::App& command, const char* name, bool folder)
{
    const CLI::Option* option = command.get_option_no_throw(name);
    if (!option)
        return {};
    for (const std::string& path : option->results())
        if (auto possible = folder ? checkOutputFolder(path) : checkOutputFile(path); !possible.has_value())
            return possible;
    return {};
}

} // namespace

Result<void> checkOutputs(const CLI::App& app)
{
    for (const CLI::App* command : app.get_subcommands()) {
        const bool folder =
            std::find(kIntoFolders.begin(), kIntoFolders.end(), command->get_name()) != kIntoFolders.end();
        for (const auto& [name, isFolder] :
             {std::pair{"--output", folder}, {"--report", false}, {"--samples", false}, {"--harness", true}})
            if (auto possible = checkOption(*command, name, isFolder); !possible.has_value())
                return possible;
        if (auto possible = checkOutputs(*command); !possible.has_value())
            return possible;
    }
    return {};
}

} // namespace headscope::cli

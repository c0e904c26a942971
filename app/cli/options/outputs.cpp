// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/outputs.h"

#include "core/base/writefile.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace headscope::cli {

namespace {

/// Commands whose --output is a folder.
constexpr std::array<std::string_view, 4> kIntoFolders = {"demo", "distill", "experiment", "train"};

constexpr std::array<std::string_view, 4> kOutputs = {"--output", "--report", "--samples", "--harness"};

/// Adds everything that the command was given besides its outputs; a value may be a file that it reads.
void addInputs(std::vector<std::string>& inputs, const CLI::App& command)
{
    for (const CLI::Option* option : command.get_options())
        if (std::ranges::find(kOutputs, option->get_name()) == kOutputs.end())
            inputs.insert(inputs.end(), option->results().begin(), option->results().end());
    for (const CLI::App* below : command.get_subcommands())
        addInputs(inputs, *below);
}

/// Whether a file begins as SQLite's do. Only before a session is open in this process: closing a file takes away its
/// locks.
bool isDatabase(const std::string& path)
{
    constexpr std::string_view kMagic("SQLite format 3\0", 16);
    char head[kMagic.size()] = {};
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool read = file >= 0 && ::read(file, head, sizeof head) == static_cast<ssize_t>(sizeof head);
    if (file >= 0)
        ::close(file);
    return read && std::string_view(head, sizeof head) == kMagic;
}

Result<void> checkFile(const std::string& path, const std::vector<std::string>& inputs)
{
    namespace fs = std::filesystem;
    std::error_code none;
    if (auto possible = checkOutputFile(path); !possible.has_value() || !fs::is_regular_file(path, none))
        return possible;
    for (const std::string& input : inputs)
        if (fs::equivalent(path, input, none) && !none)
            return inputError("The output '" + path + "' is also an input; choose another name.");
    if (isDatabase(path))
        return inputError("The output '" + path + "' is a session or another database; choose another name.");
    return {};
}

Result<void> checkOption(const CLI::App& command, std::string_view name, bool folder,
                         const std::vector<std::string>& inputs)
{
    const CLI::Option* option = command.get_option_no_throw(std::string(name));
    if (!option)
        return {};
    for (const std::string& path : option->results())
        if (auto possible = folder ? checkOutputFolder(path) : checkFile(path, inputs); !possible.has_value())
            return possible;
    return {};
}

Result<void> checkBelow(const CLI::App& app, const std::vector<std::string>& inputs)
{
    for (const CLI::App* command : app.get_subcommands()) {
        const bool intoFolder = std::ranges::find(kIntoFolders, command->get_name()) != kIntoFolders.end();
        for (const std::string_view name : kOutputs) {
            const bool folder = name == "--harness" || (name == "--output" && intoFolder);
            if (auto possible = checkOption(*command, name, folder, inputs); !possible.has_value())
                return possible;
        }
        if (auto possible = checkBelow(*command, inputs); !possible.has_value())
            return possible;
    }
    return {};
}

} // namespace

Result<void> checkOutputs(const CLI::App& app)
{
    std::vector<std::string> inputs;
    addInputs(inputs, app);
    return checkBelow(app, inputs);
}

} // namespace headscope::cli

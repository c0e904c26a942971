// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/workbench/models/modellist.h"
#include "core/io/textfiles/quote.h"
#include "core/lm/device/forecast.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace headscope::cli {

namespace {

struct Request {
    std::filesystem::path added, forgotten; ///< folders of models
};

nlohmann::json describeModels(const app::ListedModel& model)
{
    static constexpr const char* kOrigins[] = {"folder", "shipped", "cached", "own"};
    nlohmann::json entry = {{"name", model.folder.name},
                            {"path", model.folder.path.string()},
                            {"origin", kOrigins[static_cast<int>(model.folder.origin)]}};
    if (!model.problem.empty())
        entry["problem"] = model.problem;
    else
        entry.update({{"family", model.family},
                      {"layers", model.layers},
                      {"parameters", model.parameters},
                      {"file_bytes", model.fileBytes},
                      {"dtype", model.dtype},
                      {"memory", model.memory},
                      {"fits", model.fits}});
    return entry;
}

void printModel(const nlohmann::json& model)
{
    const std::string name = model["name"], origin = model["origin"];
    if (model.contains("problem"))
        return printText("%-24s %-8s %s\n", name.c_str(), origin.c_str(), model["problem"].get<std::string>().c_str());
    printText("%-24s %-8s %-14s %3d layers  %14lld parameters  %9s%s\n", name.c_str(), origin.c_str(),
              model["family"].get<std::string>().c_str(), model["layers"].get<int>(),
              model["parameters"].get<long long>(), lm::sizeText(model["memory"]).c_str(),
              model["fits"] ? "" : ", more than is free");
}

Result<void> changeFolders(const Request& request)
{
    if (!request.added.empty() && !std::filesystem::is_directory(request.added))
        return inputError(io::inQuotes(request.added.string()) + " is not a folder.");
    if (!request.added.empty())
        if (const auto added = io::modelFolders().add(request.added); !added.has_value())
            return added;
    if (!request.forgotten.empty())
        return io::modelFolders().remove(request.forgotten);
    return {};
}

Result<void> listModels(const Context& context, const Request& request)
{
    if (const auto changed = changeFolders(request); !changed.has_value())
        return changed;
    const app::ModelList list =
        app::listModels(io::ModelPlaces::fromEnvironment(context.resources / "models"), context.control());
    nlohmann::json models = nlohmann::json::array(), folders = nlohmann::json::array();
    for (const app::ListedModel& model : list.models)
        models.push_back(describeModels(model));
    for (const std::filesystem::path& folder : io::modelFolders().read())
        folders.push_back(folder.string());
    if (context.json) {
        Context::print({{"models", models}, {"folders", folders}, {"unfinished", list.unfinished}});
        return {};
    }
    if (models.empty())
        printText("No models found.\n");
    for (const auto& model : models)
        printModel(model);
    for (const std::string& name : list.unfinished)
        printText("%-24s %-8s unfinished download; 'headscope-cli get %s' resumes it\n", name.c_str(), "cached",
                  name.c_str());
    return {};
}

} // namespace

void addModelsCommand(CLI::App& app, Context& context)
{
    CLI::App* command =
        app.add_subcommand("models", "list models: included, in the local Hugging Face cache, and in added folders");
    auto request = std::make_shared<Request>();
    option(*command, "--add-folder", request->added);
    option(*command, "--forget-folder", request->forgotten);
    command->callback(
        [&context, request] { context.run = [&context, request] { return listModels(context, *request); }; });
}

} // namespace headscope::cli

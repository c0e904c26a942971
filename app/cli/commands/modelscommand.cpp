// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/output.h"
#include "core/io/modelfolder.h"
#include "core/lm/load.h"

namespace headscope::cli {

namespace {

nlohmann::json describe(const io::ModelFolder& folder)
{
    static constexpr const char* kOrigins[] = {"folder", "shipped", "cached"};
    nlohmann::json entry = {
        {"name", folder.name}, {"path", folder.path.string()}, {"origin", kOrigins[static_cast<int>(folder.origin)]}};
    const auto model = lm::inspect(folder.path, {.device = "cpu"});
    if (!model.has_value()) {
        entry["problem"] = model.error().message;
        return entry;
    }
    const lm::ModelSpec& spec = model->model->spec();
    entry["family"] = spec.family;
    entry["layers"] = spec.layers.size();
    entry["parameters"] = spec.parameters;
    return entry;
}

} // namespace

void addModelsCommand(CLI::App& app, Context& context)
{
    CLI::App* command = app.add_subcommand("models", "the shipped models and those of the local Hugging Face cache");
    command->callback([&context] {
        context.run = [&context]() -> Result<void> {
            const auto places = io::ModelPlaces::fromEnvironment(context.resources / "models");
            nlohmann::json models = nlohmann::json::array();
            for (const auto& found : {io::shippedModels(places), io::cachedModels(places)})
                for (const io::ModelFolder& folder : found)
                    models.push_back(describe(folder));
            if (context.json) {
                Context::print({{"models", models}});
                return {};
            }
            if (models.empty())
                tell("No models found.\n");
            for (const auto& model : models) {
                if (model.contains("problem"))
                    tell("%-24s %-8s %s\n", model["name"].get<std::string>().c_str(),
                         model["origin"].get<std::string>().c_str(), model["problem"].get<std::string>().c_str());
                else
                    tell("%-24s %-8s %-14s %3d layers  %14lld parameters\n", model["name"].get<std::string>().c_str(),
                         model["origin"].get<std::string>().c_str(), model["family"].get<std::string>().c_str(),
                         model["layers"].get<int>(), model["parameters"].get<long long>());
            }
            return {};
        };
    });
}

} // namespace headscope::cli

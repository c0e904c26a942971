// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/workbench/remotemodel.h"

namespace headscope::cli {

namespace {

struct Options {
    std::string model, weights;
    bool onlyForecast = false;
};

nlohmann::json told(const hub::Plan& plan)
{
    nlohmann::json files = nlohmann::json::array();
    for (const hub::RemoteFile& file : plan.files)
        files.push_back({{"path", file.path}, {"bytes", file.size}});
    return {{"model", plan.name.name},       {"commit", plan.repository.commit}, {"files", files},
            {"bytes", plan.total},           {"missing_bytes", plan.missing},    {"free_bytes", plan.free},
            {"path", plan.snapshot.string()}};
}

/// Memory by dtype; why nothing is known where the model has no config.json (a GGUF file) or is of no known family.
nlohmann::json needsOf(const app::RemoteModel& model)
{
    if (!model.problem.empty())
        return {{"problem", model.problem}};
    nlohmann::json memory = nlohmann::json::object();
    for (const app::MemoryNeed& need : model.memory)
        memory[need.dtype] = {{"bytes", need.bytes}, {"fits", need.fits}};
    return {{"family", model.family}, {"parameters", model.parameters}, {"memory", memory}};
}

void print(const nlohmann::json& info)
{
    for (const auto& file : info["files"])
        tell("%14lld bytes  %s\n", file["bytes"].get<long long>(), file["path"].get<std::string>().c_str());
    tell("%14lld bytes in all, %lld of them are not here yet; %lld are free\n", info["bytes"].get<long long>(),
         info["missing_bytes"].get<long long>(), info["free_bytes"].get<long long>());
    for (const auto& [dtype, need] : info["needs"].value("memory", nlohmann::json::object()).items())
        tell("as %s it needs %lld bytes of memory, which %s\n", dtype.c_str(), need["bytes"].get<long long>(),
             need["fits"].get<bool>() ? "fits here" : "does NOT fit here");
    if (info["needs"].contains("problem"))
        tell("%s\n", info["needs"]["problem"].get<std::string>().c_str());
}

Result<void> run(const Context& context, const Options& options)
{
    const hub::HubSettings settings = hub::HubSettings::fromEnvironment();
    const Control control = context.control();
    const auto model = app::lookAt(options.model, options.weights, settings, control);
    if (!model.has_value())
        return model.error();
    const hub::Plan& plan = model->plan;
    nlohmann::json info = told(plan);
    info["needs"] = needsOf(*model);
    if (!context.json)
        print(info);
    if (!options.onlyForecast) {
        const auto folder = hub::download(plan, settings, control);
        if (!folder.has_value())
            return folder.error();
        if (!context.json)
            tell("%s is in %s\n", plan.name.name.c_str(), folder->string().c_str());
    }
    if (!model->hasTokenizer)
        context.say("This model brings no tokenizer; give one with --tokenizer when it is used first (those of "
                    "state-spaces are EleutherAI/gpt-neox-20b's).");
    if (context.json)
        Context::print(info);
    return {};
}

} // namespace

void addGetCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("get", "a model from the Hugging Face hub into its cache, as far as a model needs it");
    command->add_option("MODEL", options->model, "org/name or org/name@revision")->required();
    command->add_option("WEIGHTS", options->weights, "the file of weights to get, where there are several forms");
    flag(*command, "--forecast", options->onlyForecast, "only tell what there is, what it takes and what fits");
    command->callback([&context, options] { context.run = [&context, options] { return run(context, *options); }; });
}

} // namespace headscope::cli

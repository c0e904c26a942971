// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "core/hub/download.h"
#include "core/lm/device/device.h"
#include "core/lm/device/forecast.h"
#include "core/lm/load.h"

#include <algorithm>

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

/// Memory by dtype, from config.json alone; nothing where the model has none (a GGUF file) or is of no known family.
nlohmann::json memoryOf(const hub::Plan& plan, const hub::HubSettings& settings, const Control& control)
{
    nlohmann::json memory = nlohmann::json::object();
    const auto text = hub::readRemoteText(plan, "config.json", settings, control);
    auto config = text.has_value() ? lm::Config::parse(*text) : Result<lm::Config>(text.error());
    const auto spec = config.has_value() ? lm::describe(std::move(*config)) : Result<lm::ModelSpec>(config.error());
    if (!spec.has_value())
        return {{"problem", spec.error().message}};
    const auto available = lm::availableMemory(at::kCPU);
    for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
        const std::int64_t bytes = spec->parameters * static_cast<std::int64_t>(c10::elementSize(dtype));
        const std::int64_t need = lm::forecast(*spec, bytes, lm::kForecastLength, dtype).total();
        memory[lm::dtypeName(dtype)] = {{"bytes", need}, {"fits", !available || need <= *available}};
    }
    return {{"family", spec->family}, {"parameters", spec->parameters}, {"memory", memory}};
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

bool hasTokenizer(const hub::Plan& plan)
{
    return std::any_of(plan.files.begin(), plan.files.end(), [](const hub::RemoteFile& file) {
        return file.path == "tokenizer.json" || file.path == "vocab.json" || file.path.ends_with(".gguf");
    });
}

Result<void> run(const Context& context, const Options& options)
{
    const auto name = hub::RepositoryName::parse(options.model);
    if (!name.has_value())
        return name.error();
    const hub::HubSettings settings = hub::HubSettings::fromEnvironment();
    const Control control = context.control();
    const auto plan = hub::plan(*name, options.weights, settings, control);
    if (!plan.has_value())
        return plan.error();
    nlohmann::json info = told(*plan);
    info["needs"] = memoryOf(*plan, settings, control);
    if (!context.json)
        print(info);
    if (!options.onlyForecast) {
        const auto folder = hub::download(*plan, settings, control);
        if (!folder.has_value())
            return folder.error();
        if (!context.json)
            tell("%s is in %s\n", plan->name.name.c_str(), folder->string().c_str());
    }
    if (!hasTokenizer(*plan))
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

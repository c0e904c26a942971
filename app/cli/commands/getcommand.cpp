// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/workbench/models/remotemodel.h"
#include "app/workbench/scores/benchmarkfiles.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace headscope::cli {

namespace {

struct GetOptions {
    std::string model = {}, weights = {}, into = {};
    std::vector<std::string> tasks = {};
    bool onlyForecast = false;
};

nlohmann::json planJson(const hub::Plan& plan)
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
    return {{"family", model.family}, {"packing", model.packing}, {"parameters", model.parameters}, {"memory", memory}};
}

void printPlan(const app::RemoteModel& model)
{
    const auto number = [](auto bytes) { return static_cast<long long>(bytes); };
    const hub::Plan& plan = model.plan;
    for (const hub::RemoteFile& file : plan.files)
        printText("%14lld bytes  %s\n", number(file.size), file.path.c_str());
    printText("%14lld bytes in all, %lld of them are not here yet; %lld are free\n", number(plan.total),
              number(plan.missing), number(plan.free));
    if (!model.packing.empty())
        printText("its weights are packed as %s\n", model.packing.c_str());
    for (const app::MemoryNeed& need : model.memory)
        printText("as %s it needs %lld bytes of memory, which %s\n", need.dtype.c_str(), number(need.bytes),
                  need.fits ? "fits here" : "does NOT fit here");
    if (!model.problem.empty())
        printText("%s\n", model.problem.c_str());
}

Result<void> runGet(const Context& context, const GetOptions& options)
{
    hub::HubSettings settings = hub::HubSettings::fromEnvironment();
    if (options.onlyForecast)
        settings.tries = std::min(settings.tries, 2); // a person waits for a short answer
    const Control control = context.control();
    const auto model = app::lookAt(options.model, options.weights, settings, control);
    if (!model.has_value())
        return model.error();
    const hub::Plan& plan = model->plan;
    nlohmann::json info = planJson(plan);
    info["needs"] = needsOf(*model);
    if (!context.json)
        printPlan(*model);
    if (!options.onlyForecast) {
        const auto folder = hub::download(plan, settings, control);
        if (!folder.has_value())
            return folder.error();
        if (!context.json)
            printText("%s is in %s\n", plan.name.name.c_str(), folder->string().c_str());
    }
    if (!model->hasTokenizer)
        context.note("This model has no tokenizer; name one with --tokenizer when you first use it (those of "
                     "state-spaces are EleutherAI/gpt-neox-20b's).");
    if (context.json)
        Context::print(info);
    return {};
}

nlohmann::json planJson(const app::RemoteBenchmark& benchmark)
{
    nlohmann::json files = nlohmann::json::array();
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < benchmark.plan.files.size(); ++i) {
        const tasks::HubFile& file = benchmark.files.files[i];
        rows += file.rows;
        files.push_back({{"path", file.to},
                         {"from", file.path},
                         {"rows", file.rows},
                         {"bytes", benchmark.plan.files[i].size},
                         {"hash", benchmark.plan.files[i].hash}});
    }
    return {{"task", benchmark.files.task},
            {"title", benchmark.title},
            {"source", benchmark.page},
            {"commit", benchmark.plan.repository.commit},
            {"licence", benchmark.licence},
            {"files", files},
            {"rows", rows},
            {"bytes", benchmark.plan.total},
            {"missing_bytes", benchmark.plan.missing}};
}

void printPlan(const nlohmann::json& task, const std::string& folder)
{
    printText("%s: %s\n  from %s (%s)\n", task["task"].get<std::string>().c_str(),
              task["title"].get<std::string>().c_str(), task["source"].get<std::string>().c_str(),
              task["licence"].get<std::string>().c_str());
    for (const auto& file : task["files"])
        printText("%14lld bytes  %6lld rows  %s/%s\n", file["bytes"].get<long long>(), file["rows"].get<long long>(),
                  folder.c_str(), file["path"].get<std::string>().c_str());
}

// Benchmarks: what they are and whose is said before anything is fetched.
Result<void> getBenchmarks(const Context& context, const GetOptions& options)
{
    const hub::HubSettings settings = hub::HubSettings::fromEnvironment();
    const Control control = context.control();
    const std::filesystem::path folder =
        options.into.empty() ? app::defaultDataFolder() : std::filesystem::path(options.into);
    if (folder.empty())
        return ioError("There is no place for benchmarks; name a folder with --into.");
    const auto benchmarks = app::findBenchmarks(options.tasks, settings, control);
    if (!benchmarks.has_value())
        return benchmarks.error();
    nlohmann::json list = nlohmann::json::array();
    for (const app::RemoteBenchmark& benchmark : *benchmarks) {
        list.push_back(planJson(benchmark));
        if (!context.json)
            printPlan(list.back(), folder.string());
    }
    for (const app::RemoteBenchmark& benchmark : *benchmarks) {
        if (options.onlyForecast)
            break;
        const auto fetched = app::fetchBenchmark(benchmark, folder, settings, control);
        if (!fetched.has_value())
            return fetched.error();
        context.note(benchmark.files.task + ": hashes and rows are as expected.");
    }
    if (context.json)
        Context::print({{"tasks", list}, {"path", folder.string()}});
    else if (!options.onlyForecast)
        printText("use them with --data %s\n", folder.string().c_str());
    return {};
}

} // namespace

Result<void> forecastOnHub(const Context& context, const std::string& model)
{
    return runGet(context, {.model = model, .onlyForecast = true});
}

void addGetCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<GetOptions>();
    CLI::App* command = app.add_subcommand("get", "download a model, or benchmarks, from the Hugging Face hub");
    CLI::Option* const model = command->add_option("MODEL", options->model, "org/name or org/name@revision");
    command->add_option("WEIGHTS", options->weights, "weights file to download, if there are several");
    flag(*command, "--forecast", options->onlyForecast, "print files, sizes and what fits in memory, and stop");
    CLI::Option* const tasks = option(*command, "--data", options->tasks,
                                      "download benchmarks instead of a model, such as piqa,arc_easy or knowledge")
                                   ->delimiter(',')
                                   ->type_name("TASK")
                                   ->excludes(model);
    option(*command, "--into", options->into)->needs(tasks);
    command->callback([&context, options, model, tasks] {
        if (model->empty() && tasks->empty())
            throw CLI::RequiredError("MODEL or --data");
        context.run = [&context, options] {
            return options->tasks.empty() ? runGet(context, *options) : getBenchmarks(context, *options);
        };
    });
}

} // namespace headscope::cli

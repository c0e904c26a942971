// SPDX-License-Identifier: GPL-3.0-or-later
// May weights in few bits stand for the model? The same examples and heads in both, and what differs.
#include "app/cli/commands/commands.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/runs/scorerun.h"
#include "app/workbench/models/trust.h"
#include "core/base/elapsed.h"
#include "core/lm/weights/packedweight.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <chrono>

namespace headscope::cli {

namespace {

struct TrustArguments {
    ModelArguments model;
    TaskArguments task;
    std::vector<std::string> tasks;
    std::string against = "fp32";
    std::string method = "estimate";
};

/// All tasks on the model in one form.
struct Form {
    std::string dtype;
    std::int64_t bytes = 0;
    double seconds = 0;
    std::vector<app::TaskMeasured> tasks;
};

Result<Form> measureTrust(const Context& given, const TrustArguments& arguments, const std::string& dtype)
{
    Context context = given;
    context.settings.dtype = dtype;
    auto open = openModel(context, arguments.model, context.session);
    if (!open.has_value())
        return open.error();
    const auto started = std::chrono::steady_clock::now();
    Form form{open->loaded.dtype, open->loaded.bytes, 0, {}};
    const std::optional<app::RankMethod> method =
        arguments.method == "none"
            ? std::nullopt
            : std::optional(arguments.method == "exact" ? app::RankMethod::Exact : app::RankMethod::Estimate);
    if (const auto stored = open->remember({}); !stored.has_value())
        return stored.error();
    for (const std::string& name : expandTasks(arguments.tasks)) {
        auto set = tasks::makeTask(name, arguments.task.options(context));
        if (!set.has_value())
            return set.error();
        auto measured =
            app::measureTask(*open, open->store(), context.settings, std::move(*set), method, context.control());
        if (!measured.has_value())
            return measured.error();
        form.tasks.push_back(std::move(*measured));
    }
    form.seconds = secondsSince(started);
    return form;
}

nlohmann::json trustJson(const app::TrustedTask& task)
{
    nlohmann::json reply = {{"task", task.task},
                            {"examples", task.examples},
                            {"changed", task.changed},
                            {"changed_share", task.examples > 0 ? 1.0 * task.changed / task.examples : 0.0},
                            {"lost", task.lost},
                            {"gained", task.gained},
                            {"log_likelihood",
                             {{"continuations", task.continuations},
                              {"mean", task.meanDifference},
                              {"mean_absolute", task.meanAbsolute},
                              {"largest", task.largest}}}};
    if (task.reference && task.value)
        reply["score"] = {{"metric", task.metric}, {"reference", *task.reference}, {"value", *task.value}};
    if (task.heads)
        reply["head_costs"] = {
            {"rho", task.heads->rho}, {"heads", task.heads->n}, {"shared_of_first", {task.shared, task.first}}};
    if (task.headsInterval)
        reply["head_costs"]["interval"] = {task.headsInterval->low, task.headsInterval->high};
    return reply;
}

nlohmann::json trustJson(const Form& form)
{
    return {{"dtype", form.dtype}, {"bytes", form.bytes}, {"seconds", form.seconds}};
}

void printTrust(const nlohmann::json& reply)
{
    std::vector<std::vector<std::string>> rows = {{"task", "examples", "answers changed", "lost", "gained",
                                                   "log-likelihood off by", "head costs", "first heads"}};
    for (const auto& task : reply["tasks"]) {
        const bool heads = task.contains("head_costs");
        rows.push_back(
            {task["task"], std::to_string(task["examples"].get<int>()),
             fmt::format("{} ({:.2f} %)", task["changed"].get<int>(), 100 * task["changed_share"].get<double>()),
             std::to_string(task["lost"].get<int>()), std::to_string(task["gained"].get<int>()),
             fmt::format("{:.4f} nats, at most {:.3f}", task["log_likelihood"]["mean_absolute"].get<double>(),
                         task["log_likelihood"]["largest"].get<double>()),
             heads ? fmt::format("rho {:.3f}", task["head_costs"]["rho"].get<double>()) : "",
             heads ? fmt::format("{} of {}", task["head_costs"]["shared_of_first"][0].get<int>(),
                                 task["head_costs"]["shared_of_first"][1].get<int>())
                   : ""});
    }
    printText("%s\n%s: %lld bytes of weights; %s: %lld, %.2f of it\n", textTable(rows).c_str(),
              reply["reference"]["dtype"].get<std::string>().c_str(), reply["reference"]["bytes"].get<long long>(),
              reply["form"]["dtype"].get<std::string>().c_str(), reply["form"]["bytes"].get<long long>(),
              reply["memory_share"].get<double>());
}

Result<void> runTrust(const Context& context, const TrustArguments& arguments)
{
    if (lm::weightForm(context.settings.dtype) == lm::WeightForm::Full && context.settings.dtype != "bf16"
        && context.settings.dtype != "fp16")
        return inputError("There is nothing to compare; expected --weights int8 or int4, or --dtype bf16 or fp16.");
    if (!arguments.model.ablate.empty())
        return inputError("Forms of weights are compared without an ablation; leave --ablate out.");
    const auto reference = measureTrust(context, arguments, arguments.against);
    if (!reference.has_value())
        return reference.error();
    const auto form = measureTrust(context, arguments, context.settings.dtype);
    if (!form.has_value())
        return form.error();
    nlohmann::json reply = {
        {"model", arguments.model.model},
        {"reference", trustJson(*reference)},
        {"form", trustJson(*form)},
        {"memory_share", 1.0 * static_cast<double>(form->bytes) / static_cast<double>(reference->bytes)},
        {"method", arguments.method},
        {"tasks", nlohmann::json::array()}};
    for (std::size_t i = 0; i < form->tasks.size(); ++i) {
        const auto task = app::compareForms(reference->tasks[i], form->tasks[i]);
        if (!task.has_value())
            return task.error();
        reply["tasks"].push_back(trustJson(*task));
    }
    if (context.json)
        Context::print(reply);
    else
        printTrust(reply);
    return {};
}

} // namespace

void addTrustCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<TrustArguments>();
    CLI::App* command = app.add_subcommand(
        "trust", "compare quantized weights with full precision: answers, log-likelihoods and head costs");
    arguments->model.addTo(*command, context);
    arguments->task.addTo(*command, context);
    option(*command, "--task", arguments->tasks)->delimiter(',')->required();
    option(*command, "--against", arguments->against, "reference precision: fp32 or bf16")
        ->type_name("TYPE")
        ->check(oneOf({"fp32", "bf16"}))
        ->capture_default_str();
    option(*command, "--method", arguments->method, "how to measure head costs: estimate, exact, or none to skip them")
        ->check(oneOf({"estimate", "exact", "none"}))
        ->capture_default_str();
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return runTrust(context, *arguments); }; });
}

} // namespace headscope::cli

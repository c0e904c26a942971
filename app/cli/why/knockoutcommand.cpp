// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/why/analysisfiles.h"
#include "app/cli/why/analysisrun.h"
#include "core/interventions/parse.h"
#include "core/why/knockout.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace headscope::cli {

using interventions::PositionSpan;
using nlohmann::json;

namespace {

struct KnockoutArguments {
    ModelArguments model;
    QuestionArguments question;
    std::string queries, keys, softmax;
    int width = 1;
    std::vector<std::string> outputs;
};

const CLI::Validator kSpan{[](const std::string& text) {
                               return interventions::parseSpan(text)
                                          ? std::string()
                                          : "'" + text
                                                + "' does not fit; expected a position as 36, or a span of "
                                                  "positions as 30-36.";
                           },
                           "", "span"};

/// Where each window was knocked out, and what of the metric was left.
struct Swept {
    std::vector<why::KnockoutWindow> windows;
    why::KnockoutSweep how;
    engine::Question question;
    why::Metric metric;
    double difference = 0;
};

Result<Swept> sweep(const Context& context, const KnockoutArguments& arguments, const Analysed& analysed)
{
    auto question = questionOf(context, arguments.question, analysed);
    if (!question.has_value())
        return question.error();
    const auto& layers = analysed.open.spec().layers;
    const bool attention =
        std::ranges::any_of(layers, [](const auto& layer) { return layer.find(interventions::Site::Attention); });
    Swept swept;
    swept.how = {*interventions::parseSpan(arguments.queries), *interventions::parseSpan(arguments.keys),
                 arguments.softmax.empty() ? attention : arguments.softmax == "before", arguments.width};
    const auto run = why::record(analysed.model(), question->ids, analysed.base, {context.control().stop, {}});
    if (!run.has_value())
        return run.error();
    const auto metric = engine::metricOf(*question, *run, analysed.model());
    if (!metric.has_value())
        return metric.error();
    auto windows =
        why::knockoutSweep(analysed.model(), analysed.base, question->ids, *metric, swept.how, context.control());
    if (!windows.has_value())
        return windows.error();
    swept.windows = std::move(*windows);
    swept.question = std::move(*question);
    swept.metric = *metric;
    swept.difference = run->difference(*metric);
    return swept;
}

json describeKnockout(const Swept& swept, const KnockoutArguments& arguments, const Analysed& analysed)
{
    json windows = json::array();
    for (const why::KnockoutWindow& window : swept.windows)
        windows.push_back({{"first", window.first},
                           {"last", window.last},
                           {"value", window.difference},
                           {"effect", window.difference - swept.difference}});
    const auto both = [](const PositionSpan& span) { return json{span.first, span.last}; };
    return {{"model", analysed.open.name},
            {"source", swept.question.source},
            {"ablation", analysed.set.canonical()},
            {"tokens", analysed.tokens(swept.question.ids)},
            {"answer", analysed.token(swept.metric.answer)},
            {"distractor", analysed.token(swept.metric.distractor)},
            {"difference", swept.difference},
            {"queries", both(swept.how.queries)},
            {"keys", both(swept.how.keys)},
            {"softmax", swept.how.beforeSoftmax ? "before" : "after"},
            {"width", swept.how.width},
            {"windows", windows},
            {"files", arguments.outputs}};
}

AnalysisResult knockoutResult(const Swept& swept, const Analysed& analysed)
{
    const auto count = static_cast<std::int64_t>(swept.windows.size());
    AnalysisResult result{.table = {{"first", "last", "value", "effect"}},
                          .tensors = {{"difference", {1}, {static_cast<float>(swept.difference)}},
                                      {"knockout.first", {count}, {}},
                                      {"knockout.last", {count}, {}},
                                      {"knockout.value", {count}, {}}},
                          .provenance = analysed.provenance(swept.question.source)};
    for (const why::KnockoutWindow& window : swept.windows) {
        const double values[] = {double(window.first), double(window.last), window.difference};
        for (std::size_t i = 0; i < std::size(values); ++i)
            result.tensors[i + 1].values.push_back(static_cast<float>(values[i]));
        result.table.push_back({std::to_string(window.first), std::to_string(window.last),
                                signedNumber(window.difference), signedNumber(window.difference - swept.difference)});
    }
    return result;
}

std::string windowNames(const json& windows, std::size_t at)
{
    const std::string first = "L" + windows[at]["first"].dump(), last = "L" + windows[at]["last"].dump();
    return first == last ? first : first + "-" + last;
}

void printKnockout(const json& reply)
{
    const auto span = [&](const char* name) {
        std::string words;
        for (int at = reply[name][0]; at <= reply[name][1]; ++at)
            words += (words.empty() ? "" : " ") + reply["tokens"][static_cast<std::size_t>(at)].get<std::string>();
        return "'" + words + "'";
    };
    printText("%s stops reading %s, %s the softmax: logit('%s') - logit('%s'), %s with nothing knocked out\n\n",
              span("queries").c_str(), span("keys").c_str(), reply["softmax"].get<std::string>().c_str(),
              reply["answer"].get<std::string>().c_str(), reply["distractor"].get<std::string>().c_str(),
              signedNumber(reply["difference"]).c_str());
    std::vector<std::vector<std::string>> rows = {{"layers", "value", "effect"}};
    const json& windows = reply["windows"];
    for (std::size_t i = 0; i < windows.size(); ++i)
        rows.push_back(
            {windowNames(windows, i), signedNumber(windows[i]["value"]), signedNumber(windows[i]["effect"])});
    printText("%s\n", textTable(rows).c_str());
    std::size_t lowest = 0;
    for (std::size_t i = 0; i < windows.size(); ++i)
        lowest = windows[i]["value"] < windows[lowest]["value"] ? i : lowest;
    printText("Lowest in %s. In each window every head of its layers; entries of SSM heads become zero.\n",
              windowNames(windows, lowest).c_str());
}

Result<void> knockout(const Context& context, const KnockoutArguments& arguments)
{
    auto analysed = openAnalysed(context, arguments.model, arguments.outputs);
    if (!analysed.has_value())
        return analysed.error();
    const auto swept = sweep(context, arguments, *analysed);
    if (!swept.has_value())
        return swept.error();
    const json reply = describeKnockout(*swept, arguments, *analysed);
    const auto record = app::knockoutRecord(analysed->asked(), swept->question, swept->metric, swept->how,
                                            swept->difference, swept->windows);
    if (const auto kept = analysed->finish(arguments.outputs, knockoutResult(*swept, *analysed), record);
        !kept.has_value())
        return kept;
    if (context.json)
        Context::print(reply);
    else
        printKnockout(reply);
    return {};
}

} // namespace

void addKnockoutCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<KnockoutArguments>();
    CLI::App* command = app.add_subcommand(
        "knockout",
        "find the layers in which some tokens must read others: blocks their attention in a sliding window of layers");
    arguments->model.addTo(*command, context);
    arguments->question.addTo(*command, context, "example of the task, counted from 0");
    option(*command, "--queries", arguments->queries)->required()->check(kSpan);
    option(*command, "--keys", arguments->keys)->required()->check(kSpan);
    option(*command, "--window", arguments->width, "width of the window in layers; narrower at both ends")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    option(*command, "--softmax", arguments->softmax);
    option(*command, "--output", arguments->outputs, "output file: .safetensors .csv; may be repeated");
    command->callback([&context, command, arguments] {
        QuestionArguments::require(*command);
        context.run = [&context, arguments] { return knockout(context, *arguments); };
    });
}

} // namespace headscope::cli

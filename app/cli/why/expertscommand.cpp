// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/why/analysisfiles.h"
#include "app/cli/why/analysisrun.h"
#include "core/why/expertrun.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace headscope::cli {

using nlohmann::json;

namespace {

struct ExpertsArguments {
    ModelArguments model;
    QuestionArguments question;
    std::vector<std::string> outputs;
};

json describeExperts(const why::ExpertChoices& layer, const std::vector<std::string>& tokens)
{
    json positions = json::array();
    std::size_t at = 0;
    for (std::size_t position = 0; position < tokens.size(); ++position) {
        json chosen = json::array();
        for (int i = 0; i < layer.chosen; ++i, ++at)
            chosen.push_back(
                {{"expert", analysis::expertName(layer.layer, layer.ids[at])}, {"weight", layer.weights[at]}});
        positions.push_back({{"position", position}, {"token", tokens[position]}, {"chosen", chosen}});
        if (!layer.shared.empty())
            positions.back()["shared"] = layer.shared[position];
    }
    return {{"layer", layer.layer}, {"experts", layer.experts}, {"per_token", layer.chosen}, {"tokens", positions}};
}

AnalysisResult expertsResult(const std::vector<why::ExpertChoices>& layers, const std::vector<std::string>& tokens,
                             const std::string& provenance)
{
    AnalysisResult result{
        .table = analysis::expertTable(layers, tokens, number), .tensors = {}, .provenance = provenance};
    for (const why::ExpertChoices& layer : layers) {
        const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(tokens.size()), layer.chosen};
        const std::string name = ".L" + std::to_string(layer.layer);
        result.tensors.push_back({"experts" + name, shape, {layer.ids.begin(), layer.ids.end()}});
        result.tensors.push_back({"expert_weights" + name, shape, layer.weights});
        if (!layer.shared.empty())
            result.tensors.push_back({"shared_expert_weight" + name, {shape.front()}, layer.shared});
    }
    return result;
}

// A row a token, a column a layer: the experts by number, the heaviest first.
void printExperts(const std::vector<why::ExpertChoices>& layers, const std::vector<std::string>& tokens)
{
    std::vector<std::vector<std::string>> rows(tokens.size() + 1);
    rows.front().emplace_back("token");
    for (std::size_t position = 0; position < tokens.size(); ++position)
        rows[position + 1].push_back(std::to_string(position) + " " + tokens[position]);
    for (const why::ExpertChoices& layer : layers) {
        rows.front().push_back("L" + std::to_string(layer.layer));
        for (std::size_t position = 0; position < tokens.size(); ++position) {
            std::string cell;
            for (int i = 0; i < layer.chosen; ++i)
                cell += (i ? " X" : "X")
                        + std::to_string(
                            layer.ids[position * static_cast<std::size_t>(layer.chosen) + static_cast<std::size_t>(i)]);
            rows[position + 1].push_back(cell);
        }
    }
    const bool shared = std::ranges::any_of(layers, [](const auto& layer) { return !layer.shared.empty(); });
    printText("%s\nThe heaviest first; 'L%dX%d' in --ablate takes an expert out.%s\n", textTable(rows).c_str(),
              layers.front().layer, layers.front().ids.front(),
              shared ? " A shared one runs for every token beside them." : "");
}

Result<void> experts(const Context& context, const ExpertsArguments& arguments)
{
    const auto analysed = openAnalysed(context, arguments.model, arguments.outputs);
    if (!analysed.has_value())
        return analysed.error();
    const auto question = questionOf(context, arguments.question, *analysed);
    if (!question.has_value())
        return question.error();
    const auto layers = why::expertChoices(analysed->model(), question->ids, analysed->base, context.control());
    if (!layers.has_value())
        return layers.error();
    const std::vector<std::string> tokens = analysed->tokens(question->ids);
    const AnalysisResult result = expertsResult(*layers, tokens, analysed->provenance(question->source));
    if (const auto written = writeAnalysis(arguments.outputs, result); !written.has_value())
        return written;
    if (!context.json) {
        printExperts(*layers, tokens);
        return {};
    }
    json reply = json::array();
    for (const why::ExpertChoices& layer : *layers)
        reply.push_back(describeExperts(layer, tokens));
    Context::print({{"model", analysed->open.name},
                    {"source", question->source},
                    {"ablation", analysed->set.canonical()},
                    {"layers", reply},
                    {"files", arguments.outputs}});
    return {};
}

} // namespace

void addExpertsCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<ExpertsArguments>();
    CLI::App* command =
        app.add_subcommand("experts", "show which experts each layer chooses for each token of a prompt");
    arguments->model.addTo(*command, context);
    arguments->question.addTo(*command, context, "example of the task, counted from 0", ComparedTokens::None);
    option(*command, "--output", arguments->outputs, "output file: .safetensors .csv; may be repeated");
    command->callback([&context, command, arguments] {
        QuestionArguments::require(*command);
        context.run = [&context, arguments] { return experts(context, *arguments); };
    });
}

} // namespace headscope::cli

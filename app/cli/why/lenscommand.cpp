// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/options/ranges.h"
#include "app/cli/output.h"
#include "app/cli/why/analysisfiles.h"
#include "app/cli/why/analysisrun.h"
#include "app/cli/why/likelytokens.h"
#include "core/why/lenses/jacobianfile.h"
#include "core/why/lenses/lens.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>

namespace headscope::cli {

using nlohmann::json;

namespace {

struct LensArguments {
    ModelArguments model;
    QuestionArguments question;
    std::optional<int> row; ///< only this position
    int top = 5;
    std::string lens; ///< a file; empty: the logit lens
    std::vector<std::string> outputs;
};

/// A lens with the prompt that it was held over.
struct LensReading {
    why::Lens lens;
    engine::Question question;
    std::vector<std::string> tokens;
    std::string fitted; ///< hash of a Jacobian lens; empty: the logit lens
};

// Nothing: the logit lens.
Result<std::optional<why::JacobianLens>> readFitted(const std::string& file, const OpenModel& open)
{
    if (file.empty())
        return std::optional<why::JacobianLens>();
    auto read = why::readWholeLens(file, open.spec(), open.subject.model.hash);
    return read.has_value() ? Result<std::optional<why::JacobianLens>>(std::move(*read)) : read.error();
}

Result<LensReading> look(const Context& context, const LensArguments& arguments, const Analysed& analysed)
{
    auto question = questionOf(context, arguments.question, analysed);
    if (!question.has_value())
        return question.error();
    if (arguments.row && *arguments.row >= static_cast<int>(question->ids.size()))
        return inputError("There is no position " + std::to_string(*arguments.row) + "; expected 0 to "
                          + std::to_string(question->ids.size() - 1) + ".");
    const auto fitted = readFitted(arguments.lens, analysed.open);
    if (!fitted.has_value())
        return fitted.error();
    const Control control = context.control();
    const auto run = why::record(analysed.model(), question->ids, analysed.base, control);
    if (!run.has_value())
        return run.error();
    auto lens =
        why::lens(analysed.model(), *run, {arguments.top, question->answer, *fitted ? &**fitted : nullptr}, control);
    if (!lens.has_value())
        return lens.error();
    LensReading reading{std::move(*lens), std::move(*question), {}, *fitted ? why::lensHash(**fitted) : std::string()};
    reading.tokens = analysed.tokens(reading.question.ids);
    return reading;
}

json describeLens(const LensReading& reading, int position, const Analysed& analysed)
{
    json layers = json::array();
    for (int layer = 0; layer < reading.lens.layers; ++layer) {
        const why::LensCell& cell = reading.lens.at(layer, position);
        if (cell.top.empty())
            continue;
        layers.push_back({{"layer", layer},
                          {"top", likelyTokens(cell.top, analysed)},
                          {"entropy", cell.entropy},
                          {"rank", cell.rank},
                          {"logprob", cell.logProbability}});
    }
    const int followed =
        reading.question.answer.value_or(reading.lens.at(reading.lens.layers - 1, position).top.front().id);
    const auto first = why::firstTopLayer(reading.lens, position, followed);
    return {{"position", position},
            {"token", reading.tokens[static_cast<std::size_t>(position)]},
            {"followed", analysed.token(followed)},
            {"first_layer", first ? json(*first) : json()},
            {"layers", layers}};
}

AnalysisResult lensResult(const LensReading& reading, const Analysed& analysed)
{
    AnalysisResult result{.table = {{"layer", "position", "token", "top", "p", "entropy", "rank", "logprob"}},
                          .provenance =
                              analysed.provenance(reading.question.source)
                              + (reading.fitted.empty() ? "" : ", Jacobian lens " + reading.fitted.substr(0, 12))};
    const std::vector<std::int64_t> shape = {reading.lens.layers, reading.lens.positions};
    std::vector<NamedTensor> tensors;
    for (const char* name : {"lens.top", "lens.probability", "lens.entropy", "lens.rank", "lens.logprob"})
        tensors.push_back({name, shape, {}});
    for (int layer = 0; layer < reading.lens.layers; ++layer)
        for (int position = 0; position < reading.lens.positions; ++position) {
            const why::LensCell& cell = reading.lens.at(layer, position);
            const bool blank = cell.top.empty(); // a published lens does not read the embedding
            std::array values = {NAN, NAN, NAN, NAN, NAN};
            if (!blank)
                values = {static_cast<float>(cell.top.front().id), cell.top.front().probability, cell.entropy,
                          static_cast<float>(cell.rank), cell.logProbability};
            for (std::size_t i = 0; i < values.size(); ++i)
                tensors[i].values.push_back(values[i]);
            if (blank)
                continue;
            result.table.push_back(
                {std::to_string(layer), std::to_string(position), reading.tokens[static_cast<std::size_t>(position)],
                 analysed.token(cell.top.front().id), number(cell.top.front().probability), number(cell.entropy),
                 std::to_string(cell.rank), signedNumber(cell.logProbability)});
        }
    result.tensors = std::move(tensors);
    return result;
}

void printLens(const json& reply)
{
    const json& position = reply["positions"].back();
    printText("Position %d of %zu ('%s'): what the stream before each layer would say (%s lens)\n\n",
              position["position"].get<int>(), reply["tokens"].size(), position["token"].get<std::string>().c_str(),
              reply["lens"].is_null() ? "logit" : "Jacobian");
    std::vector<std::vector<std::string>> rows = {
        {"layer", "top tokens", "entropy", "rank of '" + position["followed"].get<std::string>() + "'", "logprob"}};
    for (const json& layer : position["layers"])
        rows.push_back({std::to_string(layer["layer"].get<int>()), likelyText(layer["top"]), number(layer["entropy"]),
                        std::to_string(layer["rank"].get<int>()), signedNumber(layer["logprob"])});
    printText("%s\n", textTable(rows).c_str());
    if (position["first_layer"].is_null())
        printText("'%s' is not on top at the end.\n", position["followed"].get<std::string>().c_str());
    else
        printText("'%s' is on top from the stream before layer %d on; the last row is the model's own output.\n",
                  position["followed"].get<std::string>().c_str(), position["first_layer"].get<int>());
}

Result<void> lens(const Context& context, const LensArguments& arguments)
{
    auto analysed = openAnalysed(context, arguments.model, arguments.outputs);
    if (!analysed.has_value())
        return analysed.error();
    const auto reading = look(context, arguments, *analysed);
    if (!reading.has_value())
        return reading.error();
    if (!arguments.outputs.empty())
        if (const auto written = writeAnalysis(arguments.outputs, lensResult(*reading, *analysed));
            !written.has_value())
            return written;
    json positions = json::array();
    const int first = arguments.row.value_or(0), last = arguments.row.value_or(reading->lens.positions - 1);
    for (int position = first; position <= last; ++position)
        positions.push_back(describeLens(*reading, position, *analysed));
    const json reply = {{"model", analysed->open.name},
                        {"source", reading->question.source},
                        {"ablation", analysed->set.canonical()},
                        {"tokens", reading->tokens},
                        {"positions", positions},
                        {"files", arguments.outputs},
                        {"lens", reading->fitted.empty() ? json() : json(reading->fitted)}};
    const auto record =
        app::lensRecord(analysed->asked(), {reading->question, first, last, reading->fitted}, reading->lens);
    if (const auto kept = analysed->keep(record); !kept.has_value())
        return kept;
    if (context.json)
        Context::print(reply);
    else
        printLens(reply);
    return {};
}

} // namespace

void addLensCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<LensArguments>();
    CLI::App* command = app.add_subcommand(
        "lens", "show what each layer and position would predict (logit lens, or a Jacobian lens fitted to texts)");
    arguments->model.addTo(*command, context);
    arguments->question.addTo(*command, context, "example of the task, counted from 0", ComparedTokens::Answer);
    option(*command, "--row", arguments->row,
           "this position only, counted from 0 (default: all positions; prints the last)")
        ->check(kNotNegative);
    option(*command, "--top", arguments->top, "number of tokens per layer")->check(CLI::Range(1, 1000));
    option(*command, "--lens", arguments->lens);
    option(*command, "--output", arguments->outputs, "output file: .safetensors .csv; may be repeated");
    addLensFitCommand(*command, context);
    command->callback([&context, command, arguments] {
        if (!command->get_subcommands().empty())
            return;
        if (command->get_option("MODEL")->count() == 0)
            throw CLI::RequiredError("MODEL");
        QuestionArguments::require(*command);
        context.run = [&context, arguments] { return lens(context, *arguments); };
    });
}

} // namespace headscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/why/analysed.h"
#include "app/cli/why/analysisfiles.h"
#include "app/cli/why/pairtold.h"
#include "core/why/edges.h"
#include "core/why/names.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace headscope::cli {

using nlohmann::json;

namespace {

constexpr std::size_t kShownEdges = 24;

struct EdgesArguments {
    ModelArguments model;
    PairArguments pairs;
    std::string receiver, sender, direction = "denoise";
    int top = 0;
    bool forecast = false;
    std::vector<std::string> outputs;
};

/// How many edges there are to trace.
Result<std::size_t> edgeCount(const EdgesArguments& arguments, const Analysed& analysed)
{
    if (!arguments.receiver.empty()) {
        const auto receiver = why::parseReceiver(arguments.receiver, analysed.model());
        return receiver.has_value()
                   ? Result<std::size_t>(why::sendersTo(analysed.model(), analysed.base, *receiver).size())
                   : Result<std::size_t>(receiver.error());
    }
    const auto sender = why::parseSender(arguments.sender, analysed.open.spec());
    return sender.has_value()
               ? Result<std::size_t>(why::receiversBehind(analysed.model(), analysed.base, *sender).size())
               : Result<std::size_t>(sender.error());
}

/// The edges, and the metric on every pair with each.
struct Traced {
    std::vector<why::Edge> edges;
    engine::OverPairs over;
    app::TracedEdges ends; ///< as the model names them
};

Result<Traced> trace(const Context& context, const EdgesArguments& arguments, const Analysed& analysed,
                     const engine::PairsOfTask& pairs)
{
    const lm::ModelSpec& spec = analysed.open.spec();
    const bool into = !arguments.receiver.empty();
    const auto receiver =
        into ? why::parseReceiver(arguments.receiver, analysed.model()) : Result<why::Receiver>(why::Receiver());
    const auto sender = into ? Result<why::Sender>(why::Sender()) : why::parseSender(arguments.sender, spec);
    if (!receiver.has_value())
        return receiver.error();
    if (!sender.has_value())
        return sender.error();
    Traced traced;
    (into ? traced.ends.receiver : traced.ends.sender) =
        into ? why::nameOf(spec, *receiver) : why::nameOf(spec, *sender);
    const auto measure = [&](const why::Recording& to, const why::Recording& from, const why::Metric& metric,
                             const Control& control) -> Result<std::vector<double>> {
        auto edges = into ? why::edgesInto(analysed.model(), analysed.base, to, from, metric, *receiver, control)
                          : why::edgesFrom(analysed.model(), analysed.base, to, from, metric, *sender, control);
        if (!edges.has_value())
            return edges.error();
        traced.edges = std::move(*edges);
        std::vector<double> values;
        for (const why::Edge& edge : traced.edges)
            values.push_back(edge.value);
        return values;
    };
    auto over = engine::measurePairs(analysed.model(), analysed.base, pairs.pairs, directionOf(arguments.direction),
                                     measure, context.control());
    if (!over.has_value())
        return over.error();
    traced.over = std::move(*over);
    return traced;
}

json describeEdges(const Traced& traced, const Analysed& analysed)
{
    json edges = json::array();
    for (std::size_t i = 0; i < traced.edges.size(); ++i) {
        json told = toldOf(traced.over, i);
        told["sender"] = why::nameOf(analysed.open.spec(), traced.edges[i].sender);
        told["receiver"] = why::nameOf(analysed.open.spec(), traced.edges[i].receiver);
        edges.push_back(std::move(told));
    }
    return edges;
}

AnalysisResult edgesResult(const Traced& traced, const json& told, const Analysed& analysed)
{
    AnalysisResult result{.table = {{"sender", "receiver", "value", "effect", "low", "high", "normalised"}},
                          .tensors = baselinesOf(traced.over),
                          .provenance = analysed.provenance(told["source"].get<std::string>())};
    for (std::size_t i = 0; i < traced.edges.size(); ++i) {
        const json& edge = told["edges"][i];
        const auto sender = edge["sender"].get<std::string>(), receiver = edge["receiver"].get<std::string>();
        result.tensors.push_back(
            {"edge." + sender + "." + receiver, {1}, {static_cast<float>(meanValue(traced.over, i))}});
        std::vector<std::string> line = {sender, receiver};
        for (const std::string& value : csvNumbers(traced.over, i))
            line.push_back(value);
        result.table.push_back(std::move(line));
    }
    namePairs(result, told);
    return result;
}

void printEdges(const json& told, std::size_t most)
{
    const std::size_t count = told["edges"].size();
    printBaselines(told);
    tell("%s\n%s alone carries what the other run has.\n", largestCells(told["edges"], most).c_str(),
         count == 1 ? "The edge" : (std::to_string(count) + " edges; each").c_str());
}

Result<void> edges(const Context& context, const EdgesArguments& arguments)
{
    if (const auto known = checkAnalysisPaths(arguments.outputs); !known.has_value())
        return known;
    auto analysed = openAnalysed(context, arguments.model);
    if (!analysed.has_value())
        return analysed.error();
    const auto pairs = pairsOf(context, arguments.pairs, *analysed);
    if (!pairs.has_value())
        return pairs.error();
    if (arguments.forecast) {
        const auto count = edgeCount(arguments, *analysed);
        if (!count.has_value())
            return count.error();
        printForecast(context, *analysed, *pairs, *count);
        return {};
    }
    const auto traced = trace(context, arguments, *analysed, *pairs);
    if (!traced.has_value())
        return traced.error();
    json told = toldOf(*pairs, traced->over, *analysed);
    told["asked"] = arguments.receiver.empty() ? arguments.sender : arguments.receiver;
    told["edges"] = describeEdges(*traced, *analysed);
    told["files"] = arguments.outputs;
    if (const auto written = writeAnalysis(arguments.outputs, edgesResult(*traced, told, *analysed));
        !written.has_value())
        return written;
    const auto record = app::edgesRecord(analysed->asked(), pairs->pairs, traced->over, traced->ends, traced->edges);
    if (const auto kept = analysed->keep(record); !kept.has_value())
        return kept;
    if (context.json)
        Context::print(told);
    else
        printEdges(told, arguments.top > 0 ? static_cast<std::size_t>(arguments.top) : kShownEdges);
    return endOf(traced->over.clean.size(), traced->over.asked, "pairs");
}

} // namespace

void addEdgesCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<EdgesArguments>();
    CLI::App* command = app.add_subcommand("edges", "which heads and MLPs feed a head, or who listens to one (path "
                                                    "patching)");
    arguments->model.addTo(*command, context);
    CLI::Option* receiver = option(*command, "--receiver", arguments->receiver);
    CLI::Option* sender = option(*command, "--sender", arguments->sender)->excludes(receiver);
    arguments->pairs.addTo(*command, context);
    option(*command, "--direction", arguments->direction)->capture_default_str();
    flag(*command, "--forecast", arguments->forecast);
    option(*command, "--top", arguments->top, "number of edges to print, largest first; 0: the first 24");
    option(*command, "--output", arguments->outputs, "file to write: .safetensors .csv; may be repeated");
    command->callback([&context, command, arguments, receiver, sender] {
        if (receiver->count() + sender->count() == 0)
            throw CLI::RequiredError("--receiver or --sender");
        requirePrompts(*command);
        context.run = [&context, arguments] { return edges(context, *arguments); };
    });
}

} // namespace headscope::cli

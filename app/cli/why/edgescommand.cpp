// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/why/analysisfiles.h"
#include "app/cli/why/analysisrun.h"
#include "app/cli/why/pairsummary.h"
#include "core/why/names.h"
#include "core/why/paths/edges.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace headscope::cli {

using nlohmann::json;

namespace {

constexpr std::size_t kShownEdges = 24;
const std::string kEdgesKind = "edges 1";

struct EdgesArguments {
    ModelArguments model;
    PairArguments pairs;
    std::string receiver, sender, direction = "denoise";
    int top = 0;
    bool forecast = false;
    std::string part; ///< K/N
    std::vector<std::string> outputs;
};

/// What is traced, and how on a pair.
struct Tracing {
    std::vector<why::Edge> edges; ///< without values
    app::TracedEdges ends;        ///< as the model names them
    engine::MeasurePair measure;
};

Result<Tracing> tracing(const EdgesArguments& arguments, const Analysed& analysed)
{
    const lm::Model& model = analysed.model();
    const lm::Edits& base = analysed.base;
    const auto values = [](const Result<std::vector<why::Edge>>& edges) -> Result<std::vector<double>> {
        if (!edges.has_value())
            return edges.error();
        std::vector<double> all;
        for (const why::Edge& edge : *edges)
            all.push_back(edge.value);
        return all;
    };
    Tracing traced;
    if (!arguments.receiver.empty()) {
        const auto receiver = why::parseReceiver(arguments.receiver, model);
        if (!receiver.has_value())
            return receiver.error();
        traced.ends.receiver = why::nameOf(model.spec(), *receiver);
        for (const why::Sender& sender : why::sendersTo(model, base, *receiver))
            traced.edges.push_back({sender, *receiver});
        traced.measure = [&model, &base, values,
                          receiver = *receiver](const why::Recording& to, const why::Recording& from,
                                                const why::Metric& metric, const Control& control) {
            return values(why::edgesInto(model, base, to, from, metric, receiver, control));
        };
        return traced;
    }
    const auto sender = why::parseSender(arguments.sender, model.spec());
    if (!sender.has_value())
        return sender.error();
    traced.ends.sender = why::nameOf(model.spec(), *sender);
    for (const why::Receiver& receiver : why::receiversBehind(model, base, *sender))
        traced.edges.push_back({*sender, receiver});
    traced.measure = [&model, &base, values, sender = *sender](const why::Recording& to, const why::Recording& from,
                                                               const why::Metric& metric, const Control& control) {
        return values(why::edgesFrom(model, base, to, from, metric, sender, control));
    };
    return traced;
}

/// The edges, and the metric on every pair with each.
struct Traced {
    std::vector<why::Edge> edges;
    engine::OverPairs over;
};

json describeEdges(const Traced& traced, const Analysed& analysed)
{
    json edges = json::array();
    for (std::size_t i = 0; i < traced.edges.size(); ++i) {
        json reply = pairsJson(traced.over, i);
        reply["sender"] = why::nameOf(analysed.open.spec(), traced.edges[i].sender);
        reply["receiver"] = why::nameOf(analysed.open.spec(), traced.edges[i].receiver);
        edges.push_back(std::move(reply));
    }
    return edges;
}

AnalysisResult edgesResult(const Traced& traced, const json& reply, const Analysed& analysed)
{
    AnalysisResult result{.table = {{"sender", "receiver", "value", "effect", "low", "high", "normalised"}},
                          .tensors = baselinesOf(traced.over),
                          .provenance = analysed.provenance(reply["source"].get<std::string>())};
    for (std::size_t i = 0; i < traced.edges.size(); ++i) {
        const json& edge = reply["edges"][i];
        const auto sender = edge["sender"].get<std::string>(), receiver = edge["receiver"].get<std::string>();
        result.tensors.push_back(
            {"edge." + sender + "." + receiver, {1}, {static_cast<float>(meanValue(traced.over, i))}});
        std::vector<std::string> line = {sender, receiver};
        for (const std::string& value : csvNumbers(traced.over, i))
            line.push_back(value);
        result.table.push_back(std::move(line));
    }
    namePairs(result, reply);
    return result;
}

void printEdges(const json& reply, std::size_t most)
{
    const std::size_t count = reply["edges"].size();
    printBaselines(reply);
    printText("%s\n%s alone carries what the other run has.\n", largestCells(reply["edges"], most).c_str(),
              count == 1 ? "The edge" : (std::to_string(count) + " edges; each").c_str());
}

Result<void> edges(const Context& context, const EdgesArguments& arguments)
{
    if (const auto known = checkAnalysisPaths(arguments.outputs); !known.has_value())
        return known;
    const auto part = partOf(context, arguments.part);
    if (!part.has_value())
        return part.error();
    if (const auto can = checkSharing(context); !can.has_value())
        return can;
    auto analysed = openAnalysed(context, arguments.model);
    if (!analysed.has_value())
        return analysed.error();
    const auto pairs = pairsOf(context, arguments.pairs, *analysed);
    if (!pairs.has_value())
        return pairs.error();
    const auto asked = tracing(arguments, *analysed);
    if (!asked.has_value())
        return asked.error();
    if (arguments.forecast) {
        printForecast(context, *analysed, *pairs, asked->edges.size());
        return {};
    }
    const engine::PatchDirection direction = directionOf(arguments.direction);
    const std::string question =
        app::edgesQuestion(analysed->asked(), pairs->pairs, unmeasured(pairs->pairs, direction), asked->ends);
    if (*part)
        return measurePairsPart(
            context, *analysed, **part, kEdgesKind, question,
            engine::pairPieces(analysed->model(), analysed->base, pairs->pairs, direction, asked->measure));
    auto over = engine::measurePairs(
        analysed->model(), analysed->base, pairs->pairs, direction, asked->measure, context.control(),
        pairs->pairs.size() > 1 ? sharedPairs(context, *analysed, kEdgesKind, question) : measureHere);
    if (!over.has_value())
        return over.error();
    const Traced traced{asked->edges, std::move(*over)};
    json reply = pairsJson(*pairs, traced.over, *analysed);
    reply["asked"] = arguments.receiver.empty() ? arguments.sender : arguments.receiver;
    reply["edges"] = describeEdges(traced, *analysed);
    reply["files"] = arguments.outputs;
    const auto record = app::edgesRecord(analysed->asked(), pairs->pairs, traced.over, asked->ends, traced.edges);
    if (const auto kept = analysed->finish(arguments.outputs, edgesResult(traced, reply, *analysed), record);
        !kept.has_value())
        return kept;
    if (context.json)
        Context::print(reply);
    else
        printEdges(reply, arguments.top > 0 ? static_cast<std::size_t>(arguments.top) : kShownEdges);
    return endOf(traced.over.clean.size(), traced.over.asked, "pairs");
}

} // namespace

void addEdgesCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<EdgesArguments>();
    CLI::App* command =
        app.add_subcommand("edges", "measure which heads and MLPs feed a head, or which read from it (path patching)");
    arguments->model.addTo(*command, context);
    CLI::Option* receiver = option(*command, "--receiver", arguments->receiver);
    CLI::Option* sender = option(*command, "--sender", arguments->sender)->excludes(receiver);
    arguments->pairs.addTo(*command, context);
    option(*command, "--direction", arguments->direction)->capture_default_str();
    flag(*command, "--forecast", arguments->forecast);
    option(*command, "--part", arguments->part);
    option(*command, "--top", arguments->top, "number of edges to print, largest first; 0: 24");
    option(*command, "--output", arguments->outputs, "output file: .safetensors .csv; may be repeated");
    command->callback([&context, command, arguments, receiver, sender] {
        if (receiver->count() + sender->count() == 0)
            throw CLI::RequiredError("--receiver or --sender");
        requirePrompts(*command);
        context.run = [&context, arguments] { return edges(context, *arguments); };
    });
}

} // namespace headscope::cli

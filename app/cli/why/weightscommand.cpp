// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/why/analysisfiles.h"
#include "app/cli/why/analysisrun.h"
#include "core/why/headweights.h"
#include "core/why/names.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <memory>

namespace headscope::cli {

using nlohmann::json;
using why::Composition;
using why::LayerFactors;

namespace {

constexpr std::size_t kRowsOfTable = 24;
constexpr int kDirections = 4, kTokens = 6;
constexpr std::array kKinds = {std::pair(Composition::Query, 'q'), std::pair(Composition::Key, 'k'),
                               std::pair(Composition::Value, 'v')};

struct WeightsArguments {
    ModelArguments model;
    std::vector<std::string> heads;
    int top = 0;
    std::vector<std::string> outputs;
};

std::string headNameOf(const lm::ModelSpec& spec, const LayerFactors& layer, std::size_t head)
{
    return why::headName(spec, layer.layer, layer.site, static_cast<int>(head));
}

/// "L2", in layers with two mixers "L2S".
std::string keyOf(const lm::ModelSpec& spec, const LayerFactors& layer)
{
    const bool two = spec.layers[static_cast<std::size_t>(layer.layer)].mixers.size() > 1;
    return "L" + std::to_string(layer.layer) + (!two ? "" : layer.site == why::Site::Attention ? "A" : "S");
}

/// What is told so far.
struct WeightsReport {
    json heads = json::array(), composition = json::array(), directions = json::array(), undefined = json::array();
    app::WeighedModel weighed;         ///< the same for the session
    std::vector<std::string> directed; ///< heads whose directions are told
    AnalysisResult result{
        .table = {{"head or sender", "receiver", "kind", "value", "baseline"}}, .tensors = {}, .provenance = {}};
};

void addCopying(const Analysed& analysed, const LayerFactors& layer, const why::VocabularyMap& vocabulary,
                WeightsReport& reply)
{
    const auto scores = why::copyingScores(vocabulary, layer.heads);
    NamedTensor tensor{"copying." + keyOf(analysed.open.spec(), layer), {static_cast<std::int64_t>(scores.size())}, {}};
    for (std::size_t head = 0; head < scores.size(); ++head) {
        const std::string name = headNameOf(analysed.open.spec(), layer, head);
        reply.heads.push_back({{"head", name}, {"copying", scores[head]}});
        reply.weighed.copying.emplace_back(name, scores[head]);
        reply.result.table.push_back({name, "", "copying", signedNumber(scores[head]), ""});
        tensor.values.push_back(static_cast<float>(scores[head]));
    }
    reply.result.tensors.push_back(std::move(tensor));
}

void addComposition(const Analysed& analysed, const LayerFactors& sender, const LayerFactors& receiver,
                    WeightsReport& reply)
{
    const double baseline = reply.weighed.random;
    for (const auto& [kind, letter] : kKinds) {
        const auto scores = why::compositionScores(sender.heads, receiver.heads, kind);
        if (!scores.has_value()) {
            const json why = scores.error().message;
            if (std::find(reply.undefined.begin(), reply.undefined.end(), why) == reply.undefined.end())
                reply.undefined.push_back(why);
            continue;
        }
        const unsigned part = kind == Composition::Query ? lm::kQuery
                              : kind == Composition::Key ? lm::kKey
                                                         : lm::kValue;
        const std::string through = why::partName(receiver.kind, part);
        NamedTensor tensor{
            std::string("composition.") + letter + "." + keyOf(analysed.open.spec(), sender) + "."
                + keyOf(analysed.open.spec(), receiver),
            {static_cast<std::int64_t>(scores->size()), static_cast<std::int64_t>(scores->front().size())},
            {}};
        for (std::size_t a = 0; a < scores->size(); ++a)
            for (std::size_t b = 0; b < (*scores)[a].size(); ++b) {
                const double value = (*scores)[a][b];
                const std::string from = headNameOf(analysed.open.spec(), sender, a),
                                  to = headNameOf(analysed.open.spec(), receiver, b);
                reply.composition.push_back(
                    {{"sender", from}, {"receiver", to}, {"kind", through}, {"value", value}, {"baseline", baseline}});
                reply.result.table.push_back({from, to, through, number(value), number(baseline)});
                reply.weighed.composed.push_back({from, to + "." + through, value});
                tensor.values.push_back(static_cast<float>(value));
            }
        reply.result.tensors.push_back(std::move(tensor));
    }
}

json endsOf(const std::vector<std::pair<int, double>>& ends, const Analysed& analysed)
{
    json tokens = json::array();
    for (const auto& [token, value] : ends)
        tokens.push_back({{"token", analysed.token(token)}, {"value", value}});
    return tokens;
}

std::vector<std::pair<std::string, double>> namedEnds(const std::vector<std::pair<int, double>>& ends,
                                                      const Analysed& analysed)
{
    std::vector<std::pair<std::string, double>> names;
    for (const auto& [token, value] : ends)
        names.emplace_back(analysed.token(token), value);
    return names;
}

Result<void> addDirections(const WeightsArguments& arguments, const Analysed& analysed,
                           const std::vector<LayerFactors>& layers, WeightsReport& reply)
{
    for (const std::string& text : arguments.heads) {
        const auto parsed = why::parseSender(text, analysed.open.spec());
        if (!parsed.has_value())
            return parsed.error();
        const auto layer = std::find_if(layers.begin(), layers.end(), [&](const LayerFactors& one) {
            return one.layer == parsed->layer && one.site == parsed->site;
        });
        if (parsed->head < 0 || layer == layers.end())
            return inputError("The weights of '" + text
                              + "' does not name a factor of a head; expected a head such as L2H5.");
        const std::string& head = reply.directed.emplace_back(why::nameOf(analysed.open.spec(), *parsed));
        for (const auto& [matrix, name] :
             {std::pair(why::HeadMatrix::OutputValue, "ov"), std::pair(why::HeadMatrix::QueryKey, "qk")}) {
            const auto directions = why::singularDirections(
                analysed.model(), layer->heads[static_cast<std::size_t>(parsed->head)], matrix, kDirections, kTokens);
            if (!directions.has_value()) {
                reply.undefined.push_back(directions.error().message);
                continue;
            }
            for (const why::SingularDirection& one : *directions)
                reply.directions.push_back({{"head", head},
                                            {"matrix", name},
                                            {"value", one.value},
                                            {"read", endsOf(one.read, analysed)},
                                            {"write", endsOf(one.write, analysed)}});
            for (const why::SingularDirection& one : *directions)
                reply.weighed.directions.push_back({head, matrix == why::HeadMatrix::OutputValue ? "OV" : "QK",
                                                    one.value, namedEnds(one.read, analysed),
                                                    namedEnds(one.write, analysed)});
        }
    }
    return {};
}

std::string endWords(const json& ends)
{
    std::string text;
    for (const json& end : ends)
        text += (text.empty() ? "" : " ") + end["token"].get<std::string>();
    return text;
}

template <typename Score> std::vector<json> largest(const json& list, std::size_t most, const Score& score)
{
    std::vector<json> sorted(list.begin(), list.end());
    std::stable_sort(sorted.begin(), sorted.end(), [&](const json& a, const json& b) { return score(a) > score(b); });
    sorted.resize(std::min(sorted.size(), most));
    return sorted;
}

void printWeights(const json& reply, std::size_t most)
{
    std::vector<std::vector<std::string>> rows = {{"head", "copying"}};
    for (const json& head :
         largest(reply["heads"], most, [](const json& one) { return std::abs(one["copying"].get<double>()); }))
        rows.push_back({head["head"].get<std::string>(), signedNumber(head["copying"])});
    printText("%s\n", textTable(rows).c_str());
    rows = {{"sender", "receiver", "through", "composition", "above random"}};
    const auto above = [](const json& one) { return one["value"].get<double>() - one["baseline"].get<double>(); };
    for (const json& pair : largest(reply["composition"], most, above))
        rows.push_back({pair["sender"].get<std::string>(), pair["receiver"].get<std::string>(),
                        pair["kind"].get<std::string>(), number(pair["value"]), signedNumber(above(pair))});
    printText("%s\n", textTable(rows).c_str());
    if (!reply["directions"].empty()) {
        rows = {{"head", "matrix", "singular value", "reads", "writes"}};
        for (const json& one : reply["directions"])
            rows.push_back({one["head"].get<std::string>(), one["matrix"].get<std::string>(), number(one["value"]),
                            endWords(one["read"]), endWords(one["write"])});
        printText("%s\n", textTable(rows).c_str());
    }
    for (const json& why : reply["undefined"])
        printText("%s\n", why.get<std::string>().c_str());
}

Result<void> weights(const Context& context, const WeightsArguments& arguments)
{
    if (!arguments.model.ablate.empty())
        return inputError("Weights are read from the whole model; leave out --ablate.");
    auto analysed = openAnalysed(context, arguments.model, arguments.outputs);
    if (!analysed.has_value())
        return analysed.error();
    const Control control = context.control();
    const auto factors = why::modelFactors(analysed->model(), control);
    if (!factors.has_value())
        return factors.error();
    const auto vocabulary = why::vocabularyMap(analysed->model(), control);
    if (!vocabulary.has_value())
        return vocabulary.error();
    WeightsReport reply;
    reply.undefined = factors->undefined;
    reply.weighed.random = why::randomComposition(analysed->model());
    const std::vector<LayerFactors>& layers = factors->layers;
    for (std::size_t b = 0; b < layers.size(); ++b) {
        if (control.stopped())
            return cancelledError();
        addCopying(*analysed, layers[b], *vocabulary, reply);
        for (std::size_t a = 0; a < b; ++a)
            if (layers[a].layer < layers[b].layer)
                addComposition(*analysed, layers[a], layers[b], reply);
        control.progress("composing heads", static_cast<std::int64_t>(b + 1), static_cast<std::int64_t>(layers.size()));
    }
    if (const auto added = addDirections(arguments, *analysed, layers, reply); !added.has_value())
        return added;
    reply.result.provenance = analysed->open.provenance();
    const json all = {{"model", analysed->open.name},     {"heads", reply.heads},
                      {"composition", reply.composition}, {"directions", reply.directions},
                      {"undefined", reply.undefined},     {"files", arguments.outputs}};
    const interventions::InterventionSet none;
    const auto record =
        app::weightsRecord({analysed->open.subject, analysed->open.spec(), *analysed->open.tokenizer, none},
                           {.copying = app::kAllHeads, .composed = app::kAllHeads, .directions = reply.directed},
                           std::move(reply.weighed));
    if (const auto kept = analysed->finish(arguments.outputs, reply.result, record); !kept.has_value())
        return kept;
    if (context.json)
        Context::print(all);
    else
        printWeights(all, arguments.top > 0 ? static_cast<std::size_t>(arguments.top) : kRowsOfTable);
    return {};
}

} // namespace

void addWeightsCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<WeightsArguments>();
    CLI::App* command = app.add_subcommand(
        "weights", "analyse weights without any text: copying and composition scores, singular directions");
    arguments->model.addTo(*command, context);
    option(*command, "--head", arguments->heads, "also print the singular directions of this head; may be repeated");
    option(*command, "--top", arguments->top, "number of heads and pairs to print, largest first; 0: 24");
    option(*command, "--output", arguments->outputs, "output file: .safetensors .csv; may be repeated");
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return weights(context, *arguments); }; });
}

} // namespace headscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/options/ranges.h"
#include "app/cli/output.h"
#include "app/cli/why/analysisfiles.h"
#include "app/cli/why/analysisrun.h"
#include "core/why/names.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace headscope::cli {

using nlohmann::json;

namespace {

constexpr std::size_t kShownWriters = 12;

struct WhyScoreArguments {
    ModelArguments model;
    QuestionArguments question;
    std::string head;
    int query = 0, key = 0;
    bool raw = false;
    int top = 0;
    std::vector<std::string> outputs;
};

json writersOf(const std::vector<why::DirectPart>& parts, const lm::ModelSpec& spec)
{
    json writers = json::array();
    for (const why::DirectPart& part : parts)
        writers.push_back({{"part", why::nameOf(spec, part)}, {"value", part.value}});
    return writers;
}

json describeWhyScore(const why::ScoreAttribution& all, const why::AttentionScoreRequest& asked,
                      const engine::Question& question, const Analysed& analysed)
{
    const lm::ModelSpec& spec = analysed.open.spec();
    const auto place = [&](int position) {
        return json{{"position", position},
                    {"token", analysed.token(question.ids[static_cast<std::size_t>(position)])}};
    };
    json pairs = json::array();
    for (const auto& [query, key, value] : all.pairs)
        pairs.push_back({{"query_part", why::nameOf(spec, all.query[query])},
                         {"key_part", why::nameOf(spec, all.key[key])},
                         {"value", value}});
    return {{"model", analysed.open.name},
            {"source", question.source},
            {"ablation", analysed.set.canonical()},
            {"head", why::headName(spec, asked.where.first, asked.where.second, asked.head)},
            {"query", place(asked.query)},
            {"key", place(asked.key)},
            {"centred", asked.centred},
            {"score", all.score},
            {"mean", all.mean},
            {"share", all.share},
            {"position", all.position},
            {"norms_held", all.normed},
            {"before_cap", all.capped},
            {"query_parts", writersOf(all.query, spec)},
            {"key_parts", writersOf(all.key, spec)},
            {"pairs", pairs},
            {"linearised", all.linearised},
            {"rounding", all.rounding()}};
}

AnalysisResult whyScoreResult(const why::ScoreAttribution& all, const json& report, const Analysed& analysed)
{
    AnalysisResult result{.table = {{"side", "part", "other part", "value"}},
                          .tensors = {{"score", {1}, {static_cast<float>(all.score)}}},
                          .provenance = analysed.provenance(report["source"].get<std::string>())};
    for (const char* side : {"query", "key"}) {
        const json& parts = report[std::string(side) + "_parts"];
        NamedTensor tensor{std::string("score.") + side, {static_cast<std::int64_t>(parts.size())}, {}};
        for (const json& part : parts) {
            tensor.values.push_back(part["value"].get<float>());
            result.table.push_back({side, part["part"].get<std::string>(), "", signedNumber(part["value"])});
        }
        result.tensors.push_back(std::move(tensor));
    }
    for (const json& pair : report["pairs"])
        result.table.push_back({"pair", pair["query_part"].get<std::string>(), pair["key_part"].get<std::string>(),
                                signedNumber(pair["value"])});
    return result;
}

void printWhyScore(const json& report, std::size_t most)
{
    const json &query = report["query"], &key = report["key"];
    const bool linearised = report["linearised"];
    printText("%s at '%s' (%d) scores '%s' (%d) %s%s; %s %s.\n\n", report["head"].get<std::string>().c_str(),
              query["token"].get<std::string>().c_str(), query["position"].get<int>(),
              key["token"].get<std::string>().c_str(), key["position"].get<int>(),
              signedNumber(report["score"]).c_str(),
              report["centred"].get<bool>() ? " above the mean over the keys it sees" : "",
              linearised ? "share of the row" : "attention weight", number(report["share"]).c_str());
    for (const auto& [side, held] : {std::pair("query", "key"), {"key", "query"}}) {
        const json& all = report[std::string(side) + "_parts"];
        std::vector<json> parts(all.begin(), all.end());
        std::ranges::stable_sort(parts, std::greater(),
                                 [](const json& part) { return std::abs(part["value"].get<double>()); });
        std::vector<std::vector<std::string>> rows = {{std::string("written at the ") + side, "adds"}};
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (i < most || parts[i]["part"] == "residue") // what is not explained is never cut off
                rows.push_back({parts[i]["part"].get<std::string>(), signedNumber(parts[i]["value"])});
        printText("%s\nAll %zu parts add up to the score, with the %s held fixed.\n\n", textTable(rows).c_str(),
                  parts.size(), held);
    }
    std::vector<std::vector<std::string>> rows = {{"at the query", "at the key", "adds"}};
    for (const json& pair : report["pairs"])
        rows.push_back(
            {pair["query_part"].get<std::string>(), pair["key_part"].get<std::string>(), signedNumber(pair["value"])});
    printText("%s\n", textTable(rows).c_str());
    if (const double position = report["position"]; position != 0)
        printText("Positions alone (ALiBi) add %s.\n", signedNumber(position).c_str());
    if (linearised)
        printText("Score: C of the query times B of the key, decay and step size as in this run. Both pass a "
                  "convolution and an activation: writers count to first order, and the residue is what that leaves, "
                  "biases included.\n");
    printText("Norms are held at their scale in this run%s.%s\n",
              report["norms_held"].get<bool>() ? ", query and key norms included" : "",
              report["before_cap"].get<bool>() ? " The model caps its scores; these are the scores before the cap."
                                               : "");
}

Result<void> whyScore(const Context& context, const WhyScoreArguments& arguments)
{
    auto analysed = openAnalysed(context, arguments.model, arguments.outputs);
    if (!analysed.has_value())
        return analysed.error();
    const auto head = why::parseSender(arguments.head, analysed->open.spec());
    if (!head.has_value())
        return head.error();
    if (head->head < 0)
        return inputError("'" + arguments.head + "' reads no tokens; expected a head such as L2H5.");
    const auto question = questionOf(context, arguments.question, *analysed);
    if (!question.has_value())
        return question.error();
    const why::AttentionScoreRequest asked{.where = {head->layer, head->site},
                                           .head = head->head,
                                           .query = arguments.query,
                                           .key = arguments.key,
                                           .centred = !arguments.raw};
    const auto run = why::record(analysed->model(), question->ids, analysed->base, {context.control().stop, {}});
    if (!run.has_value())
        return run.error();
    const auto all = why::scoreAttribution(analysed->model(), analysed->base, *run, asked, context.control());
    if (!all.has_value())
        return all.error();
    json report = describeWhyScore(*all, asked, *question, *analysed);
    report["files"] = arguments.outputs;
    if (const auto kept = analysed->finish(arguments.outputs, whyScoreResult(*all, report, *analysed),
                                           app::scoreRecord(analysed->asked(), *question, asked, *all));
        !kept.has_value())
        return kept;
    if (context.json)
        Context::print(report);
    else
        printWhyScore(report, arguments.top > 0 ? static_cast<std::size_t>(arguments.top) : kShownWriters);
    return {};
}

} // namespace

void addWhyScoreCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<WhyScoreArguments>();
    CLI::App* command = app.add_subcommand(
        "why-score", "explain why a head attends to a token: splits its score by what was written at query and key");
    arguments->model.addTo(*command, context);
    option(*command, "--head", arguments->head, "head, such as L2H5")->required();
    option(*command, "--query", arguments->query)->required()->check(kNotNegative);
    option(*command, "--key", arguments->key)->required()->check(kNotNegative);
    arguments->question.addTo(*command, context, "example of the task, counted from 0", ComparedTokens::None);
    flag(*command, "--raw", arguments->raw);
    option(*command, "--top", arguments->top, "number of writers to print for query and key, largest first; 0: 12");
    option(*command, "--output", arguments->outputs, "output file: .safetensors .csv; may be repeated");
    command->callback([&context, command, arguments] {
        QuestionArguments::require(*command);
        context.run = [&context, arguments] { return whyScore(context, *arguments); };
    });
}

} // namespace headscope::cli

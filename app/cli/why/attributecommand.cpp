// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/why/analysisfiles.h"
#include "app/cli/why/analysisrun.h"
#include "app/cli/why/pairsummary.h"
#include "core/base/words/counted.h"
#include "core/engine/questions/attributionrun.h"
#include "core/why/names.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace headscope::cli {

using nlohmann::json;

namespace {

constexpr std::size_t kShownParts = 24, kShownSources = 8;

struct AttributeArguments {
    ModelArguments model;
    QuestionArguments question;
    bool sources = false;
    int top = 0;
    std::vector<std::string> outputs;
};

// The tokens that a head reads and what comes of each; null with a reason where it cannot be split.
void addSources(json& reply, const engine::MeanAttribution& all, std::size_t part, const std::vector<int>& ids,
                const Analysed& analysed)
{
    const engine::SourceSplit& split = all.sources[part];
    if (!split.why.empty()) {
        reply["sources"] = nullptr;
        reply["why"] = split.why;
        return;
    }
    json sources = json::array();
    for (std::size_t position = 0; position < split.values.size(); ++position)
        sources.push_back(
            {{"position", position}, {"token", analysed.token(ids[position])}, {"value", split.values[position]}});
    reply["sources"] = sources;
}

json describeAttribute(const engine::MeanAttribution& all, const std::vector<engine::Question>& questions,
                       const Analysed& analysed)
{
    const lm::ModelSpec& spec = analysed.open.spec();
    json parts = json::array();
    for (std::size_t i = 0; i < all.parts.size(); ++i) {
        json part = {{"part", why::nameOf(spec, all.parts[i])}, {"value", all.means[i].value}};
        if (all.prompts > 1)
            part["interval"] = intervalOf(all.means[i]);
        if (!all.sources.empty() && all.parts[i].kind == why::DirectPart::Kind::Head)
            addSources(part, all, i, questions.front().ids, analysed);
        parts.push_back(part);
    }
    json silent = json::array();
    for (const why::Where& where : all.silent)
        silent.push_back("L" + std::to_string(where.first) + (where.second == why::Site::Attention ? "A" : "S"));
    json reply = {{"model", analysed.open.name},
                  {"ablation", analysed.set.canonical()},
                  {"source", questions.front().source},
                  {"n", all.prompts},
                  {"difference", all.difference.value},
                  {"interval", intervalOf(all.difference)},
                  {"sum", all.sum()},
                  {"before_cap", all.capped},
                  {"silent", silent},
                  {"parts", parts}};
    if (all.prompts == 1) {
        reply["answer"] = analysed.token(all.metric.answer);
        reply["distractor"] = analysed.token(all.metric.distractor);
        reply["tokens"] = analysed.tokens(questions.front().ids);
    }
    return reply;
}

AnalysisResult attributeResult(const engine::MeanAttribution& all, const json& reply, const Analysed& analysed)
{
    AnalysisResult result{.table = {{"part", "value", "low", "high"}},
                          .provenance = analysed.provenance(reply["source"].get<std::string>())};
    std::map<std::string, std::vector<float>> tensors;
    std::vector<float> rest(analysed.open.spec().layers.size(), 0.0F);
    for (std::size_t i = 0; i < all.parts.size(); ++i) {
        const why::DirectPart& part = all.parts[i];
        const analysis::Mean& mean = all.means[i];
        result.table.push_back({reply["parts"][i]["part"].get<std::string>(), signedNumber(mean.value),
                                mean.interval ? signedNumber(mean.interval->low) : "",
                                mean.interval ? signedNumber(mean.interval->high) : ""});
        const auto value = static_cast<float>(mean.value);
        using Kind = why::DirectPart::Kind;
        if (part.kind == Kind::Head)
            tensors[(part.site == why::Site::Attention ? "dla.attn.L" : "dla.ssm.L") + std::to_string(part.layer)]
                .push_back(value);
        else if (part.kind == Kind::Embedding || part.kind == Kind::Constant)
            tensors[part.kind == Kind::Embedding ? "dla.embed" : "dla.constant"] = {value};
        else
            rest[static_cast<std::size_t>(part.layer)] += value;
    }
    tensors["dla.rest"] = rest;
    tensors["difference"] = {static_cast<float>(all.difference.value)};
    for (auto& [name, values] : tensors) {
        const auto size = static_cast<std::int64_t>(values.size());
        result.tensors.push_back({name, {size}, std::move(values)});
    }
    return result;
}

std::vector<json> largestFirst(const json& list, std::size_t most)
{
    std::vector<json> sorted(list.begin(), list.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const json& a, const json& b) {
        return std::abs(a["value"].get<double>()) > std::abs(b["value"].get<double>());
    });
    sorted.resize(std::min(sorted.size(), most));
    return sorted;
}

void printSources(const json& part)
{
    printText("What %s reads:\n", part["part"].get<std::string>().c_str());
    std::vector<std::vector<std::string>> rows = {{"token", "position", "value"}};
    for (const json& source : largestFirst(part["sources"], kShownSources))
        rows.push_back({source["token"].get<std::string>(), std::to_string(source["position"].get<int>()),
                        signedNumber(source["value"])});
    printText("%s\n", textTable(rows).c_str());
}

void printAttribute(const json& reply, std::size_t most)
{
    const bool one = reply["n"].get<int>() == 1;
    if (one)
        printText("logit('%s') - logit('%s') = %s, of %s\n\n", reply["answer"].get<std::string>().c_str(),
                  reply["distractor"].get<std::string>().c_str(), signedNumber(reply["difference"]).c_str(),
                  reply["source"].get<std::string>().c_str());
    else
        printText("Mean logit difference %s over %s\n\n", signedNumber(reply["difference"]).c_str(),
                  counted(reply["n"].get<int>(), "prompt").c_str());
    std::vector<std::vector<std::string>> rows = {{"part", "value"}};
    if (!one)
        rows.front().push_back("95 % interval");
    const auto parts = largestFirst(reply["parts"], most);
    for (const json& part : parts) {
        rows.push_back({part["part"].get<std::string>(), signedNumber(part["value"])});
        if (!one)
            rows.back().push_back(intervalCell(part["interval"]));
    }
    printText("%s\n", textTable(rows).c_str());
    printText("%zu of %zu parts; all add up to %s.%s\n", parts.size(), reply["parts"].size(),
              signedNumber(reply["sum"]).c_str(),
              reply["before_cap"].get<bool>() ? " The model caps its logits; this is the difference before that." : "");
    for (const json& site : reply["silent"])
        printText("The heads of %s write nothing into the stream themselves: they feed their layer's other mixer.\n",
                  site.get<std::string>().c_str());
    int split = 0;
    for (const json& part : parts)
        if (part.contains("sources") && part["sources"].is_array() && split++ < 3)
            printSources(part);
}

Result<void> attribute(const Context& context, const AttributeArguments& arguments)
{
    auto analysed = openAnalysed(context, arguments.model, arguments.outputs);
    if (!analysed.has_value())
        return analysed.error();
    const auto questions = questionsOf(context, arguments.question, *analysed);
    if (!questions.has_value())
        return questions.error();
    if (arguments.sources && questions->size() > 1)
        return inputError("Tokens of several prompts cannot be added up; expected --sources with --text or --sample.");
    const auto all =
        engine::attribute(analysed->model(), analysed->base, *questions, arguments.sources, context.control());
    if (!all.has_value())
        return all.error();
    json reply = describeAttribute(*all, *questions, *analysed);
    reply["files"] = arguments.outputs;
    if (const auto kept = analysed->finish(arguments.outputs, attributeResult(*all, reply, *analysed),
                                           app::attributionRecord(analysed->asked(), *questions, *all));
        !kept.has_value())
        return kept;
    if (context.json)
        Context::print(reply);
    else
        printAttribute(reply, arguments.top > 0 ? static_cast<std::size_t>(arguments.top) : kShownParts);
    return endOf(static_cast<std::size_t>(all->prompts), static_cast<std::size_t>(all->asked), "prompts");
}

} // namespace

void addAttributeCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<AttributeArguments>();
    CLI::App* command = app.add_subcommand(
        "attribute",
        "show what each head, MLP and the embedding contribute to a logit difference (direct attribution)");
    arguments->model.addTo(*command, context);
    arguments->question.addTo(*command, context,
                              "this example of the task only (default: the mean over all, with intervals)");
    flag(*command, "--sources", arguments->sources);
    option(*command, "--top", arguments->top, "number of contributions to print, largest first; 0: 24");
    option(*command, "--output", arguments->outputs, "output file: .safetensors .csv; may be repeated");
    command->callback([&context, command, arguments] {
        QuestionArguments::require(*command);
        context.run = [&context, arguments] { return attribute(context, *arguments); };
    });
}

} // namespace headscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/why/analysisfiles.h"
#include "app/cli/why/analysisrun.h"
#include "core/base/words/counted.h"
#include "core/engine/questions/probetexts.h"
#include "core/why/names.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <memory>

namespace headscope::cli {

using nlohmann::json;

namespace {

constexpr std::size_t kScoresShown = 40;
const std::vector<std::string> kMethods = {"induction", "previous", "duplicate", "sink", "retrieval"};

struct ProbeArguments {
    ModelArguments model;
    TaskArguments rows;
    std::string task;
    std::vector<std::string> methods;
    double threshold = 0.5;
    int sequences = why::RepeatedTokens().sequences;
    int top = 0;
    std::vector<std::string> outputs;

    [[nodiscard]] bool retrieves() const
    {
        return methods.empty() ? !task.empty()
                               : std::find(methods.begin(), methods.end(), "retrieval") != methods.end();
    }
    [[nodiscard]] std::vector<std::string> asked() const
    {
        std::vector<std::string> all = methods.empty() ? kMethods : methods;
        if (!retrieves())
            std::erase(all, "retrieval");
        return all;
    }
};

Result<std::vector<why::RetrievalRow>> rowsOf(const Context& context, const ProbeArguments& arguments,
                                              const Analysed& analysed)
{
    if (!arguments.retrieves())
        return std::vector<why::RetrievalRow>();
    if (arguments.task.empty())
        return inputError(
            "The retrieval score needs rows of a task; expected --task toy_kv or another whose prompts hold "
            "their answer.");
    const auto set = tasks::makeTask(arguments.task, arguments.rows.options(context), *analysed.open.tokenizer);
    if (!set.has_value())
        return set.error();
    return engine::retrievalRows(*set, readerOf(analysed.open, *set));
}

json describeProbe(const std::vector<why::HeadProbe>& heads, const ProbeArguments& arguments, const Analysed& analysed)
{
    json reply = json::array();
    for (const why::HeadProbe& head : heads) {
        json scores = json::object();
        for (const std::string& method : arguments.asked())
            scores[method] = why::scoreOf(head, method); // not a number: null
        reply.push_back({{"head", why::headName(analysed.open.spec(), head.layer, head.site, head.head)},
                         {"scores", scores},
                         {"label", why::labelOf(head, arguments.asked(), arguments.threshold)}});
    }
    return reply;
}

AnalysisResult probeResult(const std::vector<why::HeadProbe>& heads, const json& reply, const ProbeArguments& arguments,
                           const Analysed& analysed)
{
    AnalysisResult result{.table = {{"head"}}, .tensors = {}, .provenance = analysed.provenance("probe sequences")};
    std::map<std::string, std::vector<float>> tensors;
    for (const std::string& method : arguments.asked())
        result.table.front().push_back(method);
    result.table.front().emplace_back("label");
    for (std::size_t i = 0; i < heads.size(); ++i) {
        std::vector<std::string> line = {reply[i]["head"].get<std::string>()};
        for (const std::string& method : arguments.asked()) {
            const double score = why::scoreOf(heads[i], method);
            line.push_back(number(score));
            tensors["probe." + method + (heads[i].site == why::Site::Attention ? ".attn.L" : ".ssm.L")
                    + std::to_string(heads[i].layer)]
                .push_back(static_cast<float>(score));
        }
        line.push_back(reply[i]["label"].get<std::string>());
        result.table.push_back(std::move(line));
    }
    for (auto& [name, values] : tensors) {
        const auto size = static_cast<std::int64_t>(values.size());
        result.tensors.push_back({name, {size}, std::move(values)});
    }
    return result;
}

void printProbe(const json& reply, const std::vector<std::string>& methods, std::size_t most)
{
    std::vector<json> heads(reply["heads"].begin(), reply["heads"].end());
    const auto largest = [&](const json& head) {
        double score = 0;
        for (const std::string& method : methods)
            score = std::max(score, head["scores"][method].is_number() ? head["scores"][method].get<double>() : 0.0);
        return score;
    };
    std::stable_sort(heads.begin(), heads.end(), [&](const json& a, const json& b) { return largest(a) > largest(b); });
    heads.resize(std::min(heads.size(), most));
    std::vector<std::vector<std::string>> rows = {{"head"}};
    rows.front().insert(rows.front().end(), methods.begin(), methods.end());
    rows.front().emplace_back("label");
    for (const json& head : heads) {
        std::vector<std::string> row = {head["head"].get<std::string>()};
        for (const std::string& method : methods)
            row.push_back(head["scores"][method].is_number() ? number(head["scores"][method]) : "-");
        row.push_back(head["label"].get<std::string>());
        rows.push_back(std::move(row));
    }
    printText("%s\n", textTable(rows).c_str());
    printText("%zu of %s; %s of 1 + 2 x %d tokens, seed %s; a label from %s on.\n", heads.size(),
              counted(reply["heads"].size(), "head").c_str(),
              counted(reply["sequences"].get<int>(), "sequence").c_str(), reply["repeat"].get<int>(),
              reply["seed"].dump().c_str(), number(reply["threshold"]).c_str());
}

Result<void> probe(const Context& context, const ProbeArguments& arguments)
{
    auto analysed = openAnalysed(context, arguments.model, arguments.outputs);
    if (!analysed.has_value())
        return analysed.error();
    why::RepeatedTokens tokens =
        engine::repeatedTokens(*analysed->open.tokenizer, analysed->open.spec(), context.settings.seed);
    tokens.sequences = arguments.sequences;
    const auto sequences = why::repeatedSequences(analysed->model(), tokens);
    if (!sequences.has_value())
        return sequences.error();
    const auto rows = rowsOf(context, arguments, *analysed);
    if (!rows.has_value())
        return rows.error();
    auto heads = why::probeHeads(analysed->model(), analysed->base, *sequences, *rows, context.control());
    if (!heads.has_value())
        return heads.error();
    const json described = describeProbe(*heads, arguments, *analysed);
    const json reply = {{"model", analysed->open.name},
                        {"ablation", analysed->set.canonical()},
                        {"seed", context.settings.seed},
                        {"sequences", sequences->size()},
                        {"repeat", (sequences->front().size() - 1) / 2},
                        {"retrieval_rows", rows->size()},
                        {"task", arguments.task},
                        {"threshold", arguments.threshold},
                        {"heads", described},
                        {"files", arguments.outputs}};
    const auto record = app::probeRecord(analysed->asked(),
                                         {.sequences = *sequences,
                                          .rows = *rows,
                                          .seed = context.settings.seed,
                                          .task = arguments.task,
                                          .methods = arguments.asked()},
                                         *heads);
    if (const auto kept =
            analysed->finish(arguments.outputs, probeResult(*heads, described, arguments, *analysed), record);
        !kept.has_value())
        return kept;
    if (context.json)
        Context::print(reply);
    else
        printProbe(reply, arguments.asked(),
                   arguments.top > 0 ? static_cast<std::size_t>(arguments.top) : kScoresShown);
    return {};
}

} // namespace

void addProbeCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<ProbeArguments>();
    CLI::App* command = app.add_subcommand(
        "probe", "score heads on repeated random tokens: induction, previous token, sink and others");
    arguments->model.addTo(*command, context);
    option(*command, "--method", arguments->methods,
           "scores to measure, comma-separated (default: all; retrieval needs --task)")
        ->delimiter(',')
        ->check(oneOf(kMethods));
    option(*command, "--task", arguments->task, "task for the retrieval score, such as toy_kv or kv_retrieval");
    arguments->rows.addTo(*command, context);
    option(*command, "--threshold", arguments->threshold)->check(CLI::Range(0.0, 1.0))->capture_default_str();
    option(*command, "--sequences", arguments->sequences)->check(CLI::Range(1, 1000))->capture_default_str();
    option(*command, "--top", arguments->top, "number of heads to print, highest first; 0: 40");
    option(*command, "--output", arguments->outputs, "output file: .safetensors .csv; may be repeated");
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return probe(context, *arguments); }; });
}

} // namespace headscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/why/pairsummary.h"

#include "app/cli/files/texttable.h"
#include "app/cli/output.h"
#include "core/base/printable.h"
#include "core/base/samplesource.h"
#include "core/base/words/counted.h"
#include "core/why/cost.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace headscope::cli {

using nlohmann::json;

json intervalOf(const analysis::Mean& mean)
{
    return mean.interval ? json{mean.interval->low, mean.interval->high} : json();
}

engine::PatchDirection directionOf(const std::string& text)
{
    return text == "noise" ? engine::PatchDirection::Noise : engine::PatchDirection::Denoise;
}

void requirePrompts(const CLI::App& command)
{
    if (command.count("--clean") + command.count("--pairs") + command.count("--task") == 0)
        throw CLI::RequiredError("--clean and --corrupt, --pairs or --task");
}

json pairsJson(const engine::PairsOfTask& pairs, const engine::OverPairs& over, const Analysed& analysed)
{
    const bool denoise = over.direction == engine::PatchDirection::Denoise;
    const engine::PromptPair& first = pairs.pairs.front();
    json reply = {{"model", analysed.open.name},
                  {"ablation", analysed.set.canonical()},
                  {"source", first.source},
                  {"n", over.clean.size()},
                  {"left_out", pairs.leftOut},
                  {"direction", denoise ? "denoise" : "noise"},
                  {"clean", analysis::meanOf(over.clean).value},
                  {"corrupt", analysis::meanOf(over.corrupt).value},
                  {"tokens", analysed.tokens(denoise ? first.corrupt : first.clean)},
                  {"other_tokens", analysed.tokens(denoise ? first.clean : first.corrupt)}};
    if (parseSampleSource(first.source))
        reply["exchange"] = tasks::name(pairs.exchange);
    const auto textOf = [&](const std::vector<int>& ids) { return engine::promptText(*analysed.open.tokenizer, ids); };
    for (std::size_t i = 0; i < over.metrics.size(); ++i)
        reply["prompts"].push_back({{"clean", textOf(pairs.pairs[i].clean)},
                                    {"corrupt", textOf(pairs.pairs[i].corrupt)},
                                    {"answer", analysed.token(over.metrics[i].answer)},
                                    {"distractor", analysed.token(over.metrics[i].distractor)}});
    if (over.clean.size() == 1) {
        reply["answer"] = analysed.token(over.metrics.front().answer);
        reply["distractor"] = analysed.token(over.metrics.front().distractor);
    }
    return reply;
}

double meanValue(const engine::OverPairs& over, std::size_t cell)
{
    return analysis::meanOf(over.values[cell]).value;
}

json pairsJson(const engine::OverPairs& over, std::size_t cell)
{
    const analysis::Mean effect = over.effect(cell), share = over.normalised(cell);
    json reply = {{"value", meanValue(over, cell)}, {"effect", effect.value}, {"normalised", share.value}};
    if (over.clean.size() > 1) {
        reply["interval"] = intervalOf(effect);
        reply["normalised_interval"] = intervalOf(share);
    }
    return reply;
}

std::vector<std::string> csvNumbers(const engine::OverPairs& over, std::size_t cell)
{
    const analysis::Mean effect = over.effect(cell);
    return {signedNumber(meanValue(over, cell)), signedNumber(effect.value),
            effect.interval ? signedNumber(effect.interval->low) : "",
            effect.interval ? signedNumber(effect.interval->high) : "", signedNumber(over.normalised(cell).value)};
}

void namePairs(AnalysisResult& result, const json& reply)
{
    const std::string n = std::to_string(reply["n"].get<std::size_t>());
    const json& first = reply["prompts"].front();
    for (auto& row : result.table) {
        const bool header = &row == &result.table.front();
        row.push_back(header ? "pairs" : n);
        for (const char* field : {"clean", "corrupt", "answer", "distractor"})
            row.push_back(header ? field : visible(first[field].get<std::string>()));
    }
    result.pairs = reply["prompts"].dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<NamedTensor> baselinesOf(const engine::OverPairs& over)
{
    return {{"difference.clean", {1}, {static_cast<float>(analysis::meanOf(over.clean).value)}},
            {"difference.corrupt", {1}, {static_cast<float>(analysis::meanOf(over.corrupt).value)}}};
}

void printForecast(const Context& context, const Analysed& analysed, const engine::PairsOfTask& pairs,
                   std::size_t cells)
{
    std::size_t longest = 0;
    for (const engine::PromptPair& pair : pairs.pairs)
        longest = std::max(longest, pair.clean.size());
    const why::Cost cost = why::costOf(analysed.model(), static_cast<std::int64_t>(longest), 2,
                                       static_cast<std::int64_t>(cells), static_cast<std::int64_t>(pairs.pairs.size()));
    if (context.json)
        return Context::print({{"model", analysed.open.name},
                               {"pairs", pairs.pairs.size()},
                               {"tokens", longest},
                               {"cells", cells},
                               {"runs", cost.runs},
                               {"bytes", cost.bytes}});
    printText("%s on %s of up to %s: at most %s of the prompt, about %lld bytes in addition to the model.\n",
              counted(cells, "cell").c_str(), counted(pairs.pairs.size(), "pair").c_str(),
              counted(longest, "token").c_str(), counted(static_cast<std::size_t>(cost.runs), "run").c_str(),
              static_cast<long long>(cost.bytes));
}

void printBaselines(const json& reply)
{
    const std::string metric = reply.contains("answer")
                                   ? "logit('" + reply["answer"].get<std::string>() + "') - logit('"
                                         + reply["distractor"].get<std::string>() + "')"
                                   : "Mean logit difference over " + counted(reply["n"].get<int>(), "pair");
    printText("%s: clean %s, corrupt %s\n", metric.c_str(), signedNumber(reply["clean"]).c_str(),
              signedNumber(reply["corrupt"]).c_str());
    if (const int left = reply["left_out"].get<int>(); left > 0)
        printText("Without a counterpart of as many tokens and another answer: %s.\n", counted(left, "sample").c_str());
    printText("\n");
}

std::string largestCells(const json& cells, std::size_t most)
{
    std::vector<json> sorted(cells.begin(), cells.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const json& a, const json& b) {
        return std::abs(a["effect"].get<double>()) > std::abs(b["effect"].get<double>());
    });
    sorted.resize(std::min(sorted.size(), most));
    std::vector<std::string> names;
    for (const char* name : {"sender", "receiver", "head", "layer", "position"})
        if (!sorted.empty() && sorted.front().contains(name) && !sorted.front()[name].is_null())
            names.emplace_back(name);
    std::vector<std::vector<std::string>> rows = {names};
    const bool many = !sorted.empty() && sorted.front().contains("interval");
    for (const char* column : {"value", "effect", "normalised"})
        rows.front().emplace_back(column);
    if (many)
        rows.front().emplace_back("95 % of effect");
    for (const json& cell : sorted) {
        std::vector<std::string> row;
        for (const std::string& name : names)
            row.push_back(cell[name].is_string() ? cell[name].get<std::string>() : cell[name].dump());
        for (const char* column : {"value", "effect", "normalised"})
            row.push_back(signedNumber(cell[column]));
        if (many)
            row.push_back(intervalCell(cell["interval"]));
        rows.push_back(std::move(row));
    }
    return textTable(rows);
}

} // namespace headscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/why/keptanalysis.h"

#include "app/cli/files/texttable.h"
#include "core/base/samplesource.h"
#include "sessions/analyses.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace headscope::cli {

using nlohmann::json;
using sessions::AnalysisRecord;
using sessions::AnalysisValue;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostPairs = 1000; // of heads that compose: the strongest
constexpr std::size_t kSummed = 3;       // parts that a summary names

double numberOf(const json& value)
{
    return value.is_number() ? value.get<double>() : kNaN; // JSON has no NaN: null
}

void setInterval(AnalysisValue& value, const json& told, const char* name)
{
    if (const auto interval = told.find(name); interval != told.end() && interval->is_array()) {
        value.low = numberOf((*interval)[0]);
        value.high = numberOf((*interval)[1]);
    }
}

void addTokens(AnalysisRecord& record, const json& told)
{
    int position = 0;
    for (const json& token : told.value("tokens", json::array()))
        record.values.push_back({.part = "prompt",
                                 .position = position++,
                                 .measure = "token",
                                 .value = kNaN,
                                 .words = token.get<std::string>()});
}

void addLens(AnalysisRecord& record, const json& told)
{
    for (const json& position : told["positions"])
        for (const json& layer : position["layers"]) {
            const std::string part = "L" + std::to_string(layer["layer"].get<int>());
            const int place = position["position"].get<int>();
            const json& top = layer["top"].front();
            record.values.push_back({.part = part,
                                     .position = place,
                                     .measure = "probability",
                                     .value = numberOf(top["p"]),
                                     .words = top["token"].get<std::string>()});
            record.values.push_back(
                {.part = part, .position = place, .measure = "rank of the followed", .value = numberOf(layer["rank"])});
        }
    addTokens(record, told);
    const json& last = told["positions"].back();
    record.summary = "'" + last["followed"].get<std::string>()
                     + (last["first_layer"].is_null() ? "' is not on top at the end."
                                                      : "' is on top from the stream before layer "
                                                            + std::to_string(last["first_layer"].get<int>()) + " on.");
}

void addParts(AnalysisRecord& record, const json& told)
{
    for (const json& part : told["parts"]) {
        AnalysisValue value{
            .part = part["part"].get<std::string>(), .measure = "adds", .value = numberOf(part["value"])};
        setInterval(value, part, "interval");
        record.values.push_back(std::move(value));
    }
    AnalysisValue sum{.part = "sum", .measure = "adds", .value = numberOf(told["difference"])};
    setInterval(sum, told, "interval");
    record.values.push_back(std::move(sum));
}

void addPairs(AnalysisRecord& record, const json& told)
{
    int number = 0;
    for (const json& pair : told.value("prompts", json::array())) {
        for (const char* part : {"clean", "corrupt", "answer", "distractor"})
            record.values.push_back({.part = part,
                                     .position = number,
                                     .measure = "pair",
                                     .value = kNaN,
                                     .words = pair[part].get<std::string>()});
        ++number;
    }
}

void addShare(AnalysisRecord& record, AnalysisValue value, const json& cell)
{
    value.measure = "share";
    value.value = numberOf(cell["normalised"]);
    setInterval(value, cell, "normalised_interval");
    record.values.push_back(std::move(value));
}

void addPatches(AnalysisRecord& record, const json& told)
{
    for (const json& cell : told["cells"])
        addShare(record,
                 {.part = cell["head"].is_string() ? cell["head"].get<std::string>()
                                                   : "L" + std::to_string(cell["layer"].get<int>()),
                  .position = cell["position"].is_number() ? cell["position"].get<int>() : -1,
                  .measure = {}},
                 cell);
    for (const char* run : {"clean", "corrupt"})
        record.values.push_back({.part = run, .measure = "logit difference", .value = numberOf(told[run])});
    if (told["positions"] == "each")
        addTokens(record, told);
}

void addEdges(AnalysisRecord& record, const json& told)
{
    for (const json& edge : told["edges"]) {
        AnalysisValue value{.part = edge["sender"].get<std::string>(),
                            .receiver = edge["receiver"].get<std::string>(),
                            .measure = "change of the logit difference",
                            .value = numberOf(edge["effect"])};
        setInterval(value, edge, "interval");
        addShare(record, value, edge);
        record.values.push_back(std::move(value));
    }
}

void addKnockout(AnalysisRecord& record, const json& told)
{
    for (const json& window : told["windows"])
        record.values.push_back({.part = "L" + window["first"].dump() + "-" + window["last"].dump(),
                                 .measure = "logit difference",
                                 .value = numberOf(window["value"])});
    record.values.push_back({.part = "none", .measure = "logit difference", .value = numberOf(told["difference"])});
    record.summary = "logit of \"" + told["answer"].get<std::string>() + "\" less that of \""
                     + told["distractor"].get<std::string>() + "\"";
}

// Of one head named as the window names them, of several with the head before it.
void addStoredDirections(AnalysisRecord& record, const json& directions)
{
    const bool several =
        std::ranges::any_of(directions, [&](const json& one) { return one["head"] != directions.front()["head"]; });
    std::map<std::string, int> ranks;
    for (const json& one : directions) {
        const std::string part =
            (several ? one["head"].get<std::string>() + "." : "") + (one["matrix"] == "ov" ? "OV" : "QK");
        const int rank = ranks[part]++;
        record.values.push_back(
            {.part = part, .position = rank, .measure = "singular value", .value = numberOf(one["value"])});
        for (const auto& [measure, ends] : {std::pair("reads", &one["read"]), std::pair("writes", &one["write"])})
            for (const json& end : *ends)
                record.values.push_back({.part = part,
                                         .position = rank,
                                         .measure = measure,
                                         .value = numberOf(end["value"]),
                                         .words = end["token"].get<std::string>()});
    }
}

void addWeights(AnalysisRecord& record, const json& told)
{
    for (const json& head : told["heads"])
        record.values.push_back(
            {.part = head["head"].get<std::string>(), .measure = "copying", .value = numberOf(head["copying"])});
    std::vector<json> pairs(told["composition"].begin(), told["composition"].end());
    std::ranges::stable_sort(pairs, std::greater(), [](const json& pair) { return numberOf(pair["value"]); });
    pairs.resize(std::min(pairs.size(), kMostPairs));
    for (const json& pair : pairs)
        record.values.push_back(
            {.part = pair["sender"].get<std::string>(),
             .receiver = pair["receiver"].get<std::string>() + "." + pair["kind"].get<std::string>(),
             .measure = "composition",
             .value = numberOf(pair["value"])});
    if (!pairs.empty())
        record.values.push_back(
            {.part = "random matrices", .measure = "composition", .value = numberOf(pairs.front()["baseline"])});
    addStoredDirections(record, told["directions"]);
    record.source = "weights";
    record.summary = std::to_string(told["heads"].size()) + " heads.";
}

void addProbes(AnalysisRecord& record, const json& told)
{
    for (const json& head : told["heads"])
        for (const auto& [method, score] : head["scores"].items())
            record.values.push_back(
                {.part = head["head"].get<std::string>(), .measure = method, .value = numberOf(score)});
    record.source = "random tokens, twice";
    record.summary = std::to_string(told["heads"].size()) + " heads.";
}

/// The parts with the largest numbers of a measure.
std::string strongest(const AnalysisRecord& record, const std::string& measure)
{
    std::vector<const AnalysisValue*> values;
    for (const AnalysisValue& value : record.values)
        if (value.measure == measure && std::isfinite(value.value) && value.part != "sum")
            values.push_back(&value);
    std::ranges::stable_sort(values, std::greater(), [](const AnalysisValue* value) { return std::abs(value->value); });
    std::string names;
    for (std::size_t i = 0; i < std::min(values.size(), kSummed); ++i)
        names += (i ? ", " : "") + values[i]->part + (values[i]->receiver.empty() ? "" : " > " + values[i]->receiver)
                 + (values[i]->position < 0 ? "" : " at token " + std::to_string(values[i]->position)) + " "
                 + signedNumber(values[i]->value);
    return names;
}

AnalysisRecord analysisRecord(const std::string& kind, const std::string& question, const json& told,
                              const Analysed& analysed)
{
    AnalysisRecord record{.key = {.modelHash = analysed.open.subject.model.hash,
                                  .kind = kind,
                                  .dtype = analysed.open.subject.dtype,
                                  .device = analysed.open.subject.device,
                                  .ablation = kind == "weights" ? std::string() : analysed.set.canonical(),
                                  .questionJson = question},
                          .source = told.value("source", std::string()),
                          .summary = {}};
    if (const int count = told.value("n", 1); count > 1) {
        const auto sample = parseSampleSource(record.source);
        record.source = (sample ? sample->task : record.source) + ", " + std::to_string(count)
                        + (told.contains("direction") ? " pairs" : " prompts");
    }
    if (kind == "lens")
        addLens(record, told);
    else if (kind == "attribution")
        addParts(record, told);
    else if (kind == "patching")
        addPatches(record, told);
    else if (kind == "edges")
        addEdges(record, told);
    else if (kind == "knockout")
        addKnockout(record, told);
    else if (kind == "weights")
        addWeights(record, told);
    else
        addProbes(record, told);
    addPairs(record, told);
    if (record.summary.empty())
        record.summary = "Largest: " + strongest(record, kind == "attribution" ? "adds" : "share") + ".";
    return record;
}

} // namespace

Result<void> keepAnalysis(const std::string& kind, const std::string& question, const json& told, Analysed& analysed)
{
    if (!analysed.open.session)
        return {};
    if (const auto stored = analysed.open.remember(analysed.set); !stored.has_value())
        return stored;
    return sessions::putAnalysis(*analysed.open.session, analysisRecord(kind, question, told, analysed));
}

} // namespace headscope::cli

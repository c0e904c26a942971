// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/analysisrecords.h"

#include "app/present/edgepresenters.h"
#include "app/present/headspans.h"
#include "app/present/patchpresenters.h"
#include "app/present/weightpresenters.h"
#include "app/present/whypresenters.h"
#include "app/state/modelheads.h"
#include "core/base/samplesource.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

namespace headscope::gui {

using nlohmann::json;
using sessions::AnalysisRecord;
using sessions::AnalysisValue;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

AnalysisRecord recordOf(const char* kind, const app::ModelSummary& model,
                        const interventions::InterventionSet& ablation, const std::string& question)
{
    return {.key = {.modelHash = model.hash,
                    .kind = kind,
                    .dtype = model.dtype,
                    .device = model.device.substr(0, model.device.find(':')),
                    .ablation = ablation.canonical(),
                    .questionJson = question}};
}

std::string sourceOf(const app::Prompt& prompt)
{
    return prompt.task.empty() ? "text" : sampleSource(prompt.task, prompt.sample);
}

AnalysisValue valueOf(std::string part, const char* measure, const analysis::Mean& mean)
{
    return {.part = std::move(part),
            .measure = measure,
            .value = mean.value,
            .low = mean.interval ? mean.interval->low : kNaN,
            .high = mean.interval ? mean.interval->high : kNaN};
}

// The prompt's tokens, for figures that have no model to ask.
void addTokens(AnalysisRecord& record, const std::vector<std::string>& tokens)
{
    for (std::size_t i = 0; i < tokens.size(); ++i)
        record.values.push_back(
            {.part = "prompt", .position = static_cast<int>(i), .measure = "token", .value = kNaN, .words = tokens[i]});
}

// Both prompts of each pair and the tokens whose logits are compared, for exports and captions.
void addPairs(AnalysisRecord& record, const app::PairsTold& told)
{
    for (std::size_t i = 0; i < told.named.size(); ++i) {
        const app::NamedPair& pair = told.named[i];
        for (const auto& [part, words] : {std::pair("clean", &pair.clean), std::pair("corrupt", &pair.corrupt),
                                          std::pair("answer", &pair.answer), std::pair("distractor", &pair.distractor)})
            record.values.push_back(
                {.part = part, .position = static_cast<int>(i), .measure = "pair", .value = kNaN, .words = *words});
    }
}

} // namespace

AnalysisRecord analysisRecord(const app::LensReply& reply, const app::ModelSummary& model, const app::Prompt& prompt)
{
    AnalysisRecord record = recordOf("lens", model, reply.ablation, reply.identity);
    record.source = sourceOf(prompt);
    record.summary = lensSentence(reply).toStdString();
    const std::size_t tokens = reply.tokens.size();
    for (std::size_t i = 0; i < reply.points.size(); ++i) {
        const app::LensPoint& point = reply.points[i];
        const std::string layer = "L" + std::to_string(i / tokens);
        const int position = static_cast<int>(i % tokens);
        record.values.push_back({.part = layer,
                                 .position = position,
                                 .measure = "probability",
                                 .value = point.probability,
                                 .words = point.token});
        record.values.push_back(
            {.part = layer, .position = position, .measure = "rank of the followed", .value = double(point.rank)});
    }
    addTokens(record, reply.tokens);
    return record;
}

AnalysisRecord analysisRecord(const app::DirectReply& reply, const app::ModelSummary& model, const app::Prompt& prompt)
{
    AnalysisRecord record = recordOf("attribution", model, reply.ablation, reply.identity);
    record.source = sourceOf(prompt);
    record.summary = partSentence(reply).toStdString();
    for (const app::DirectValue& value : reply.values)
        record.values.push_back(valueOf(value.name, "adds", value.mean));
    record.values.push_back(valueOf("sum", "adds", reply.difference));
    return record;
}

AnalysisRecord analysisRecord(const app::PatchReply& reply, const app::ModelSummary& model)
{
    AnalysisRecord record = recordOf("patching", model, reply.question.of.state.ablation, reply.identity);
    record.source = sourceOf(reply.question.of.prompt) + ", " + std::to_string(reply.over.pairs) + " pairs";
    record.summary = patchSentence(reply, model).toStdString();
    for (const app::PatchedCell& cell : reply.cells) {
        const std::string part =
            cell.head.head >= 0 ? headName(model, cell.head) : "L" + std::to_string(cell.head.layer);
        AnalysisValue value = valueOf(part, "share", cell.share);
        value.position = cell.position;
        record.values.push_back(std::move(value));
    }
    record.values.push_back({.part = "clean", .measure = "logit difference", .value = reply.over.clean});
    record.values.push_back({.part = "corrupt", .measure = "logit difference", .value = reply.over.corrupt});
    addPairs(record, reply.over);
    if (reply.question.part != app::PatchedPart::Heads)
        addTokens(record, reply.question.of.noise ? reply.over.tokens : reply.over.otherTokens); // the patched run's
    return record;
}

AnalysisRecord analysisRecord(const app::EdgeReply& reply, const app::ModelSummary& model)
{
    AnalysisRecord record = recordOf("edges", model, reply.question.of.state.ablation, reply.identity);
    record.source = sourceOf(reply.question.of.prompt) + ", " + std::to_string(reply.over.pairs) + " pairs";
    record.summary = edgeSentence(reply).toStdString();
    addPairs(record, reply.over);
    for (const app::FoundEdge& edge : reply.edges)
        for (const auto& [measure, mean] :
             {std::pair("share", &edge.share), std::pair("change of the logit difference", &edge.change)}) {
            AnalysisValue value = valueOf(edge.fromName, measure, *mean);
            value.receiver = edge.reads.empty() ? edge.toName : edge.toName + "." + edge.reads;
            record.values.push_back(std::move(value));
        }
    return record;
}

AnalysisRecord analysisRecord(const app::SweepReply& reply, const app::ModelSummary& model)
{
    const app::SweepQuestion& asked = reply.question;
    AnalysisRecord record = recordOf("knockout", model, asked.of.state.ablation, reply.identity);
    record.source = sourceOf(asked.of.prompt);
    record.summary = "logit of \"" + reply.answer + "\" less that of \"" + reply.distractor + "\"";
    for (const app::SweepWindow& window : reply.windows)
        record.values.push_back({.part = "L" + std::to_string(window.first) + "-" + std::to_string(window.last),
                                 .measure = "logit difference",
                                 .value = window.difference});
    record.values.push_back({.part = "none", .measure = "logit difference", .value = reply.difference});
    return record;
}

AnalysisRecord analysisRecord(const app::WeightsReply& reply, const app::ModelSummary& model)
{
    AnalysisRecord record = recordOf("weights", model, {}, reply.identity);
    record.source = "weights";
    record.summary = weightsSentence(reply, model).toStdString();
    for (const app::HeadValue& head : reply.copying)
        record.values.push_back({.part = headName(model, head.head), .measure = "copying", .value = head.value});
    for (const app::ComposedHeads& pair : reply.composed)
        record.values.push_back({.part = pair.sender,
                                 .receiver = pair.receiver + "." + pair.through,
                                 .measure = "composition",
                                 .value = pair.value});
    record.values.push_back({.part = "random matrices", .measure = "composition", .value = reply.random});
    std::map<std::string, int> ranks;
    for (const app::HeadDirection& one : reply.directions) {
        const int rank = ranks[one.matrix]++;
        record.values.push_back(
            {.part = one.matrix, .position = rank, .measure = "singular value", .value = one.value});
        for (const auto& [measure, ends] : {std::pair("reads", &one.read), std::pair("writes", &one.write)})
            for (const auto& [token, product] : *ends)
                record.values.push_back(
                    {.part = one.matrix, .position = rank, .measure = measure, .value = product, .words = token});
    }
    return record;
}

AnalysisRecord analysisRecord(const app::ProbeReply& reply, const app::ModelSummary& model)
{
    AnalysisRecord record = recordOf("probe", model, reply.question.state.ablation, reply.identity);
    record.source = "random tokens, twice";
    const QStringList methods = probeMethods(reply);
    record.summary = std::to_string(reply.heads.size()) + " heads";
    for (const app::ProbedHead& head : reply.heads)
        for (const QString& method : methods)
            record.values.push_back(
                {.part = head.name, .measure = method.toStdString(), .value = probeScore(head, method)});
    return record;
}

std::shared_ptr<const app::ProbeReply> probeReply(const AnalysisRecord& record, const app::ModelSummary& model,
                                                  Side side)
{
    const json question = json::parse(record.key.questionJson, nullptr, false);
    const auto set = interventions::InterventionSet::parse(record.key.ablation);
    if (record.key.kind != "probe" || !question.is_object() || !set.has_value())
        return nullptr;
    const auto number = [&question](const char* field) {
        const auto found = question.find(field);
        return found != question.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
    };
    auto reply = std::make_shared<app::ProbeReply>();
    reply->question = {.state = {side, *set}, .seed = static_cast<std::uint64_t>(number("seed"))};
    if (const auto task = question.find("task"); task != question.end() && task->is_string())
        reply->question.task = task->get<std::string>();
    reply->modelHash = model.hash;
    reply->sequences = static_cast<int>(number("sequences"));
    reply->repeat = static_cast<int>(number("repeat"));
    reply->rows = static_cast<int>(number("rows"));
    for (const AnalysisValue& value : record.values) {
        if (reply->heads.empty() || reply->heads.back().name != value.part) {
            const auto head = interventions::parseHead(value.part);
            const app::MixerSummary* mixer = head.has_value() ? mixerOf(model, *head) : nullptr;
            if (!mixer || head->head < 0 || head->head >= mixer->heads)
                return nullptr;
            reply->heads.push_back({.head = {.head = siteNamed(model, *head), .attention = mixer->attention},
                                    .name = value.part,
                                    .induction = kNaN,
                                    .previous = kNaN,
                                    .duplicate = kNaN,
                                    .sink = kNaN,
                                    .retrieval = kNaN});
        }
        app::ProbedHead& head = reply->heads.back();
        (value.measure == "induction"   ? head.induction
         : value.measure == "previous"  ? head.previous
         : value.measure == "duplicate" ? head.duplicate
         : value.measure == "sink"      ? head.sink
                                        : head.retrieval) = value.value;
    }
    return reply->heads.empty() ? nullptr : reply;
}

} // namespace headscope::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/why/storedprobes.h"

#include "app/present/heads/headspans.h"
#include "app/state/modelheads.h"

#include <nlohmann/json.hpp>

#include <limits>

namespace headscope::gui {

using nlohmann::json;
using sessions::AnalysisRecord;
using sessions::AnalysisValue;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

} // namespace

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

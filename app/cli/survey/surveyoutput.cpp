// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/survey/surveyoutput.h"

#include "app/cli/files/texttable.h"
#include "core/survey/metric.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::cli {

using nlohmann::json;

namespace {

const sessions::SurveyValue* valueOf(const sessions::SurveyHead& head, std::string_view metric)
{
    const auto found = std::find_if(head.values.begin(), head.values.end(),
                                    [metric](const sessions::SurveyValue& one) { return one.metric == metric; });
    return found == head.values.end() ? nullptr : &*found;
}

json valuesOf(const sessions::SurveyValue& value)
{
    return {{"n", value.n},     {"mean", value.mean}, {"deviation", value.deviation},
            {"q05", value.q05}, {"q25", value.q25},   {"median", value.median},
            {"q75", value.q75}, {"q95", value.q95},   {"largest", value.largest}};
}

json placeOf(const sessions::SurveyPlace& place, const sessions::SurveyText& text)
{
    json reads = json::array();
    for (const auto& [token, share] : place.reads)
        reads.push_back(
            {{"position", token}, {"token", text.tokens[static_cast<std::size_t>(token)]}, {"share", share}});
    return {{"head", place.head},
            {"metric", place.metric},
            {"value", place.value},
            {"text", place.text},
            {"source", text.source},
            {"position", place.position},
            {"token", text.tokens[static_cast<std::size_t>(place.position)]},
            {"reads", reads}};
}

json factsJson(const app::HeadFacts& facts)
{
    json costs = json::array(), losses = json::array(), frequent = json::array();
    const auto end = [](bool known, double value) { return known ? json(value) : json(); };
    for (const app::HeadCost& cost : facts.costs)
        costs.push_back({{"task", cost.task},
                         {"loss", cost.loss},
                         {"low", end(cost.interval.known(), cost.interval.low)},
                         {"high", end(cost.interval.known(), cost.interval.high)},
                         {"odds", cost.odds},
                         {"n", cost.n}});
    for (const app::GroupLoss& group : facts.losses) {
        const analysis::Interval interval = group.interval.value_or(analysis::Interval());
        losses.push_back({{"tokens", group.tokens},
                          {"n", group.n},
                          {"loss", group.before},
                          {"change", group.change},
                          {"low", end(interval.known(), interval.low)},
                          {"high", end(interval.known(), interval.high)}});
    }
    for (const auto& [token, value] : facts.frequent)
        frequent.push_back({{"token", token}, {"logit", value}});
    json probes = json::object();
    for (const auto& [name, value] : facts.probes)
        probes[name] = value;
    return {{"copying", facts.copying ? json(*facts.copying) : json()},
            {"probes", probes},
            {"label", facts.label},
            {"frequent", frequent},
            {"costs", costs},
            {"losses", losses}};
}

// Costs stand below the metrics of their head, with what they are the mean of.
void addCosts(std::vector<std::vector<std::string>>& table, const app::HeadFacts& facts)
{
    const auto cell = [](double value) { return json(value).dump(); };
    const auto row = [&](const std::string& name, std::int64_t n, double value) {
        table.push_back({facts.head, name, std::to_string(n), cell(value)});
        table.back().resize(table.front().size());
    };
    if (facts.copying)
        row("copying", 1, *facts.copying);
    for (const app::HeadCost& cost : facts.costs) {
        row("cost_" + app::columnName(cost.task), cost.n, cost.loss);
        row("odds_" + app::columnName(cost.task), cost.n, cost.odds);
    }
    for (const app::GroupLoss& group : facts.losses)
        row(group.tokens == "all" ? std::string("loss") : "loss_" + group.tokens, group.n, group.change);
}

} // namespace

json surveyJson(const sessions::StoredSurvey& survey, const app::FactSheet* facts)
{
    json heads = json::array(), top = json::array(), ordinary = json::array(), texts = json::array();
    for (const sessions::SurveyHead& head : survey.heads) {
        json metrics = json::object();
        for (const sessions::SurveyValue& value : head.values)
            metrics[value.metric] = valuesOf(value);
        heads.push_back({{"head", head.head}, {"metrics", metrics}, {"profile", head.profile}});
        if (const app::HeadFacts* known = facts ? facts->find(head.head) : nullptr)
            heads.back()["facts"] = factsJson(*known);
    }
    for (const sessions::SurveyPlace& place : survey.places)
        (place.ordinary ? ordinary : top).push_back(placeOf(place, survey.texts[static_cast<std::size_t>(place.text)]));
    for (const sessions::SurveyText& text : survey.texts)
        texts.push_back({{"source", text.source}, {"tokens", text.tokens}});
    return {{"texts", survey.record.source},
            {"tokens", survey.record.tokens},
            {"finished", survey.record.finished},
            {"heads", heads},
            {"top", top},
            {"ordinary", ordinary},
            {"windows", texts}};
}

std::string surveyTable(const std::vector<std::string>& heads, const std::vector<app::HeadColumn>& columns,
                        std::size_t most)
{
    std::vector<std::vector<std::string>> rows = {{"head"}};
    for (const app::HeadColumn& column : columns)
        rows.front().push_back(column.name);
    for (std::size_t i = 0; i < std::min(heads.size(), most); ++i) {
        std::vector<std::string> row = {heads[i]};
        for (const app::HeadColumn& column : columns)
            row.push_back(std::isnan(column.values[i]) ? "-" : number(column.values[i]));
        rows.push_back(std::move(row));
    }
    return textTable(rows);
}

AnalysisResult surveyFiles(const sessions::StoredSurvey& survey, const app::FactSheet* facts,
                           const std::string& provenance)
{
    AnalysisResult result{
        .table = {{"head", "metric", "n", "mean", "deviation", "q05", "q25", "median", "q75", "q95", "largest"}},
        .tensors = {},
        .provenance = provenance};
    const auto cell = [](double value) { return json(value).dump(); }; // every digit
    for (const sessions::SurveyHead& head : survey.heads) {
        for (const sessions::SurveyValue& value : head.values)
            result.table.push_back({head.head, value.metric, std::to_string(value.n), cell(value.mean),
                                    cell(value.deviation), cell(value.q05), cell(value.q25), cell(value.median),
                                    cell(value.q75), cell(value.q95), cell(value.largest)});
        if (const app::HeadFacts* known = facts ? facts->find(head.head) : nullptr)
            addCosts(result.table, *known);
    }
    const auto count = static_cast<std::int64_t>(survey.heads.size());
    for (const char* metric : survey::kMetricNames) {
        NamedTensor mean{"survey." + std::string(metric) + ".mean", {count}, {}},
            deviation{"survey." + std::string(metric) + ".deviation", {count}, {}};
        for (const sessions::SurveyHead& head : survey.heads) {
            const sessions::SurveyValue* value = valueOf(head, metric);
            const double none = std::numeric_limits<double>::quiet_NaN();
            mean.values.push_back(static_cast<float>(value ? value->mean : none));
            deviation.values.push_back(static_cast<float>(value ? value->deviation : none));
        }
        result.tensors.push_back(std::move(mean));
        result.tensors.push_back(std::move(deviation));
    }
    NamedTensor profile{"survey.profile", {count, 0}, {}};
    for (const sessions::SurveyHead& head : survey.heads) {
        profile.shape[1] = static_cast<std::int64_t>(head.profile.size());
        profile.values.insert(profile.values.end(), head.profile.begin(), head.profile.end());
    }
    result.tensors.push_back(std::move(profile));
    return result;
}

} // namespace headscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/survey/surveyfiles.h"

#include "app/cli/files/texttable.h"
#include "core/survey/metric.h"

#include <algorithm>
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

} // namespace

json surveyJson(const sessions::StoredSurvey& survey)
{
    json heads = json::array(), top = json::array(), ordinary = json::array(), texts = json::array();
    for (const sessions::SurveyHead& head : survey.heads) {
        json metrics = json::object();
        for (const sessions::SurveyValue& value : head.values)
            metrics[value.metric] = valuesOf(value);
        heads.push_back({{"head", head.head}, {"metrics", metrics}, {"profile", head.profile}});
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

std::string surveyTable(const sessions::StoredSurvey& survey, std::size_t heads)
{
    std::vector<std::vector<std::string>> rows = {{"head"}};
    rows.front().insert(rows.front().end(), survey::kMetricNames.begin(), survey::kMetricNames.end());
    for (const sessions::SurveyHead& head : survey.heads) {
        if (rows.size() > heads)
            break;
        std::vector<std::string> row = {head.head};
        for (const char* metric : survey::kMetricNames) {
            const sessions::SurveyValue* value = valueOf(head, metric);
            row.push_back(value ? number(value->mean) : "-");
        }
        rows.push_back(std::move(row));
    }
    return textTable(rows);
}

AnalysisResult surveyFiles(const sessions::StoredSurvey& survey, const std::string& provenance)
{
    AnalysisResult result{
        .table = {{"head", "metric", "n", "mean", "deviation", "q05", "q25", "median", "q75", "q95", "largest"}},
        .tensors = {},
        .provenance = provenance};
    const auto cell = [](double value) { return json(value).dump(); }; // every digit
    for (const sessions::SurveyHead& head : survey.heads)
        for (const sessions::SurveyValue& value : head.values)
            result.table.push_back({head.head, value.metric, std::to_string(value.n), cell(value.mean),
                                    cell(value.deviation), cell(value.q05), cell(value.q25), cell(value.median),
                                    cell(value.q75), cell(value.q95), cell(value.largest)});
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

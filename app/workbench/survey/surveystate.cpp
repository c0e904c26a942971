// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/survey/surveystate.h"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace headscope::app {

namespace {

using nlohmann::json;

json toJson(const survey::WindowCounts& counts)
{
    return {{"windows", counts.windows},
            {"tokens", counts.tokens},
            {"unknown", counts.unknown},
            {"left_out", counts.leftOut},
            {"shorter", counts.shorter},
            {"gathers", counts.gathers},
            {"aggregates", counts.aggregates},
            {"gather_chance", {counts.gatherChance.closed, counts.gatherChance.open}},
            {"aggregate_chance", {counts.aggregateChance.closed, counts.aggregateChance.open}}};
}

std::optional<survey::WindowCounts> countsOf(const json& value)
{
    survey::WindowCounts counts;
    for (const auto& [key, target] : {std::pair("windows", &counts.windows), std::pair("tokens", &counts.tokens),
                                      std::pair("unknown", &counts.unknown), std::pair("left_out", &counts.leftOut),
                                      std::pair("shorter", &counts.shorter), std::pair("gathers", &counts.gathers),
                                      std::pair("aggregates", &counts.aggregates)}) {
        if (!value.is_object() || !value.contains(key) || !value[key].is_number_integer()
            || value[key].get<std::int64_t>() < 0)
            return std::nullopt;
        *target = value[key].get<std::int64_t>();
    }
    for (const auto& [key, target] :
         {std::pair("gather_chance", &counts.gatherChance), std::pair("aggregate_chance", &counts.aggregateChance)}) {
        const json sum = value.value(key, json());
        const bool both = sum.is_array() && sum.size() == 2 && sum[0].is_number() && sum[1].is_number();
        if (!both && !sum.is_number()) // before, sums were not kept by block
            return std::nullopt;
        *target = both ? survey::BlockSum{sum[0].get<double>(), sum[1].get<double>()}
                       : survey::BlockSum{sum.get<double>(), 0};
    }
    return counts;
}

} // namespace

std::string stateText(const survey::SurveyState& state)
{
    return json({{"piece", state.block.piece},
                 {"window", state.block.window},
                 {"read", toJson(state.block.counts)},
                 {"batches", state.batches},
                 {"measured", toJson(state.measured)}})
        .dump();
}

Result<survey::SurveyState> surveyStateOf(const std::string& text)
{
    const json value = json::parse(text, nullptr, false);
    survey::SurveyState state;
    const auto number = [&value](const char* key, std::uint64_t& target) {
        const bool good = value.is_object() && value.contains(key) && value[key].is_number_unsigned();
        target = good ? value[key].get<std::uint64_t>() : 0;
        return good;
    };
    bool good = number("piece", state.block.piece) && number("window", state.block.window)
                && number("batches", state.batches) && value.contains("read") && value.contains("measured");
    for (const auto& [key, target] : {std::pair("read", &state.block.counts), std::pair("measured", &state.measured)}) {
        const auto counts = good ? countsOf(value[key]) : std::nullopt;
        good = counts.has_value();
        *target = counts.value_or(survey::WindowCounts());
    }
    if (!good)
        return inputError("How far the stored survey is cannot be read; expected what this version writes.");
    return state;
}

std::string blockText(const survey::SurveyedBlock& block)
{
    json sizes = json::array();
    std::string heads;
    for (const survey::HeadSurvey& head : block.heads) {
        const std::string packed = head.pack();
        sizes.push_back(packed.size());
        heads += packed;
    }
    return json({{"measured", toJson(block.measured)}, {"heads", sizes}}).dump() + '\n' + heads;
}

Result<survey::SurveyedBlock> blockOf(std::string_view text, survey::PlaceCounts places)
{
    const Error unreadable =
        inputError("A stored block of a survey cannot be read; expected what this version writes.");
    const std::size_t line = text.find('\n');
    const json front = json::parse(text.substr(0, line), nullptr, false);
    if (line == std::string_view::npos || !front.is_object() || !front.contains("measured")
        || !front.value("heads", json()).is_array())
        return unreadable;
    const auto measured = countsOf(front["measured"]);
    if (!measured)
        return unreadable;
    survey::SurveyedBlock block{{}, *measured};
    std::string_view rest = text.substr(line + 1);
    for (const json& size : front["heads"]) {
        if (!size.is_number_unsigned() || size.get<std::size_t>() > rest.size())
            return unreadable;
        auto head = survey::HeadSurvey::unpack(rest.substr(0, size.get<std::size_t>()), places);
        if (!head.has_value())
            return head.error();
        block.heads.push_back(std::move(*head));
        rest.remove_prefix(size.get<std::size_t>());
    }
    return rest.empty() ? Result<survey::SurveyedBlock>(std::move(block)) : Result<survey::SurveyedBlock>(unreadable);
}

} // namespace headscope::app

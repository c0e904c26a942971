// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/heads/headcolumns.h"

#include "core/base/csv.h"
#include "core/base/printable.h"
#include "core/base/words/latex.h"
#include "core/survey/metric.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

namespace headscope::app {

namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

HeadColumn meansOf(const sessions::StoredSurvey& survey, const char* metric)
{
    HeadColumn column{metric, {}};
    for (const sessions::SurveyHead& head : survey.heads) {
        const auto found = std::ranges::find(head.values, metric, &sessions::SurveyValue::metric);
        column.values.push_back(found == head.values.end() ? kNoValue : found->mean);
    }
    return column;
}

// Lists of heads are mostly in one order: what is not where it is looked for first is searched.
template <typename List, typename Name>
auto findNear(const List& list, std::size_t place, const std::string& head, Name name)
{
    const auto near = place < list.size() ? list.begin() + static_cast<std::ptrdiff_t>(place) : list.end();
    return near != list.end() && std::invoke(name, *near) == head ? near : std::ranges::find(list, head, name);
}

HeadColumn columnOf(const sessions::StoredSurvey& survey, const FactSheet& facts, const std::string& name,
                    const std::function<std::optional<double>(const HeadFacts&)>& value)
{
    HeadColumn column{name, {}};
    for (std::size_t i = 0; i < survey.heads.size(); ++i) {
        const auto known = findNear(facts.heads, i, survey.heads[i].head, &HeadFacts::head);
        column.values.push_back(known == facts.heads.end() ? kNoValue : value(*known).value_or(kNoValue));
    }
    return column;
}

// What is in a list of facts under a name.
template <typename T>
std::optional<double> valueIn(const std::vector<T>& list, std::string T::*name, const std::string& wanted,
                              double T::*value)
{
    const auto found = std::ranges::find(list, wanted, name);
    return found == list.end() ? std::nullopt : std::optional(*found.*value);
}

template <typename T>
std::vector<std::string> namesOf(const FactSheet& facts, std::vector<T> HeadFacts::*list, std::string T::*name)
{
    std::vector<std::string> names;
    for (const HeadFacts& head : facts.heads)
        for (const T& one : head.*list)
            if (std::ranges::find(names, one.*name) == names.end())
                names.push_back(one.*name);
    return names;
}

// A number by a printf format of one double.
std::string formatted(const char* format, double value)
{
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

} // namespace

// "$7.9\\cdot10^{-5}$"
std::string latexNumber(double value)
{
    const std::string digits = formatted("%.3g", value);
    const std::size_t power = digits.find('e');
    return power == std::string::npos ? "$" + digits + "$"
                                      : "$" + digits.substr(0, power) + "\\cdot10^{"
                                            + std::to_string(std::stoi(digits.substr(power + 1))) + "}$";
}

std::string columnName(const std::string& text)
{
    std::string name;
    for (const char c : text)
        name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
}

HeadColumn headColumn(const sessions::StoredSurvey& survey, const std::string& name,
                      const std::vector<std::pair<std::string, double>>& values)
{
    HeadColumn column{name, {}};
    for (std::size_t i = 0; i < survey.heads.size(); ++i) {
        const auto found = findNear(values, i, survey.heads[i].head, &std::pair<std::string, double>::first);
        column.values.push_back(found == values.end() ? kNoValue : found->second);
    }
    return column;
}

std::vector<HeadColumn> headColumns(const sessions::StoredSurvey& survey, const FactSheet* facts)
{
    std::vector<HeadColumn> columns;
    for (const char* metric : survey::kMetricNames)
        columns.push_back(meansOf(survey, metric));
    if (!facts)
        return columns;
    const std::size_t measured = columns.size();
    columns.push_back(columnOf(survey, *facts, "copying", [](const HeadFacts& head) { return head.copying; }));
    const auto tasks = namesOf(*facts, &HeadFacts::costs, &HeadCost::task);
    for (const std::string& task : tasks)
        for (const auto& [prefix, value] : {std::pair("cost_", &HeadCost::loss), std::pair("odds_", &HeadCost::odds)}) {
            columns.push_back(
                columnOf(survey, *facts, prefix + columnName(task), [&, member = value](const HeadFacts& head) {
                    return valueIn(head.costs, &HeadCost::task, task, member);
                }));
            if (task == tasks.front() && value == &HeadCost::loss) {
                columns.push_back(columns.back());
                columns.back().name = "cost"; // of the first, which is what people ask for
            }
        }
    for (const std::string& group : namesOf(*facts, &HeadFacts::losses, &GroupLoss::tokens))
        columns.push_back(columnOf(survey, *facts, group == "all" ? std::string("loss") : "loss_" + group,
                                   [&](const HeadFacts& head) {
                                       return valueIn(head.losses, &GroupLoss::tokens, group, &GroupLoss::change);
                                   }));
    const auto known = [](const HeadColumn& column) {
        return std::ranges::any_of(column.values, [](double value) { return !std::isnan(value); });
    };
    columns.erase(std::remove_if(columns.begin() + static_cast<std::ptrdiff_t>(measured), columns.end(),
                                 [&known](const HeadColumn& column) { return !known(column); }),
                  columns.end());
    return columns;
}

std::string headCsv(const std::vector<std::string>& heads, const std::vector<HeadColumn>& columns,
                    const std::string& provenance)
{
    std::string csv = "head";
    for (const HeadColumn& column : columns)
        csv += "," + csvCell(column.name);
    csv += '\n';
    for (std::size_t i = 0; i < heads.size(); ++i) {
        csv += csvCell(heads[i]);
        for (const HeadColumn& column : columns)
            csv += "," + (std::isnan(column.values[i]) ? std::string() : formatted("%.17g", column.values[i]));
        csv += '\n';
    }
    return csv + "# " + csvCell(provenance) + '\n';
}

std::string headLatex(const std::vector<std::string>& heads, const std::vector<HeadColumn>& columns,
                      const std::string& provenance)
{
    std::string tex = "% " + printable(provenance, Newlines::Escape) + "\n\\begin{tabular}{l"
                      + std::string(columns.size(), 'r') + "}\n\\toprule\nhead";
    for (const HeadColumn& column : columns)
        tex += " & " + latexText(column.name);
    tex += " \\\\\n\\midrule\n";
    for (std::size_t i = 0; i < heads.size(); ++i) {
        tex += latexText(heads[i]);
        for (const HeadColumn& column : columns)
            tex += " & " + (std::isnan(column.values[i]) ? std::string("--") : latexNumber(column.values[i]));
        tex += " \\\\\n";
    }
    return tex + "\\bottomrule\n\\end{tabular}\n";
}

} // namespace headscope::app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/own/ownstudy.h"

#include "core/base/foldernames.h"
#include "core/experiments/battery.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/own/conditions.h"
#include "core/experiments/own/expectation.h"
#include "core/experiments/own/shippedstudies.h"
#include "core/experiments/words/language.h"

#include <algorithm>
#include <cassert>

namespace headscope::experiments {

namespace {

constexpr std::size_t kFewConditions = 5; // that a finding names one by one
using Study = std::shared_ptr<const Definition>;

Result<void> measureOwnStudy(Lab& lab, Bench& bench, const Definition& study)
{
    const auto states = Conditions(lab, bench, study).states();
    if (!states.has_value())
        return states.error();
    Battery battery(lab, study.benchmarks);
    for (const State& state : *states) {
        const Row row{
            {bench.name, state.name, state.set.empty() ? "nothing" : ablationWithoutFolders(state.set.canonical())},
            state.condition->paper};
        if (const auto done = battery.add(bench, row, state.set); !done.has_value())
            return done;
    }
    return {};
}

std::vector<Column> columnsOf(const Definition& study)
{
    std::vector<Column> columns = {{"model", "model"}, {"condition", "condition"}, {"set", "what is done"}};
    const auto battery = batteryColumns(study.benchmarks);
    columns.insert(columns.end(), battery.begin(), battery.end());
    return columns;
}

/// Rows after the first that have a number, of many only the two lowest.
std::vector<const Row*> reportRows(const Table& own, const std::string& key)
{
    std::vector<const Row*> rows;
    for (std::size_t i = 1; i < own.rows.size(); ++i)
        if (own.value(own.rows[i], key))
            rows.push_back(&own.rows[i]);
    if (rows.size() >= kFewConditions) {
        std::stable_sort(rows.begin(), rows.end(),
                         [&](const Row* a, const Row* b) { return *own.value(*a, key) < *own.value(*b, key); });
        rows.resize(2);
    }
    return rows;
}

std::string findingOf(const Evidence& evidence, const std::string& key)
{
    const Table& own = evidence.table();
    const Row& first = evidence.first();
    const auto whole = own.value(first, key);
    if (!whole)
        return "";
    if (evidence.carries(first, key) && !evidence.answers(first, key))
        return translated("{} is not above the floor at first ({}), so that its changes say nothing", heading(own, key),
                          translatedName(own.text(first, "condition")));
    const Unit unit = own.columns[own.column(key)].unit;
    const auto conditionText = [&](const Row& row) {
        return unit == Unit::Share ? percent(*own.value(row, key)) : shown(*own.value(row, key), unit);
    };
    std::string text = translated("{} is {} ({})", heading(own, key), conditionText(first),
                                  translatedName(own.text(first, "condition")));
    const auto rows = reportRows(own, key);
    for (const Row* row : rows)
        text += translated(row == rows.front() && rows.size() + 1 < own.rows.size() ? ", lowest {} ({})" : ", {} ({})",
                           conditionText(*row), translatedName(own.text(*row, "condition")));
    return text;
}

std::string findingOwnStudy(const Definition& study, const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Evidence evidence(table.only("model", model));
        std::string own;
        for (const std::string& key : study.benchmarks)
            if (const std::string one = findingOf(evidence, key); !one.empty())
                own += (own.empty() ? " " : "; ") + one;
        text += (text.empty() ? "" : " ") + model + ":" + (own.empty() ? " " + translated("nothing was measured") : own)
                + ".";
    }
    return text;
}

Experiment experimentOf(const Study& study)
{
    const Speaking english("en"); // whoever shows it translates it
    return {.number = study->number,
            .id = study->id,
            .title = study->title,
            .question = study->question,
            .claim = study->claim,
            .source = study->source,
            .rule = ruleOf(*study),
            .setting = study->setting,
            .scaled = study->scaled,
            .assumed = study->assumed,
            .study = study->json,
            .examples = study->examples,
            .needs = study->benchmarks,
            .models = study->models,
            .paperModels = study->paperModels,
            .columns = columnsOf(*study),
            .charts = {{study->title, "condition", study->benchmarks, {"model"}, Chart::Kind::Points}},
            .paper = study->paper,
            .run = eachModel([study](Lab& lab, Bench& bench) { return measureOwnStudy(lab, bench, *study); }),
            .finding = [study](const Table& table) { return findingOwnStudy(*study, table); },
            .judge = byModel([study](const Evidence& evidence) { return judgeExpectation(*study, evidence); })};
}

Experiment shipped(std::string_view json)
{
    auto study = readDefinition(json);
    assert(study.has_value());
    Experiment experiment = experimentOf(std::make_shared<const Definition>(std::move(*study)));
    experiment.study.clear(); // it is found by its name
    return experiment;
}

} // namespace

Result<std::shared_ptr<const Experiment>> ownStudy(std::string_view json)
{
    auto study = readDefinition(json);
    if (!study.has_value())
        return study.error();
    for (const Experiment& known : allExperiments())
        if (known.id == study->id || (!study->number.empty() && known.number == study->number))
            return inputError("The program has an experiment " + known.id
                              + (known.number.empty() ? "" : " (" + known.number + ")")
                              + " of its own; expected another id, and no number of the paper's, in the study.");
    return std::make_shared<const Experiment>(experimentOf(std::make_shared<const Definition>(std::move(*study))));
}

Experiment headsKept()
{
    return shipped(headsKeptFile());
}

Experiment individualPruning()
{
    return shipped(individualPruningFile());
}

} // namespace headscope::experiments

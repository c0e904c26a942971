// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/scores/measure.h"

#include <algorithm>

namespace headscope::app {

tasks::TaskOptions taskOptions(const Settings& settings, std::optional<double> limit, std::optional<int> fewshot)
{
    tasks::TaskOptions options;
    options.dataFolder = settings.dataFolder;
    options.wordsFolder = settings.wordsFolder;
    options.fewshot = fewshot;
    options.limit = limit;
    if (!limit && settings.examples > 0)
        options.limit = settings.examples;
    if (settings.seed != 0)
        options.seed = settings.seed;
    return options;
}

Result<std::shared_ptr<const engine::Benchmark>> makeBenchmark(const OpenModel& open, tasks::TaskSet set,
                                                               engine::Boundary boundary)
{
    const std::string task = std::filesystem::path(set.name).filename().string(); // of a task file: its name
    auto made = boundary == engine::Boundary::Harness
                    ? engine::Benchmark::make(std::move(set), *open.scorer, *open.tokenizer, open.subject.bos)
                    : engine::makeFromCommonPrefix(std::move(set), *open.scorer, *open.tokenizer, open.subject.bos);
    if (!made.has_value())
        return made;
    const auto& examples = (*made)->workload().examples();
    if (std::any_of(examples.begin(), examples.end(), [](const auto& example) { return example.rejected.empty(); }))
        return made;
    return inputError("None of the " + std::to_string(examples.size()) + " rows of '" + task
                      + "' can be scored with this model; the first: "
                      + (examples.empty() ? std::string("there is none.") : examples.front().rejected));
}

Result<engine::Rows> rowsWithInterventions(OpenModel& open, sessions::SessionStore* session,
                                           const engine::Benchmark& benchmark,
                                           const interventions::InterventionSet& set, const Control& control)
{
    engine::Rows rows = benchmark.emptyRows();
    const auto done = evaluate(session, open.subject, *open.scorer, benchmark, set, open.donors, rows, {}, control);
    return done.has_value() ? Result<engine::Rows>(std::move(rows)) : Result<engine::Rows>(done.error());
}

bool isEnough(const Settings& settings, const engine::Comparison& comparison)
{
    if (settings.stopWidth <= 0 || !comparison.anytime)
        return false;
    const engine::Anytime& now = *comparison.anytime;
    return now.p < 1 - settings.stopLevel || now.interval.high - now.interval.low < settings.stopWidth;
}

} // namespace headscope::app

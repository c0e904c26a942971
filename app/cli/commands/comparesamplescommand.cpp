// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "core/base/words/counted.h"
#include "core/tasks/import/harnessjson.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace headscope::cli {

namespace {

struct CompareSamplesArguments {
    std::string first, second;
    double tolerance = 1e-4;
};

constexpr std::size_t kFlipsShown = 10;

nlohmann::json describeCompareSamples(const tasks::SampleComparison& comparison)
{
    nlohmann::json rows = nlohmann::json::array();
    for (const tasks::SampleComparison::Row& row : comparison.rows)
        rows.push_back({{"doc_id", row.docId},
                        {"filter", row.filter},
                        {"largest_difference", row.largestDifference},
                        {"prompt_differs", row.promptDiffers},
                        {"prediction_differs", row.predictionDiffers},
                        {"text_differs", row.textDiffers},
                        {"metrics", row.metrics}});
    return {{"matched", comparison.matched},
            {"only_first", comparison.onlyFirst},
            {"only_second", comparison.onlySecond},
            {"largest_difference", comparison.largestDifference},
            {"mean_difference", comparison.meanDifference},
            {"beyond_tolerance", comparison.beyondTolerance},
            {"prompts_differ", comparison.promptsDiffer},
            {"predictions_differ", comparison.predictionsDiffer},
            {"metrics_differ", comparison.metricsDiffer},
            {"rows", rows}};
}

void printCompareSamples(const tasks::SampleComparison& comparison)
{
    printText("%s in both, %d only in the first file, %d only in the second\n",
              counted(comparison.matched, "row").c_str(), comparison.onlyFirst, comparison.onlySecond);
    printText("log-likelihoods: largest difference %.3g, mean %.3g, %s beyond the tolerance\n",
              comparison.largestDifference, comparison.meanDifference,
              counted(comparison.beyondTolerance, "row").c_str());
    printText("different: %s, %s, metrics of %s\n", counted(comparison.promptsDiffer, "prompt").c_str(),
              counted(comparison.predictionsDiffer, "prediction").c_str(),
              counted(comparison.metricsDiffer, "row").c_str());
    for (std::size_t i = 0; i < comparison.rows.size() && i < kFlipsShown; ++i) {
        const tasks::SampleComparison::Row& row = comparison.rows[i];
        printText("  doc_id %d (%s): %.3g%s%s%s%s\n", row.docId, row.filter.c_str(), row.largestDifference,
                  row.promptDiffers ? ", prompt" : "", row.predictionDiffers ? ", prediction" : "",
                  row.textDiffers ? ", text" : "", row.metrics.empty() ? "" : ", metrics");
    }
}

Result<void> compareCompareSamples(const Context& context, const CompareSamplesArguments& arguments)
{
    const Result<tasks::HarnessSamples> first = tasks::readHarnessSamples(arguments.first);
    if (!first.has_value())
        return first.error();
    const Result<tasks::HarnessSamples> second = tasks::readHarnessSamples(arguments.second);
    if (!second.has_value())
        return second.error();
    for (const tasks::HarnessSamples* samples : {&*first, &*second}) {
        for (const tasks::RowIssue& issue : samples->rejected)
            context.note("rejected " + tasks::toText(issue));
    }
    const tasks::SampleComparison comparison = tasks::compareSamples(*first, *second, arguments.tolerance);
    if (context.json)
        Context::print(describeCompareSamples(comparison));
    else
        printCompareSamples(comparison);
    if (comparison.matched == 0)
        return inputError("The two samples files have no row in common (doc_id and filter).");
    if (!comparison.rows.empty())
        return inputError(std::to_string(comparison.rows.size()) + " of " + counted(comparison.matched, "row")
                          + " differ; expected equal prompts, predictions and metrics, and log-likelihoods within "
                          + nlohmann::json(arguments.tolerance).dump() + ".");
    return {};
}

} // namespace

void addCompareSamplesCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<CompareSamplesArguments>();
    CLI::App* command =
        app.add_subcommand("compare-samples", "compare two samples files of lm-evaluation-harness, row by row");
    command->add_option("FIRST", arguments->first, "samples_<task>_<date>.jsonl, or a file written by score --samples")
        ->required();
    command->add_option("SECOND", arguments->second, "file to compare with")->required();
    option(*command, "--tolerance", arguments->tolerance)->capture_default_str();
    command->callback([&context, arguments] {
        context.run = [&context, arguments] { return compareCompareSamples(context, *arguments); };
    });
}

} // namespace headscope::cli

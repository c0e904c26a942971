// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/files/harnessfiles.h"

#include "core/base/writefile.h"

#include <cmath>
#include <cstdio>
#include <ctime>

namespace headscope::cli {

namespace {

namespace fs = std::filesystem;

// "2024-12-01T09-30-00.250000", as in the harness's file names.
std::string timeText(double secondsSinceEpoch)
{
    const auto second = static_cast<std::time_t>(secondsSinceEpoch);
    std::tm parts{};
    localtime_r(&second, &parts);
    char text[64];
    const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H-%M-%S", &parts);
    std::snprintf(text + length, sizeof text - length, ".%06d",
                  static_cast<int>((secondsSinceEpoch - std::floor(secondsSinceEpoch)) * 1e6));
    return text;
}

std::string samplesOf(const ScoredTask& scored, const tasks::LeafTask& leaf)
{
    std::string lines;
    for (const std::string& filter : tasks::filtersOf(leaf))
        for (std::size_t i = leaf.begin; i < leaf.end; ++i)
            if (const auto& judgement = scored.now.results[i].judgement)
                lines += tasks::harnessSample(scored.benchmark->set().examples[i], leaf, *scored.now.outcomes[i],
                                              *judgement, filter)
                         + "\n";
    return lines;
}

} // namespace

Result<fs::path> writeHarnessFiles(const fs::path& folder, const tasks::HarnessRun& run,
                                   std::span<const ScoredTask> scored)
{
    const std::string time = timeText(run.date);
    const fs::path place = folder / tasks::harnessFileName(run.model);
    std::error_code code;
    fs::create_directories(place, code);
    if (code)
        return ioError("The folder '" + place.string() + "' could not be created: " + code.message() + ".");

    std::vector<tasks::HarnessTask> reply;
    for (const ScoredTask& task : scored) {
        tasks::HarnessTask& entry = reply.emplace_back(&task.benchmark->set());
        for (const ComparedScore& line : task.lines)
            entry.scores.push_back(line.score);
        for (const tasks::LeafTask& leaf : entry.set->leaves)
            if (const auto written =
                    writeFile(place / ("samples_" + tasks::harnessFileName(leaf.name) + "_" + time + ".jsonl"),
                              samplesOf(task, leaf));
                !written.has_value())
                return written.error();
    }
    const fs::path results = place / ("results_" + time + ".json");
    const auto written = writeFile(results, tasks::harnessResults(run, reply));
    return written.has_value() ? Result<fs::path>(results) : written.error();
}

} // namespace headscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// lm-evaluation-harness's results and samples files: written so that its tooling reads them, and read so that a run
// here can be compared with one of the harness, row by row. Strings in and out; any thread.

#include "core/base/result.h"
#include "core/tasks/metrics.h"
#include "core/tasks/task.h"

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope::tasks {

/// Returns a model's or task's name as the harness uses it in file names: each run of characters invalid in file
/// systems becomes two underscores.
[[nodiscard]] std::string harnessFileName(const std::string& name);

/// Fields of a results file about the run, other than scores.
struct HarnessRun {
    std::string model;               ///< name or folder
    std::string modelArgs;           ///< "dtype=fp32,device=cpu"
    std::string bos;                 ///< "never", "default", "always"
    std::string logSoftmax = "fp32"; ///< or "model"
    std::string ablation;            ///< canonical text; empty: none
    double date = 0;                 ///< seconds since the epoch
    double seconds = 0;
    int batchSize = 1;
    std::optional<double> limit;
    int bootstrapResamples = 100000;
    int maxLength = 0; ///< the model's; 0: unknown
};

struct HarnessTask {
    const TaskSet* set = nullptr; ///< must outlive the call
    std::vector<Score> scores;
};

/// Returns the results file of one run over any number of task sets: results, groups, group_subtasks, configs,
/// versions, n-shot, higher_is_better, n-samples, config, and "headscope" with values for which the harness has no
/// field (extent, rejected, failed). Indented JSON.
[[nodiscard]] std::string harnessResults(const HarnessRun& run, std::span<const HarnessTask> tasks);

/// Returns one line of a samples file for one filter of the leaf ("none", "strict-match"): the harness's members, and
/// Headscope's: id (contentHash), prediction, gold, log_likelihoods. Without a line end.
[[nodiscard]] std::string harnessSample(const Example& example, const LeafTask& leaf, const Outcome& outcome,
                                        const Judgement& judgement, const std::string& filter);

/// Returns the filters of a leaf's metrics, each once, in order.
[[nodiscard]] std::vector<std::string> filtersOf(const LeafTask& leaf);

/// One row of a samples file, with the fields that can be compared.
struct HarnessSample {
    int docId = 0;
    std::string filter = "none";
    std::vector<std::string> contexts;      ///< one per request
    std::vector<std::string> continuations; ///< one per request; empty for generation
    std::vector<double> logLikelihoods;     ///< empty for generation
    std::vector<bool> greedy;
    std::string text;                      ///< generation: the raw response
    std::map<std::string, double> metrics; ///< "acc": 1
};

struct HarnessSamples {
    std::vector<HarnessSample> rows;
    std::vector<RowIssue> rejected;
};

/// Reads samples_<task>_<date>.jsonl of harness v0.4 and later, or Headscope's. Fails if the file cannot be read or no
/// line is a sample; single invalid lines are rejected by line.
[[nodiscard]] Result<HarnessSamples> readHarnessSamples(const std::filesystem::path& path);

/// Comparison of two samples files of one task, row by row.
struct SampleComparison {
    struct Row {
        int docId = 0;
        std::string filter;
        double largestDifference = 0; ///< maximum over the row's log-likelihoods; 0 for generation
        bool promptDiffers = false;   ///< a context or continuation is not byte-equal
        bool predictionDiffers = false;
        bool textDiffers = false;         ///< generation
        std::vector<std::string> metrics; ///< metrics that differ
    };
    int matched = 0; ///< rows in both
    int onlyFirst = 0;
    int onlySecond = 0;
    double largestDifference = 0;
    double meanDifference = 0; ///< mean of |difference| over all log-likelihoods
    int beyondTolerance = 0;   ///< rows
    int promptsDiffer = 0;
    int predictionsDiffer = 0;
    int metricsDiffer = 0;
    std::vector<Row> rows; ///< rows with any difference beyond the tolerance, the largest first
};

/// Compares rows with equal doc_id and filter. `tolerance` is absolute, for log-likelihoods.
[[nodiscard]] SampleComparison compareSamples(const HarnessSamples& first, const HarnessSamples& second,
                                              double tolerance);

} // namespace headscope::tasks

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// lm-evaluation-harness's results and samples files, written so that its tooling reads ours, and read so that a run of
// ours can be compared with one of its own, row by row. Strings in and out; any thread.

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

/// A model's or task's name as the harness puts it into file names: a run of characters that file systems object to
/// becomes two underscores.
[[nodiscard]] std::string harnessFileName(const std::string& name);

/// What a results file says about the run besides the numbers.
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
    int maxLength = 0; ///< the model's; 0: not known
};

struct HarnessTask {
    const TaskSet* set = nullptr; ///< must outlive the call
    std::vector<Score> scores;
};

/// The results file of one run over any number of task sets: results, groups, group_subtasks, configs, versions,
/// n-shot, higher_is_better, n-samples, config, and "headscope" with what the harness has no place for (extent,
/// rejected, failed). Indented JSON.
[[nodiscard]] std::string harnessResults(const HarnessRun& run, std::span<const HarnessTask> tasks);

/// One line of a samples file for one filter of the leaf ("none", "strict-match"): the harness's members, and ours: id
/// (contentHash), prediction, gold, log_likelihoods. Without a line end.
[[nodiscard]] std::string harnessSample(const Example& example, const LeafTask& leaf, const Outcome& outcome,
                                        const Judgement& judgement, const std::string& filter);

/// The filters a leaf's metrics name, each once, in order.
[[nodiscard]] std::vector<std::string> filtersOf(const LeafTask& leaf);

/// One row of a samples file as far as it can be compared.
struct HarnessSample {
    int docId = 0;
    std::string filter = "none";
    std::vector<std::string> contexts;      ///< one a request
    std::vector<std::string> continuations; ///< one a request; empty for generation
    std::vector<double> logLikelihoods;     ///< empty for generation
    std::vector<bool> greedy;
    std::string text;                      ///< generation: the raw response
    std::map<std::string, double> metrics; ///< "acc": 1
};

struct HarnessSamples {
    std::vector<HarnessSample> rows;
    std::vector<RowIssue> rejected;
};

/// Reads samples_<task>_<date>.jsonl of harness v0.4 and later, or ours. Fails when the file cannot be read or no line
/// is a sample; single bad lines are rejected by line.
[[nodiscard]] Result<HarnessSamples> readHarnessSamples(const std::filesystem::path& path);

/// Two samples files of one task, row by row.
struct SampleComparison {
    struct Row {
        int docId = 0;
        std::string filter;
        double largestDifference = 0; ///< of the row's log-likelihoods; 0 for generation
        bool promptDiffers = false;   ///< a context or continuation is not byte-equal
        bool predictionDiffers = false;
        bool textDiffers = false;         ///< generation
        std::vector<std::string> metrics; ///< that differ
    };
    int matched = 0; ///< rows in both
    int onlyFirst = 0;
    int onlySecond = 0;
    double largestDifference = 0;
    double meanDifference = 0; ///< of |difference| over all log-likelihoods
    int beyondTolerance = 0;   ///< rows
    int promptsDiffer = 0;
    int predictionsDiffer = 0;
    int metricsDiffer = 0;
    std::vector<Row> rows; ///< those with any difference beyond the tolerance, the largest first
};

/// Rows are joined by doc_id and filter. `tolerance` is for log-likelihoods, absolute.
[[nodiscard]] SampleComparison compareSamples(const HarnessSamples& first, const HarnessSamples& second,
                                              double tolerance);

} // namespace headscope::tasks

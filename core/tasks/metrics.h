// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From a model's raw outcomes to the numbers a benchmark reports: per row, per task, per group, each as
// lm-evaluation-harness v0.4.7 computes it (core/tasks/README.md). No model here; any thread.

#include "core/analysis/statistics.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/tasks/outcome.h"
#include "core/tasks/task.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope::tasks {

/// One row judged.
struct Judgement {
    int prediction = -1;        ///< MultipleChoice: the choice with the largest log-likelihood, the first on a tie
    bool correct = false;       ///< LogLikelihood: greedy; else the first metric's verdict
    std::vector<double> values; ///< one a metric of the leaf; Perplexity: the row's log-likelihood
    std::vector<std::string> answers; ///< Generation: what each metric's filter took out of the text
};

/// Judges the rows of one leaf task; holds its compiled patterns. Immutable after make(): any thread.
class Judge
{
public:
    /// Fails when a pattern of the leaf's metrics is not a valid regular expression.
    [[nodiscard]] static Result<Judge> make(const LeafTask& leaf);

    /// Fails for an outcome that was rejected, for a number of log-likelihoods that is not the number of continuations,
    /// and for one that is NaN or infinite: such a row is to be listed as failed, never counted as wrong.
    [[nodiscard]] Result<Judgement> judge(const Example& example, const Outcome& outcome) const;

private:
    struct Compiled;
    [[nodiscard]] Result<void> judgeText(const Example& example, const std::string& text, Judgement& judgement) const;
    std::shared_ptr<const Compiled> m_compiled;
};

/// Where a row stands: not run yet (both empty), judged, or failed with a sentence.
struct RowResult {
    std::optional<Judgement> judgement;
    std::string error;
};

/// One reported number.
struct Score {
    std::string task; ///< leaf or group
    std::string
        metric; ///< "acc", "acc_norm", "perplexity", "exact_match", "contains"; "acc_macro" for a group's plain mean
    std::string filter; ///< "none" or the filter list's name
    double value = 0;
    std::optional<double> standardError; ///< none for one row, for contains, and for groups with such a part
    std::string errorKind; ///< "mean", "bootstrap", "pooled", "mean of tasks"; empty without a standard error
    /// As lm-evaluation-harness has it, for its files. Other than standardError only for groups whose parts have too
    /// few rows to show their spread: there the harness says 0 where each part is all right or all wrong.
    std::optional<double> harnessError;
    /// 95 %: Wilson's of a proportion of rows; of a plain mean of parts those of the parts, distances added in squares
    /// (Zou and Donner 2008, Statistics in Medicine 27:1693).
    std::optional<analysis::Interval> wilson;
    double chance = 0;  ///< TaskSet::chanceOf; of a group the mean of its parts, 0 where one has none
    int n = 0;          ///< rows in the value
    int failed = 0;     ///< rows that ran into an error; not in the value
    int rejected = 0;   ///< rows of the file that the importer refused
    std::string extent; ///< "complete", "subset", "sample", "generated"
    bool group = false;
    bool higherIsBetter = true;
};

struct AggregateOptions {
    int bootstrapResamples = 100000; ///< of the perplexity's standard error; 0: none
};

/// All scores of a set from its rows, in the order: groups, then leaves, each with its metrics in order. Rows not yet
/// run are left out; a leaf without judged rows has no score, and a group is over the leaves that have one. Fails when
/// the numbers of rows differ, or when stopped.
[[nodiscard]] Result<std::vector<Score>> aggregate(const TaskSet& set, std::span<const RowResult> rows,
                                                   const AggregateOptions& options = {}, const Control& control = {});

/// sqrt(sum((x - mean)^2) / (n - 1)) / sqrt(n); none for one value.
[[nodiscard]] std::optional<double> standardErrorOfMean(std::span<const double> values);

/// Standard deviation of exp(-mean(resample)) over the harness's own resamples: CPython's random.Random(i).choices in
/// chunks of 1000. Takes resamples * n random draws (5 s for LAMBADA). none for fewer than 2 values or 0 resamples.
[[nodiscard]] Result<std::optional<double>> perplexityError(std::span<const double> logLikelihoods, int resamples,
                                                            const Control& control = {});

/// The harness's pooled_sample_stderr over parts of sizes n with standard errors se.
[[nodiscard]] double pooledError(std::span<const int> sizes, std::span<const double> errors);

} // namespace headscope::tasks

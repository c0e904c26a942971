// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From a model's raw outcomes to the numbers that a benchmark reports: per row, per task, per group, each computed as
// in lm-evaluation-harness v0.4.7 (core/tasks/README.md). No model here; any thread.

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

/// The judgement of one row.
struct Judgement {
    int prediction = -1;        ///< MultipleChoice: the choice with the largest log-likelihood, the first on a tie
    bool correct = false;       ///< LogLikelihood: greedy; otherwise the first metric's verdict
    std::vector<double> values; ///< one per metric of the leaf; Perplexity: the row's log-likelihood
    std::vector<std::string> answers; ///< Generation: the answer that each metric's filter extracted
};

/// Judges the rows of one leaf task; contains its compiled patterns. Immutable after make(): any thread.
class Judge
{
public:
    /// Compiles the patterns. Fails if a pattern of the leaf's metrics is not a valid regular expression.
    [[nodiscard]] static Result<Judge> make(const LeafTask& leaf);

    /// Judges a row. Fails for a rejected outcome, for a number of log-likelihoods that differs from the number of
    /// continuations, and for one that is NaN or infinite: list such a row as failed, never count it as wrong.
    [[nodiscard]] Result<Judgement> judge(const Example& example, const Outcome& outcome) const;

private:
    struct Compiled;
    [[nodiscard]] Result<void> judgeText(const Example& example, const std::string& text, Judgement& judgement) const;
    std::shared_ptr<const Compiled> m_compiled;
};

/// State of a row: not run yet (both empty), judged, or failed with a sentence.
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
    /// The value in lm-evaluation-harness's files. Differs from standardError only for groups whose parts have too few
    /// rows to show their spread: there the harness uses 0 if each part is all right or all wrong.
    std::optional<double> harnessError;
    /// 95 %: Wilson's for a proportion of rows; for a plain mean of parts computed from those of the parts, distances
    /// added in squares (Zou and Donner 2008, Statistics in Medicine 27:1693).
    std::optional<analysis::Interval> wilson;
    double chance = 0;  ///< TaskSet::chanceOf; for a group the mean of its parts, 0 if one has none
    int n = 0;          ///< rows in the value
    int failed = 0;     ///< rows that failed; not in the value
    int rejected = 0;   ///< rows of the file that the importer rejected
    std::string extent; ///< "complete", "subset", "sample", "generated"
    bool group = false;
    bool higherIsBetter = true;
};

struct AggregateOptions {
    int bootstrapResamples = 100000; ///< for the perplexity's standard error; 0: none
};

/// Returns all scores of a set from its rows, in the order: groups, then leaves, each with its metrics in order. Rows
/// not yet run are ignored; a leaf without judged rows has no score, and a group covers the leaves that have one. Fails
/// if the numbers of rows differ, or when stopped.
[[nodiscard]] Result<std::vector<Score>> aggregate(const TaskSet& set, std::span<const RowResult> rows,
                                                   const AggregateOptions& options = {}, const Control& control = {});

/// Returns sqrt(sum((x - mean)^2) / (n - 1)) / sqrt(n); none for one value.
[[nodiscard]] std::optional<double> standardErrorOfMean(std::span<const double> values);

/// Returns the standard deviation of exp(-mean(resample)) over the harness's own resamples: CPython's
/// random.Random(i).choices in chunks of 1000. Draws resamples * n random numbers (5 s for LAMBADA). None for fewer
/// than 2 values or 0 resamples.
[[nodiscard]] Result<std::optional<double>> perplexityError(std::span<const double> logLikelihoods, int resamples,
                                                            const Control& control = {});

/// Returns the harness's pooled_sample_stderr over parts of sizes n with standard errors se.
[[nodiscard]] double pooledError(std::span<const int> sizes, std::span<const double> errors);

} // namespace headscope::tasks

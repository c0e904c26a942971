// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Benchmark scores of states, and the examples whose answers changed. Plain values; any thread.

#include "app/backend/values/modelvalues.h"
#include "core/analysis/statistics.h"

#include <string>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;

/// One metric of one benchmark, for the baseline and the current state.
struct BenchmarkScore {
    std::string task;
    std::string metric;
    double baseline = 0;
    double now = 0;
    double delta = 0;
    double low = 0; ///< 95 % confidence interval of delta
    double high = 0;
    double p = 1;
    std::string test;
    const char* intervalKind = analysis::kPairedInterval;
    int n = 0;     ///< rows that both states have answered
    int total = 0; ///< rows of the benchmark
    int broken = 0;
    int fixed = 0;
    int failed = 0;
    double chance = 0; ///< score of guessing among the options; 0: the task offers no options
    bool hasBaseline = false;
    bool hasNow = false;
    bool final = false;   ///< all rows are scored
    bool decided = false; ///< more rows will not change the sign of delta (test valid under continuous monitoring)
    bool stopped = false; ///< rows are left out as requested, after a decided or precise enough result
    bool higherIsBetter = true;
    std::string problem;       ///< why there is no value; the other benchmarks are still scored
    std::string leaf;          ///< task that the value belongs to: the task itself, or its first part or group
    int merged = 0;            ///< rows in which the tokenizer merges context and continuation
    std::string mergedTask;    ///< task of the first such row, "arc_easy"
    int mergedRow = 0;         ///< row of that task in its file
    bool commonPrefix = false; ///< scored from the longest common prefix, unlike the reference harness
    std::string extent;        ///< "complete", "subset", "sample", "generated"

    /// Returns why the baseline cannot change in one direction.
    [[nodiscard]] analysis::Limit limit() const
    {
        return hasBaseline && higherIsBetter ? analysis::limitOf(baseline, n, chance) : analysis::Limit::None;
    }
};

struct ScoreReply {
    interventions::InterventionSet ablation;
    ModelState reference; ///< the state behind the baseline of each line
    std::vector<BenchmarkScore> lines;
    double seconds = 0;
    int examples = 0;   ///< scored in this run, from the cache or anew
    int fromLayer = 0;  ///< first layer that had to run again
    bool later = false; ///< the time limit is reached: scoring continues while the worker is idle
    bool final = false;
};

struct FlipRow {
    std::string hash;
    int sample = 0;
    std::string prompt;
    bool broken = true;
    int gold = -1;
    int before = -1;
    int after = -1;
    std::vector<std::string> choices;
    std::vector<double> logLikelihoodsBefore;
    std::vector<double> logLikelihoodsAfter;
};

/// Scores with a number of heads ablated: the first of a ranking, and equally many random heads.
struct RemovalPoint {
    int heads = 0;
    double top = 0;
    std::vector<double> random; ///< one per draw
};

struct RemovalCurveReply {
    std::string task;
    std::string metric;
    double baseline = 0;
    int examples = 0;
    int draws = 0;
    std::vector<RemovalPoint> points; ///< in ascending order of heads
    bool final = false;
};

/// Requests the scores of two states on the same rows, of one model or two. A benchmark that cannot be scored reports
/// the reason in its line.
struct ScoresRequest {
    using Reply = ScoreReply;
    ModelState now, reference;
    std::vector<std::string> tasks;
    std::string pinned{}; ///< task that is scored first and on all examples; empty: none
};
[[nodiscard]] Job<ScoreReply> jobOf(const ScoresRequest& request);

/// The same request for the points of an accuracy curve.
struct CurveRequest : ScoresRequest {
};

/// Requests the rows that are right in one of the two states and wrong in the other.
struct FlipsRequest {
    using Reply = std::vector<FlipRow>;
    ModelState now, reference;
    std::string task;
};
[[nodiscard]] Job<std::vector<FlipRow>> jobOf(const FlipsRequest& request);

/// Requests the score with the first 1, 2, 3 ... heads of `order` ablated, and with equally many random heads, drawn
/// `draws` times. Yields to all other requests between two measurements.
struct RemovalRequest {
    using Reply = RemovalCurveReply;
    Side side = Side::A;
    std::string task;
    int limit = 0; ///< examples; 0: all
    std::vector<interventions::HeadRef> order;
    int draws = 0;
    std::uint64_t seed = 0;
};
[[nodiscard]] Job<RemovalCurveReply> jobOf(const RemovalRequest& request);

} // namespace headscope::app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What states score, and which examples changed. Plain values; any thread.

#include "app/backend/values/modelvalues.h"
#include "core/analysis/statistics.h"

#include <string>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;

/// One number of one benchmark, before and now.
struct BenchmarkScore {
    std::string task;
    std::string metric;
    double baseline = 0;
    double now = 0;
    double delta = 0;
    double low = 0; ///< 95 % interval of delta
    double high = 0;
    double p = 1;
    std::string test;
    const char* intervalKind = analysis::kPairedInterval;
    int n = 0;     ///< rows that both states have
    int total = 0; ///< rows of the benchmark
    int broken = 0;
    int fixed = 0;
    int failed = 0;
    double chance = 0; ///< of guessing among the options; 0: the task offers none
    bool hasBaseline = false;
    bool hasNow = false;
    bool final = false; ///< every row is in
    bool decided =
        false; ///< whichever way it changed, more rows will not change that: a test for being watched says so
    bool stopped = false; ///< rows are left out: as asked for, it ended where it was decided or its interval narrow
    bool higherIsBetter = true;
    std::string problem;       ///< why there is no number; the other benchmarks are scored all the same
    std::string leaf;          ///< what its number is of: the task itself, or its first part or group
    int merged = 0;            ///< rows where the tokenizer merges context and continuation
    std::string mergedTask;    ///< the task of the first of them, "arc_easy"
    int mergedRow = 0;         ///< its row in the file
    bool commonPrefix = false; ///< scored from the longest common prefix, not as the reference harness does
    std::string extent;        ///< "complete", "subset", "sample", "generated"

    /// Why the baseline cannot change in one direction.
    [[nodiscard]] analysis::Limit limit() const
    {
        return hasBaseline && higherIsBetter ? analysis::limitOf(baseline, n, chance) : analysis::Limit::None;
    }
};

struct ScoreReply {
    interventions::InterventionSet ablation;
    ModelState reference; ///< what "baseline" in the lines is
    std::vector<BenchmarkScore> lines;
    double seconds = 0;
    int examples = 0;   ///< scored in this run, from the cache or anew
    int fromLayer = 0;  ///< the first layer that had to run again
    bool later = false; ///< the time for it is used up: it continues while nothing else is asked for
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

/// The score with some heads off: the first of a ranking, and as many drawn at random.
struct RemovalPoint {
    int heads = 0;
    double top = 0;
    std::vector<double> random; ///< one a draw
};

struct RemovalCurveReply {
    std::string task;
    std::string metric;
    double baseline = 0;
    int examples = 0;
    int draws = 0;
    std::vector<RemovalPoint> points; ///< in rising order
    bool final = false;
};

/// Scores of two states on the same rows, of one model or of two. A benchmark that cannot be scored says so in its
/// line.
struct ScoresRequest {
    using Reply = ScoreReply;
    ModelState now, reference;
    std::vector<std::string> tasks;
    std::string pinned{}; ///< the task that is first and run to its last example; empty: none
};
[[nodiscard]] Job<ScoreReply> jobOf(const ScoresRequest& request);

/// The same for the points of an accuracy curve.
struct CurveRequest : ScoresRequest {
};

/// The rows that are right in one of the two states and wrong in the other.
struct FlipsRequest {
    using Reply = std::vector<FlipRow>;
    ModelState now, reference;
    std::string task;
};
[[nodiscard]] Job<std::vector<FlipRow>> jobOf(const FlipsRequest& request);

/// The score while the first 1, 2, 3 ... of `order` are off, beside as many heads drawn at random, `draws` times.
/// Yields to everything else between two measurements.
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

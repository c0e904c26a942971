// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What states score, which examples changed, and what heads are worth. Plain values; any thread.

#include "app/backend/values/model.h"
#include "app/workbench/rankmethod.h"
#include "core/analysis/statistics.h"

#include <compare>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace headscope::app {

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
        false; ///< whichever way it changed, more rows will not tell otherwise: a test for being watched says so
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
    bool later = false; ///< the time for it is used up: it goes on while nothing else is asked for
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

struct HeadValue {
    interventions::HeadRef head;
    bool attention = true; ///< its kind, which the name of a head tells only in layers of two
    double value = 0;
    double delta = 0;
    double low = 0;
    double high = 0;
    double margin = 0;                                      ///< change of the answers' log odds, nats
    double p = std::numeric_limits<double>::quiet_NaN();    ///< of delta, of one look; NaN: nothing was tested
    double holm = std::numeric_limits<double>::quiet_NaN(); ///< corrected for all heads, when all are in
    double falseDiscovery = std::numeric_limits<double>::quiet_NaN(); ///< the same by Benjamini and Hochberg
    int group = -1;        ///< heads of one group can not be told apart from its first; -1: not compared
    int n = 0;             ///< examples it was measured on
    bool estimate = false; ///< by gradients, nothing was removed
};

/// What removing heads costs, as far as it is known, and what was asked.
struct HeadCosts : std::vector<HeadValue> {
    std::string identity; ///< as a session knows it: app/notebook/analysisquestion.h
};

struct RankRequest {
    Side side = Side::A;
    std::string task;
    int limit = 0; ///< examples; 0: all
    RankMethod method = RankMethod::Exact;
    std::vector<interventions::HeadRef> first; ///< Exact: heads that come before the others, in this order
    int steps = 4;                             ///< Estimate: see engine::EstimateOptions

    auto operator<=>(const RankRequest&) const = default;
};

/// Scores of all heads from their maps of one prompt, by id; see core/analysis/patternscores.h for what they mean. A
/// score that is not defined on this prompt is NaN.
struct HeadScores {
    std::string identity; ///< as HeadCosts has it
    interventions::InterventionSet ablation;
    std::map<std::string, std::vector<HeadValue>> scores;
    std::map<std::string, double> uniform{}; ///< what a head that reads all tokens alike scores; not of every score
};

} // namespace headscope::app

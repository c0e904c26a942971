// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What goes to the worker and comes back: plain values without tensors, so that they may cross threads and be freed
// anywhere. Any thread.

#include "app/workbench/rankmethod.h"
#include "core/analysis/convention.h"
#include "core/base/matrix.h"
#include "core/base/role.h"
#include "core/base/side.h"
#include "core/interventions/intervention.h"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace headscope::app {

/// A model and what is switched off in it.
struct ModelState {
    Side side = Side::A;
    interventions::InterventionSet ablation;
    bool operator==(const ModelState&) const = default;
};

struct MixerSummary {
    std::string kind; ///< "attention", "mamba2", ...
    bool attention = true;
    bool channels = false; ///< Mamba-1: a head is a channel
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int state = 0;
    int sharedBlock = -1;
};

struct ModelSummary {
    std::string name; ///< as a person writes it
    std::string path;
    std::string hash;
    std::string family;
    std::string dtype;
    std::string device;
    std::int64_t parameters = 0;
    std::int64_t bytes = 0;
    int maxPositions = 0;
    std::vector<std::vector<MixerSummary>> layers;
    std::vector<std::string> warnings;
    std::vector<std::string> benchmarks; ///< task names that fit this model's tokenizer, in order of importance
    std::vector<std::string> unsuited; ///< well-known tasks that can not be asked: their text is not in this vocabulary
    std::vector<int> kvSizes;          ///< dictionary sizes of the accuracy curve
    std::string kvTask;                ///< "toy_kv" or "kv_retrieval"
    bool stored = false;               ///< not loaded: only what the session says of it is known
};

/// A piece of the prompt for brackets: bytes of the text, or tokens.
struct Span {
    Role role = Role::Key;
    std::size_t begin = 0;
    std::size_t end = 0;
    bool target = false;
};

/// A prompt and where it comes from.
struct Prompt {
    std::string text;
    std::vector<Span> spans; ///< byte ranges of text
    std::string task;        ///< empty: free text
    int sample = 0;
    int samples = 0; ///< of the task
    std::string answer;
};

struct TokenizedPrompt {
    std::vector<int> ids;
    std::vector<std::string> tokens;    ///< what each writes of the text
    std::vector<std::string> spellings; ///< the same as the vocabulary spells them; none in a stored prompt
    std::vector<std::pair<std::size_t, std::size_t>> offsets; ///< bytes
};

struct PatternRequest {
    interventions::HeadRef head;
    interventions::InterventionSet ablation;
    analysis::MatrixConvention convention{}; ///< its kind is the head's, whatever stands here
    bool operator==(const PatternRequest&) const = default;
};

struct PatternReply {
    PatternRequest request;
    analysis::MatrixConvention convention{};
    std::string earlierWords{}; ///< of a kept one: sessions::PatternRecord
    std::string text;           ///< the prompt
    TokenizedPrompt prompt;
    std::vector<Span> spans; ///< token ranges
    Matrix matrix;           ///< [T, T], or [ceil(T / pool), the same]
    int pool = 1;            ///< tokens a side of one entry: of so many cells the strongest
};

/// Exact rows of a map, for prompts whose map came pooled and for the row profile.
struct PatternRows {
    PatternRequest request;
    int first = 0;
    Matrix rows; ///< [n, T]
};

/// One row of every head: who looks where from one token.
struct RowOfHeads {
    interventions::InterventionSet ablation;
    int row = 0;
    std::vector<interventions::HeadRef> heads; ///< from the first layer to the last
    Matrix matrix;                             ///< [heads, T]; each row divided by the sum of its absolute values
    bool probability = true;
};

/// A head's map made small, for strips and tooltips.
struct PatternPreview {
    PatternRequest request;
    analysis::MatrixConvention convention{};
    Matrix matrix; ///< at most 96 rows
};

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
    int n = 0;     ///< rows that both states have
    int total = 0; ///< rows of the benchmark
    int broken = 0;
    int fixed = 0;
    int failed = 0;
    double chance = 0;
    bool hasBaseline = false;
    bool hasNow = false;
    bool final = false; ///< every row is in
    bool decided =
        false; ///< whichever way it changed, more rows will not tell otherwise: a test for being watched says so
    bool higherIsBetter = true;
    std::string problem; ///< why there is no number; the other benchmarks are scored all the same
    std::string extent;  ///< "complete", "subset", "sample", "generated"
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
    double chance = 0;
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
    double margin = 0;     ///< change of the answers' log odds, nats
    int n = 0;             ///< examples it was measured on
    bool estimate = false; ///< by gradients, nothing was removed
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
    interventions::InterventionSet ablation;
    std::map<std::string, std::vector<HeadValue>> scores;
};

struct ContinueRequest {
    int tokens = 32;        ///< the most new tokens; fewer where the model's longest prompt ends
    double temperature = 0; ///< 0: always the likeliest
    std::uint64_t seed = 0;
};

/// A token that a model added, and what else it thought of.
struct ContinuedToken {
    std::string text; ///< empty while a character is incomplete
    double probability = 0;
    std::vector<std::pair<std::string, double>> candidates; ///< most likely first
};

/// What came since the last part.
struct ContinuationPart {
    enum class Ending { None, EnoughTokens, StopToken, LongestPrompt };
    std::vector<ContinuedToken> tokens;
    Ending ending = Ending::None; ///< anything else: this is the last part
};

struct NextTokenReply {
    std::vector<std::pair<std::string, double>> tokens; ///< most likely first
};

} // namespace headscope::app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a session holds, as plain values: no database type and no model type appears here. Any thread.

#include "core/analysis/convention.h"
#include "core/base/matrix.h"
#include "core/base/role.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headscope::sessions {

/// A model that something was measured on. Everything needed to show its results without having it.
struct ModelRecord {
    std::string hash;          ///< SHA-256 over weights and config, 64 hex digits: the identity
    std::string name;          ///< "tiny-transformer"
    std::string source;        ///< folder or hub name it was opened from; only a hint
    std::string revision;      ///< hub revision; empty where there is none
    std::string family;        ///< "llama"
    std::string dtype;         ///< as stored in the file: "fp32"
    std::string device;        ///< where it last ran: "cpu", "cuda:0 NVIDIA H200"
    std::string tokenizerHash; ///< empty, or a TokenizerRecord that is in the session
    int layers = 0;
    std::string headsJson = "[]"; ///< what the head map needs, one entry a layer
    std::int64_t parameters = 0;

    bool operator==(const ModelRecord&) const = default;
};

struct TokenizerRecord {
    std::string hash; ///< SHA-256 of the tokenizer's files: the identity
    std::string kind; ///< "WordLevel"
    std::string source;
    int vocabulary = 0;

    bool operator==(const TokenizerRecord&) const = default;
};

/// One benchmark example exactly as it was asked.
struct ExampleRecord {
    std::string hash; ///< tasks::contentHash: the identity
    std::string task; ///< "toy_kv:pairs=8"
    std::string file; ///< relative to the data folder, or "generated"
    int row = 0;
    std::string scoring; ///< "multiple_choice", "loglikelihood", "generate_until"
    std::string context;
    std::vector<std::string> continuations;
    int gold = -1;
    std::string extraJson = "{}"; ///< the fields that have no column here: segments, norm lengths, stop strings

    bool operator==(const ExampleRecord&) const = default;
};

/// Everything besides the example itself that decides a result. Two results may only be taken for each other when all
/// of it is equal.
struct SeriesKey {
    std::string modelHash;
    std::string tokenizerHash;
    std::string dtype;  ///< computed in: "fp32", "bf16"
    std::string device; ///< kind only: "cpu", "cuda"
    std::string task;   ///< the examples' own task, not a group of tasks
    /// Which rows were asked: tasks::LeafTask::rowSource. Rows that were made up and rows of a file of the same task
    /// are two sources. Empty in series of files before schema 7, whose rows may be of several.
    std::string rowSource;
    std::string taskVersion; ///< of the task's rules, "1.0"; empty like rowSource
    std::string ablation;    ///< canonical text of the ablation set; empty is the baseline
    int scoringVersion = 1;
    /// What else went in; mostly empty. First what holds for the baseline too ("bos=always"), then, from the word
    /// "over=" on, what only the ablation takes in: a hash of the examples that a mean is taken over, of the model that
    /// swap: names.
    std::string inputs;

    auto operator<=>(const SeriesKey&) const = default;
};

/// The series that an ablated one is compared with.
[[nodiscard]] inline SeriesKey baselineOf(SeriesKey key)
{
    key.ablation.clear();
    key.inputs.resize(std::min(key.inputs.size(), key.inputs.find("over=")));
    while (key.inputs.ends_with(' '))
        key.inputs.pop_back();
    return key;
}

/// One example scored in one series.
struct ResultRecord {
    std::string exampleHash;
    int prediction = -1;                ///< index of the choice; -1 where there is none
    std::optional<bool> correct;        ///< `acc`, or exact match; empty where rejected
    std::optional<bool> correctNorm;    ///< `acc_norm`, where the task has it
    std::vector<bool> greedy;           ///< one a continuation: is it the greedy one. Empty where that is not known
    std::vector<double> logLikelihoods; ///< one a continuation
    std::string generated;
    double seconds = 0.0;
    std::string rejected; ///< why it could not be scored, one sentence; empty where it was

    bool operator==(const ResultRecord&) const = default;
};

/// Sums over one series; what the scoreboard shows.
struct SeriesScore {
    SeriesKey series;
    std::string modelName;
    std::int64_t n = 0; ///< scored, without the rejected
    std::int64_t rejected = 0;
    std::int64_t correct = 0;
    std::int64_t nNorm = 0; ///< how many have an acc_norm
    std::int64_t correctNorm = 0;
    double seconds = 0.0;
};

/// A state that was scored and can be gone back to.
struct RunRecord {
    std::string uid; ///< made by addRun when empty; the same in every copy of the session
    std::string name;
    std::string note;
    std::string created;   ///< ISO 8601, UTC; set by addRun when empty
    std::string modelHash; ///< empty, or a model in the session
    std::string ablation;
    int position = 0; ///< order in the list
    std::vector<SeriesKey> series;

    bool operator==(const RunRecord&) const = default;
};

struct RankedHead {
    std::string head; ///< "L2H5"
    double value = 0.0;
    double delta = 0.0;
    double low = 0.0; ///< interval of delta
    double high = 0.0;

    bool operator==(const RankedHead&) const = default;
};

struct RankingRecord {
    std::string uid; ///< SHA-256 of the other fields, made by addRanking
    std::string modelHash;
    std::string dtype;
    std::string device;
    std::string task;
    std::string method;   ///< "exact", "gather"
    std::string ablation; ///< what was off all the time
    std::string created;
    int n = 0; ///< examples
    /// JSON: which rows, how they were read (tokenizer, start token), what else decides the numbers. Empty in rankings
    /// of files before schema 12.
    std::string questionJson;
    std::vector<RankedHead> heads; ///< in order

    bool operator==(const RankingRecord&) const = default;
};

/// Tokens [begin, end) of a prompt that play one role in it.
struct PatternSegment {
    Role role = Role::Key;
    int begin = 0;
    int end = 0;
    bool target = false; ///< the piece that the right answer comes from

    bool operator==(const PatternSegment&) const = default;
};

/// A pattern chosen to be kept. Stored as scaled fp16, compressed.
struct PatternRecord {
    std::string modelHash;
    std::string dtype;
    std::string head; ///< "L2H5"
    analysis::MatrixConvention convention;
    std::string
        earlierWords; ///< of a pattern that was kept before schema 8, where the convention does not say the same
    std::string ablation;
    std::string prompt;
    std::vector<std::string> tokens; ///< labels, one a column
    Matrix values;                   ///< [T, T], rows are queries
    double maxError = 0.0;           ///< largest absolute difference to what was computed; set by putPattern
    std::vector<PatternSegment> segments;
    std::string source; ///< where the prompt comes from: "toy_kv:pairs=8, sample 3"
    /// SHA-256 of what else decides the values: token ids, tokenizer, kind of device, what the ablation reads. Empty in
    /// patterns of files before schema 12.
    std::string inputs;
};

/// The words that report a kept pattern's convention, in files and where it is read: those of an earlier schema where
/// there are some.
template <typename Pattern> [[nodiscard]] std::string conventionText(const Pattern& pattern)
{
    return pattern.earlierWords.empty() ? analysis::describe(pattern.convention) : pattern.earlierWords;
}

/// SHA-256 of prompt and token labels: what two patterns of the same prompt share.
[[nodiscard]] std::string promptHash(const PatternRecord& pattern);

/// What is kept of a pattern besides its numbers.
struct PatternInfo {
    std::int64_t id = 0;
    std::string modelHash, dtype, head;
    analysis::MatrixConvention convention;
    std::string earlierWords, ablation, prompt, source, created;
    std::string promptHash; ///< SHA-256 of prompt and tokens
    int rows = 0;
    int cols = 0;
    std::int64_t bytes = 0; ///< compressed
    double maxError = 0.0;
};

struct FigureRecipe {
    std::string name; ///< the identity within a session
    std::string recipeJson;
    std::string created;

    bool operator==(const FigureRecipe&) const = default;
};

struct HeadLabel {
    std::string modelHash;
    std::string head;
    std::string name;
    std::string colour; ///< "#rrggbb"

    bool operator==(const HeadLabel&) const = default;
};

struct TourProgress {
    std::string tour;
    int step = 0;
    bool finished = false;

    bool operator==(const TourProgress&) const = default;
};

/// One step of the undo history; the list only grows.
struct HistoryEntry {
    std::int64_t id = 0;
    std::string created;
    std::string label; ///< "L2H5 off"
    std::string modelHash;
    std::string ablation; ///< the state after the step

    bool operator==(const HistoryEntry&) const = default;
};

/// Something a merge found under the same identity with other content; both are kept.
struct ConflictRecord {
    std::string kind;   ///< "result", "label", "example"
    std::string what;   ///< which one, in words
    std::string theirs; ///< JSON of the other content
    std::string origin; ///< uid of the session that it came from
};

} // namespace headscope::sessions

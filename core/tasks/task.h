// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A task prepared to run: its examples, the metrics of each leaf task, and how groups are averaged. Values; any
// thread.

#include "core/tasks/example.h"
#include "core/tasks/report.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope::tasks {

/// The extracted answer of a text that contains none; it equals no target.
inline constexpr const char* kNoAnswer = "[invalid]";

/// How the answer is extracted from a generated text (the harness's filter lists).
struct Extraction {
    enum class Kind {
        None,       ///< the unchanged text
        Regex,      ///< re.findall, one of the matches, stripped; `fallback` without a match
        StripLeft,  ///< remove_whitespace
        BbhChoice,  ///< "(A)", else an option's text, else ": A"
        BbhNumber,  ///< digits, else a number in English words
        BbhMap,     ///< replaces the match by the value of the first pattern that matches it
        BbhWordSort ///< the words of the input's list, by their last occurrence
    };
    Kind kind = Kind::None;
    std::string pattern;
    bool last = false;                                       ///< the last match instead of the first
    std::vector<std::pair<std::string, std::string>> values; ///< BbhMap: pattern, value
    std::string fallback = kNoAnswer;                        ///< Regex: the answer without a match
};

/// One reported number, named as in the harness: `acc,none`, `exact_match,strict-match`.
struct Metric {
    enum class Kind { Acc, AccNorm, Perplexity, ExactMatch, Contains };
    Kind kind = Kind::Acc;
    std::string filter = "none";
    Extraction extraction;           ///< Generation only
    std::vector<std::string> remove; ///< ExactMatch: regexes deleted from both sides, in order
    bool ignoreCase = false;         ///< ExactMatch: lower-case both sides
    bool ignorePunctuation = false;  ///< ExactMatch: delete ASCII punctuation from both sides
};

/// Returns "acc", "acc_norm", "perplexity", "exact_match" or "contains".
[[nodiscard]] const char* name(Metric::Kind kind);

/// How a (context, continuation) pair becomes token ids.
enum class PairEncoding {
    Harness,     ///< trailing white space of the context moves to the continuation; no BOS unless requested
    KvRetrieval, ///< scores prompt + choice with special tokens from the length of the prompt without them on
    ModelStart   ///< as Harness, after the start by the model's own rule (core/tasks/ownmodels.h)
};

/// A task without parts. Its examples are [begin, end) of TaskSet::examples.
struct LeafTask {
    std::string name;    ///< "mmlu_anatomy"
    std::string version; ///< the harness's config version: "1.0"
    /// SHA-256 of all rows from which examples are taken, and of how prompts are made: the sampler, a generator's seed.
    /// Independent of the number of examples; different for other rows. Empty if not set.
    std::string rowSource;
    std::string split; ///< "test", "validation", "train", "generated"
    int fewshot = 0;
    Scoring scoring = Scoring::MultipleChoice;
    PairEncoding pairing = PairEncoding::Harness;
    std::string afterStart;      ///< ModelStart: text between start token and prompt for Headscope's own models
    std::vector<Metric> metrics; ///< the first is displayed if there is room for only one
    std::string description;     ///< precedes every context
    std::string delimiter = " "; ///< precedes every choice
    std::size_t begin = 0;
    std::size_t end = 0;
    ImportReport report;
};

/// A named mean over leaves.
struct Group {
    std::string name;                ///< "mmlu", "mmlu_stem", "knowledge"
    std::vector<std::size_t> leaves; ///< indices into TaskSet::leaves
    bool weighBySize = true;         ///< the harness's weight_by_size; false: the unweighted mean of the leaves
    Metric::Kind metric = Metric::Kind::Acc;
    std::string filter = "none";
    std::string version;
};

struct TaskSet {
    std::string name; ///< as requested
    std::vector<Example> examples;
    std::vector<LeafTask> leaves;
    std::vector<Group> groups;      ///< outermost first
    ImportReport report;            ///< sum over all leaves
    std::vector<std::string> notes; ///< for readers of a result: "keys from Headscope's own word list"

    [[nodiscard]] const LeafTask& leafOf(std::size_t example) const;
    /// Returns the expected accuracy of a random choice; 0 for tasks without options, such as greedy exact match.
    [[nodiscard]] double chanceOf(const LeafTask& leaf) const;
};

/// Makes a task of the examples at ascending `indices`. Leaves and groups are unchanged; a leaf may have no examples
/// left.
[[nodiscard]] TaskSet subset(const TaskSet& set, std::span<const std::size_t> indices);

/// Requirements of a task, shown where a data folder is chosen.
struct TaskInfo {
    std::string name;
    std::string title;   ///< one line: the measured ability
    std::string files;   ///< files expected in the data folder
    std::string source;  ///< origin of the files; empty for generators
    std::string licence; ///< licence of the data
    int official = 0;    ///< rows of the official split
};

} // namespace headscope::tasks

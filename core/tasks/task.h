// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A task made ready to run: its examples, what each leaf task measures, and how groups are averaged. Values; any
// thread.

#include "core/tasks/example.h"
#include "core/tasks/report.h"

#include <string>
#include <utility>
#include <vector>

namespace headscope::tasks {

/// How the answer is taken out of a generated text (the harness's filter lists).
struct Extraction {
    enum class Kind {
        None,       ///< the text as it is
        Regex,      ///< re.findall, one match of them, stripped; "[invalid]" without a match
        StripLeft,  ///< remove_whitespace
        BbhChoice,  ///< "(A)", else an option's text, else ": A"
        BbhNumber,  ///< digits, else a number in English words
        BbhMap,     ///< the match is replaced by the value of the first pattern that matches it
        BbhWordSort ///< the words of the input's list, by their last occurrence
    };
    Kind kind = Kind::None;
    std::string pattern;
    bool last = false;                                       ///< the last match instead of the first
    std::vector<std::pair<std::string, std::string>> values; ///< BbhMap: pattern, value
};

/// One number that a task reports, named as in the harness: `acc,none`, `exact_match,strict-match`.
struct Metric {
    enum class Kind { Acc, AccNorm, Perplexity, ExactMatch, Contains };
    Kind kind = Kind::Acc;
    std::string filter = "none";
    Extraction extraction;           ///< Generation only
    std::vector<std::string> remove; ///< ExactMatch: regexes deleted from both sides, in order
    bool ignoreCase = false;         ///< ExactMatch: lower-case both sides
    bool ignorePunctuation = false;  ///< ExactMatch: delete ASCII punctuation from both sides
};

/// "acc", "acc_norm", "perplexity", "exact_match", "contains".
[[nodiscard]] const char* name(Metric::Kind kind);

/// How a (context, continuation) pair becomes token ids.
enum class PairEncoding {
    Harness,     ///< trailing white space of the context moves to the continuation; no BOS unless asked
    KvRetrieval, ///< prompt without special tokens gives the length, prompt + choice with them is scored from there
    ModelStart   ///< as Harness, behind the start of the model's own rule (core/tasks/ownmodels.h)
};

/// A task without parts. Its examples are [begin, end) of TaskSet::examples.
struct LeafTask {
    std::string name;    ///< "mmlu_anatomy"
    std::string version; ///< the harness's config version: "1.0"
    /// SHA-256 of all rows that the examples are taken from, and of how they are put into prompts: the sampler, the
    /// seed of a generator. The same for any number of them; another one for other rows. Empty where nobody said.
    std::string rowSource;
    std::string split; ///< "test", "validation", "train", "generated"
    int fewshot = 0;
    Scoring scoring = Scoring::MultipleChoice;
    PairEncoding pairing = PairEncoding::Harness;
    std::string afterStart;      ///< ModelStart: what is between start token and text where our own models read both
    std::vector<Metric> metrics; ///< the first is the one that is shown where there is room for one
    std::string description;     ///< is at the front of every context
    std::size_t begin = 0;
    std::size_t end = 0;
    ImportReport report;
};

/// A named mean over leaves.
struct Group {
    std::string name;                ///< "mmlu", "mmlu_stem", "knowledge"
    std::vector<std::size_t> leaves; ///< indices into TaskSet::leaves
    bool weighBySize = true;         ///< the harness's weight_by_size; false: the plain mean of the leaves
    Metric::Kind metric = Metric::Kind::Acc;
    std::string filter = "none";
    std::string version;
};

struct TaskSet {
    std::string name; ///< as asked for
    std::vector<Example> examples;
    std::vector<LeafTask> leaves;
    std::vector<Group> groups;      ///< outermost first
    ImportReport report;            ///< of all leaves together
    std::vector<std::string> notes; ///< for the reader of a result: "keys from Headscope's own word list"

    [[nodiscard]] const LeafTask& leafOf(std::size_t example) const;
    /// The expected accuracy of choosing an option at random; 0 for tasks that offer none, such as greedy exact match.
    [[nodiscard]] double chanceOf(const LeafTask& leaf) const;
};

/// What a task wants, shown where a data folder is chosen.
struct TaskInfo {
    std::string name;
    std::string title;   ///< one line: what is measured
    std::string files;   ///< which files are looked for in the data folder
    std::string source;  ///< where they come from; empty for generators
    std::string licence; ///< of the data
    int official = 0;    ///< rows of the official split
};

} // namespace headscope::tasks

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A user's study as it is written down before it is run: conditions, benchmarks, and what is expected of them.
// Values and a strict reader; any thread.

#include "core/base/result.h"
#include "core/experiments/words/table.h"
#include "core/interventions/intervention.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::experiments {

/// Heads of a model by what they do, by their place in the ranking, or by name.
struct HeadChoice {
    enum class Kind {
        Gather,
        Aggregate,
        First,  ///< the first `count` of the model's ranking on KV retrieval
        Random, ///< `count` others that matter at all
        Named
    };
    Kind kind = Kind::Named;
    int count = 0;
    interventions::HeadRef head;
};

/// One state of a model in which all benchmarks are measured.
struct Condition {
    std::string name; ///< of `eachLayer` with a % for the layer
    std::vector<HeadChoice> removed;
    std::optional<std::vector<HeadChoice>> kept; ///< of the gather and the aggregate head's layers only these stay
    interventions::InterventionSet ablated;
    bool eachLayer = false; ///< one condition a layer, which is skipped
    bool control = false;   ///< what is expected must not be seen here
    int paper = -1;         ///< index of the paper's row
};

/// What the rows are expected to show, which is the rule of the verdict.
struct Expectation {
    enum class Change {
        Collapses, ///< half of what lies above the floor is gone
        Falls,
        Rises,
        Keeps
    };
    enum class Where { Every, Some };
    Change change = Change::Falls;
    std::vector<std::string> benchmarks; ///< one of them is enough
    Where where = Where::Every;
    std::vector<std::string> kept; ///< benchmarks that must not fall beside
};

struct Definition {
    std::string id, number, title, question, claim, source, setting, scaled, assumed;
    std::vector<std::string> models, paperModels;
    std::vector<std::string> benchmarks; ///< "mmlu", "knowledge", "kv" and other keys of a battery, or names of tasks
    int examples = 0;                    ///< of each; 0: the usual number
    bool minimal = false;                ///< layers after the aggregate head's go; a shipped model stays whole
    std::vector<Condition> conditions;   ///< the first is what the others are compared with
    Expectation expected;
    std::vector<PaperRow> paper;
    std::string json; ///< what it was read from, in one spelling
};

/// Fails in one sentence that names the place: for text that is not a JSON object, a key that is not known, missing or
/// of another type, an ablation or head that cannot be read, a benchmark that nobody knows.
[[nodiscard]] Result<Definition> readDefinition(std::string_view json);

} // namespace headscope::experiments

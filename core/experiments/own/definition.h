// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A user's study as written before it is run: conditions, benchmarks, and expectations. Values and a strict reader; any
// thread.

#include "core/base/result.h"
#include "core/experiments/words/table.h"
#include "core/interventions/intervention.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::experiments {

/// Heads of a model by their role, by their rank, or by name.
struct HeadChoice {
    enum class Kind {
        Gather,
        Aggregate,
        First,  ///< first `count` of the model's ranking on KV retrieval
        Random, ///< `count` others with any effect
        Named
    };
    Kind kind = Kind::Named;
    int count = 0;
    interventions::HeadRef head;
};

/// One state of a model in which all benchmarks are measured.
struct Condition {
    std::string name; ///< with `eachLayer`, a % stands for the layer
    std::vector<HeadChoice> removed;
    std::optional<std::vector<HeadChoice>> kept; ///< only these stay in the layers of the gather and the aggregate head
    interventions::InterventionSet ablated;
    bool eachLayer = false; ///< one condition per layer, which is skipped
    bool control = false;   ///< the expected effect must not appear here
    int paper = -1;         ///< index of the paper's row
};

/// The expected effect, which is the rule of the verdict.
struct Expectation {
    enum class Change {
        Collapses, ///< loses half of the part above the floor
        Falls,
        Rises,
        Keeps
    };
    enum class Where { Every, Some };
    Change change = Change::Falls;
    std::vector<std::string> benchmarks; ///< any one of them suffices
    Where where = Where::Every;
    std::vector<std::string> kept; ///< benchmarks that must not fall as well
};

struct Definition {
    std::string id, number, title, question, claim, source, setting, scaled, assumed;
    std::vector<std::string> models, paperModels;
    std::vector<std::string> benchmarks; ///< "mmlu", "knowledge", "kv" and other keys of a battery, or task names
    int examples = 0;                    ///< per benchmark; 0: the default
    bool minimal = false;                ///< removes layers after the aggregate head's; an included model stays whole
    std::vector<Condition> conditions;   ///< the others are compared with the first
    Expectation expected;
    std::vector<PaperRow> paper;
    std::string json; ///< its source, in a normalized spelling
};

/// Reads a study. Fails in one sentence that gives the position: for text that is not a JSON object, a key that is
/// unknown, missing or of the wrong type, an ablation or head that cannot be parsed, or an unknown benchmark.
[[nodiscard]] Result<Definition> readDefinition(std::string_view json);

} // namespace headscope::experiments

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a finished network's heads are worth, the acceptance table of the shipped models, and the model card. Training
// thread.

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/train/measure.h"
#include "core/train/recipe.h"

#include <string>
#include <vector>

namespace headscope::train {

struct HeadRow {
    HeadBehaviour behaviour;
    Scores scores; ///< with this head off
};

struct LayerRow {
    std::vector<HeadId> heads; ///< all that are live, at least two
    Scores scores;             ///< with these off
};

struct ModelReport {
    Scores base;
    std::vector<LayerRow> layers;
    std::vector<HeadRow> heads;      ///< heads that still have an output, the most needed for KV8 first
    std::vector<HeadId> aggregating; ///< attention: last row on the value asked for (mass above 0.5)
    std::vector<HeadId> gathering;   ///< in a layer before those; KV8 is below 0.1 without it
    std::vector<HeadId> preparing;   ///< neither, but KV8 loses more than half without it: the rest of the circuit
    Scores withoutAggregating;       ///< all of `aggregating` off at once
    std::vector<std::string> unmet;  ///< rows of the acceptance table that are not met, in words
};

/// Removes every live head in turn, then all of each layer. `prompts` a task. Stops between heads.
[[nodiscard]] Result<ModelReport> measureModel(const Network& network, int prompts, const Control& control = {});

/// How a network came to be, for its card.
struct TrainingFacts {
    std::string version; ///< of the program
    int steps = 0;
    double seconds = 0, coreSeconds = 0;
    std::vector<HeadId> faded;
};

/// README.md of the model folder.
[[nodiscard]] std::string modelCard(const Recipe& recipe, const TrainingFacts& facts, const ModelReport& report, std::int64_t parameters);

} // namespace headscope::train

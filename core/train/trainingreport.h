// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a finished network's heads are worth, and the acceptance table of the shipped models. Training thread.

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/train/measurements.h"

#include <string>
#include <vector>

namespace headscope::train {

struct HeadRow {
    HeadBehaviour behaviour;
    Scores scores; ///< with this head off
};

struct LayerRow {
    std::vector<HeadId> heads; ///< all of the layer that are live
    Scores scores;             ///< with these off
    Scores lastRowOff;         ///< with the last row of the layer's matrices masked
};

/// Shares are quotients: 1 less 0.98 is a little more than 0.02, and 1 less 0.9 a little less than 0.1.
constexpr double kShareRounding = 1e-9;

/// One promise that a shipped model of this kind has to keep.
struct Requirement {
    std::string what;  ///< "KV8 below 0.10 without the aggregating heads"
    std::string found; ///< "0.01"
    bool met = false;
};

/// Attention heads aggregate when their last row lies on the value asked for (mass above 0.5), SSM heads when its
/// largest entry does in most prompts and KV8 loses more than half without them. Heads of other kinds need KV8 to lose
/// more than half as well: gathering ones have value rows on their key and precede an aggregating one.
struct ModelReport {
    std::string layers;    ///< one letter a layer
    int headsPerLayer = 0; ///< live or not
    Scores base;
    std::vector<LayerRow> layerRows;
    std::vector<HeadRow> heads; ///< heads that still have an output, the most needed for KV8 first
    std::vector<HeadId> aggregating;
    std::vector<HeadId> gathering;
    std::vector<HeadId> preparing; ///< the rest of the circuit: KV8 loses more than half without it
    Scores withoutAggregating;     ///< all of `aggregating` off at once
    Scores withoutAttention;       ///< hybrids: all attention heads off
    std::vector<Requirement> acceptance;
};

/// Removes every live head in turn, then all of each layer, and masks each layer's last rows. `prompts` a task. Stops
/// between heads.
[[nodiscard]] Result<ModelReport> measureModel(const Network& network, int prompts, const Control& control = {});

/// The requirements of the kind of model that `report.layers` gives.
[[nodiscard]] std::vector<Requirement> judge(const ModelReport& report);

} // namespace headscope::train

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Importance of a finished network's heads, and the acceptance table of the included models. Training thread.

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
    std::vector<HeadId> heads; ///< all live heads of the layer
    Scores scores;             ///< with these off
    Scores lastRowOff;         ///< with the last row of the layer's matrices masked
};

/// Tolerance for shares, which are quotients: 1 - 0.98 is slightly above 0.02, and 1 - 0.9 slightly below 0.1.
constexpr double kShareRounding = 1e-9;

/// A requirement for included models of this kind.
struct Requirement {
    std::string what;  ///< "KV8 below 0.10 without the aggregating heads"
    std::string found; ///< "0.01"
    bool met = false;
};

/// Attention heads aggregate if their last row has mass above 0.5 on the requested value, SSM heads if its largest
/// entry is there in most prompts and KV8 loses more than half without them. In other kinds of models heads also need
/// KV8 to lose more than half: gathering ones have value rows on their key and precede an aggregating one.
struct ModelReport {
    std::string layers;    ///< one letter per layer
    int headsPerLayer = 0; ///< including pruned ones
    Scores base;
    std::vector<LayerRow> layerRows;
    std::vector<HeadRow> heads; ///< heads that still have an output, the most important for KV8 first
    std::vector<HeadId> aggregating;
    std::vector<HeadId> gathering;
    std::vector<HeadId> preparing; ///< the rest of the circuit: KV8 loses more than half without it
    Scores withoutAggregating;     ///< all of `aggregating` off at once
    Scores withoutAttention;       ///< hybrids: all attention heads off
    std::vector<Requirement> acceptance;
};

/// Removes every live head in turn, then all of each layer, and masks each layer's last rows. `prompts` per task. Can
/// be stopped between heads.
[[nodiscard]] Result<ModelReport> measureModel(const Network& network, int prompts, const Control& control = {});

/// Returns the requirements for the kind of model in `report.layers`.
[[nodiscard]] std::vector<Requirement> judge(const ModelReport& report);

} // namespace headscope::train

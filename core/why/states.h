// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// State hand-over: an SSM layer continues after a position with the state of another run there (the state and the last
// inputs of the convolution). Attention has no counterpart: it keeps every key. Worker thread.

#include "core/why/paths/patching.h"

namespace headscope::why {

/// A layer's SSM, and the position after which its state comes from the other run.
struct StateCell {
    int layer = 0;
    int position = 0;
};

/// Returns the layers of the model that have a state.
[[nodiscard]] std::vector<int> layersWithState(const lm::Model& model, const lm::Edits& base);

/// Returns the metric of `into` with each cell's state from `from`. Everywhere: in all layers at once, at the cell's
/// position. Fails for a layer without SSM heads and for the last position, after which nothing reads a state.
[[nodiscard]] Result<std::vector<double>> handedOverDifferences(const lm::Model& model, const lm::Edits& base,
                                                                const Recording& into, const Recording& from,
                                                                const Metric& metric, std::span<const StateCell> cells,
                                                                const Control& control = {});
/// Returns the logits of the last position with one such state, [V], fp32.
[[nodiscard]] Result<at::Tensor> handedOverLogits(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                                  const Recording& from, const StateCell& cell,
                                                  const Control& control = {});
[[nodiscard]] Result<double> handedOverEverywhere(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                                  const Recording& from, const Metric& metric, int position,
                                                  const Control& control = {});

} // namespace headscope::why

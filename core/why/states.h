// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// State hand-over: an SSM layer continues behind a position with what its counterpart in another run carries there (the
// state and the last inputs of the convolution). Attention has no counterpart: it carries every key. Worker thread.

#include "core/why/paths/patching.h"

namespace headscope::why {

/// A layer's SSM, behind which position its state comes from the other run.
struct StateCell {
    int layer = 0;
    int position = 0;
};

/// Of the layers of the model those with a state.
[[nodiscard]] std::vector<int> layersWithState(const lm::Model& model, const lm::Edits& base);

/// The metric of `into` with each cell's state of `from`. Everywhere: in each of the layers at once, at the position of
/// the cell. Fails for a layer without SSM heads and for the last position, behind which nothing reads a state.
[[nodiscard]] Result<std::vector<double>> handedOverDifferences(const lm::Model& model, const lm::Edits& base,
                                                                const Recording& into, const Recording& from,
                                                                const Metric& metric, std::span<const StateCell> cells,
                                                                const Control& control = {});
/// The logits of the last position with one such state, [V], fp32.
[[nodiscard]] Result<at::Tensor> handedOverLogits(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                                  const Recording& from, const StateCell& cell,
                                                  const Control& control = {});
[[nodiscard]] Result<double> handedOverEverywhere(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                                  const Recording& from, const Metric& metric, int position,
                                                  const Control& control = {});

} // namespace headscope::why

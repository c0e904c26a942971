// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Takes the tensors of a gated delta rule in the layouts that families use. Worker thread.

#include "core/lm/families/decoder.h"
#include "core/lm/mixers/gateddeltanet.h"

namespace headscope::lm {

struct DeltaShape {
    int keyHeads = 16, valueHeads = 32, keyDim = 128, valueDim = 128, taps = 4;
    bool partByPart = false; ///< Qwen3.5: all q, all k, all v in one tensor, and one tensor each for z, b and a
};

[[nodiscard]] MixerSpec deltaSpec(const DeltaShape& shape);

/// Joins the rows of all q, all k, all v (and all z, if present) into one map, ordered by key head.
[[nodiscard]] Linear joinedByKeyHead(const std::vector<at::Tensor>& parts, const DeltaShape& shape);

/// Takes the tensors of Qwen3-Next and Qwen3.5 below `prefix`.
[[nodiscard]] GatedDeltaNetWeights takeDelta(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                             const DeltaShape& shape);

/// Takes the convolutions of q, k and v, stored as one tensor each (q_conv1d ...) or all in conv1d.
[[nodiscard]] CausalConv takeThreeConvs(Weights& weights, const std::string& prefix, const DeltaShape& shape,
                                        Activation activation);

} // namespace headscope::lm

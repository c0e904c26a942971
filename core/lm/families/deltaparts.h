// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Takes the tensors of a gated delta rule in the ways in which families store them. Worker thread.

#include "core/lm/families/decoder.h"
#include "core/lm/mixers/gateddeltanet.h"

namespace headscope::lm {

struct DeltaShape {
    int keyHeads = 16, valueHeads = 32, keyDim = 128, valueDim = 128, taps = 4;
    bool partByPart = false; ///< Qwen3.5: all q, all k, all v in one tensor, and z, b and a in one each
};

[[nodiscard]] MixerSpec deltaSpec(const DeltaShape& shape);

/// Rows of all q, all k, all v (and all z, where there are some) as one map, by key head.
[[nodiscard]] Linear joinedByKeyHead(const std::vector<at::Tensor>& parts, const DeltaShape& shape);

/// Qwen3-Next's and Qwen3.5's, below `prefix`.
[[nodiscard]] GatedDeltaNetWeights takeDelta(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                             const DeltaShape& shape);

/// The convolutions of q, k and v, one tensor each, q_conv1d ..., or all in conv1d.
[[nodiscard]] CausalConv takeThreeConvs(Weights& weights, const std::string& prefix, const DeltaShape& shape,
                                        Activation activation);

} // namespace headscope::lm

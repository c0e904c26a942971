// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Llama layer with the few options in which Mistral, Qwen2 and Qwen3 differ. Worker thread.

#include "core/lm/families/common.h"

#include <functional>

namespace headscope::lm {

/// Class defaults and fixed choices of one Llama-shaped family.
struct LlamaVariant {
    int vocabulary = 32000;
    int inner = 11008;
    int layers = 32;
    int kvHeads = 0; ///< default if the key is missing; 0: as many as query heads
    int headDim = 0; ///< default if the key is missing; 0: width / heads
    int maxPositions = 2048;
    double theta = 10000.0;         ///< default if the key is missing
    bool tied = false;              ///< default if the key is missing
    bool biasKeys = true;           ///< reads attention_bias and mlp_bias
    bool queryKeyValueBias = false; ///< q, k and v always have biases
    bool queryKeyNorm = false;
    /// Returns the sliding window of a layer, 0 for none; may be empty.
    std::function<int(Config& config, int layer)> window;
    /// Returns whether a layer uses rotary positions; empty: all do.
    std::function<bool(Config& config, int layer)> rotates;
};

[[nodiscard]] ModelParts buildLlamaLike(Config& config, Weights& weights, int layerLimit, const LlamaVariant& variant);

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Llama layer with the few options by which Mistral, Qwen2 and Qwen3 differ from it. Worker thread.

#include "core/lm/families/common.h"

#include <functional>

namespace headscope::lm {

/// Class defaults and fixed choices of one Llama-shaped family.
struct LlamaVariant {
    int vocabulary = 32000;
    int inner = 11008;
    int layers = 32;
    int kvHeads = 0; ///< when the key is missing; 0: as many as query heads
    int headDim = 0; ///< when the key is missing; 0: width / heads
    int maxPositions = 2048;
    double theta = 10000.0;         ///< when the key is missing
    bool tied = false;              ///< when the key is missing
    bool biasKeys = true;           ///< reads attention_bias and mlp_bias
    bool queryKeyValueBias = false; ///< always has them on q, k and v
    bool queryKeyNorm = false;
    /// The sliding window of a layer, 0 for none; may be empty.
    std::function<int(Config& config, int layer)> window;
    /// Whether a layer has positions; empty: all have.
    std::function<bool(Config& config, int layer)> rotates;
};

[[nodiscard]] ModelParts buildLlamaLike(Config& config, Weights& weights, int layerLimit, const LlamaVariant& variant);

} // namespace headscope::lm

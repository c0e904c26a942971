// SPDX-License-Identifier: GPL-3.0-or-later
// Qwen2 and Qwen2.5: a Llama with biases on q, k and v that no config key names.
#include "core/lm/families/families.h"
#include "core/lm/families/llama.h"

namespace headscope::lm {

int qwenWindow(Config& config, int layer)
{
    return readSwitchedWindow(config, layer, 4096, layer >= config.integer("max_window_layers", 28));
}

ModelParts buildQwen2(Config& config, Weights& weights, int layerLimit)
{
    return buildLlamaLike(config, weights, layerLimit,
                          {.vocabulary = 151936,
                           .inner = 22016,
                           .kvHeads = 32,
                           .maxPositions = 32768,
                           .biasKeys = false,
                           .queryKeyValueBias = true,
                           .window = qwenWindow});
}

} // namespace headscope::lm

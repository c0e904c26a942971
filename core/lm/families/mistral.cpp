// SPDX-License-Identifier: GPL-3.0-or-later
// Mistral: a Llama with a sliding window in every layer.
#include "core/lm/families/families.h"
#include "core/lm/families/llama.h"

namespace headscope::lm {

ModelParts buildMistral(Config& config, Weights& weights, int layerLimit)
{
    return buildLlamaLike(
        config, weights, layerLimit,
        {.inner = 14336, .kvHeads = 8, .maxPositions = 131072, .biasKeys = false, .window = [](Config& c, int layer) {
             return readWindow(c, layer, 4096, true);
         }});
}

} // namespace headscope::lm

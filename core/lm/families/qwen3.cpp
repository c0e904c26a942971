// SPDX-License-Identifier: GPL-3.0-or-later
// Qwen3: a Llama with norms on the heads of q and k, and a head width of its own.
#include "core/lm/families/families.h"
#include "core/lm/families/llama.h"

namespace headscope::lm {

ModelParts buildQwen3(Config& config, Weights& weights, int layerLimit)
{
    return buildLlamaLike(config, weights, layerLimit,
                          {.vocabulary = 151936,
                           .inner = 22016,
                           .kvHeads = 32,
                           .headDim = 128,
                           .maxPositions = 32768,
                           .queryKeyNorm = true,
                           .window = qwenWindow});
}

} // namespace headscope::lm

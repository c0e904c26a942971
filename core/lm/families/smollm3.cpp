// SPDX-License-Identifier: GPL-3.0-or-later
// SmolLM3: a Llama in which every fourth layer has no positions.
#include "core/lm/families/families.h"
#include "core/lm/families/llama.h"

namespace headscope::lm {

namespace {

bool rotates(Config& config, int layer)
{
    const std::vector<int> listed = config.integers("no_rope_layers"); // 1: it rotates
    const int interval = config.positive("no_rope_layer_interval", 4);
    return static_cast<std::size_t>(layer) < listed.size() ? listed[static_cast<std::size_t>(layer)] != 0
                                                           : (layer + 1) % interval != 0;
}

} // namespace

ModelParts buildSmolLm3(Config& config, Weights& weights, int layerLimit)
{
    return buildLlamaLike(config, weights, layerLimit,
                          {.vocabulary = 128256,
                           .layers = 36,
                           .kvHeads = 4,
                           .maxPositions = 32768,
                           .theta = 2e6,
                           .tied = true,
                           .window =
                               [](Config& c, int layer) {
                                   const int window = readSwitchedWindow(c, layer, 4096, !rotates(c, layer));
                                   return c.has("sliding_window") ? window : 0;
                               },
                           .rotates = rotates});
}

} // namespace headscope::lm

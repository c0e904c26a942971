// SPDX-License-Identifier: GPL-3.0-or-later
// Helium: a Llama whose rotated pairs lie next to each other.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

ModelParts buildHelium(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 48000,
                                           .hidden = 2560,
                                           .inner = 7040,
                                           .layers = 24,
                                           .maxPositions = 4096,
                                           .heads = {.kvHeads = 20, .headDim = 128, .heads = 20},
                                           .eps = 1e-8});
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device, 1e5);
    c.interleaved = true;
    const bool bias = config.boolean("attention_bias", false), mlpBias = config.boolean("mlp_bias", false);
    if (c.heads.heads * c.heads.headDim != c.hidden)
        config.fail(std::to_string(c.heads.heads) + " heads of " + std::to_string(c.heads.headDim)
                    + " dimensions do not add up to the width " + std::to_string(c.hidden) + " of this Helium model.");
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, false);
        if (bias)
            takeQueryKeyValueBias(weights, prefix + "self_attn.", attention);
        interleavedToHalves(weights, attention, c);
        DecoderBlockParts block = takePreNormBlock(weights, prefix, c, attention);
        block.mlp = takeGatedMlp(weights, prefix + "mlp.", c.hidden, c.inner, c.activation, mlpBias);
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
// GLM-4 (glm of 2024, glm4 of 2025 with norms behind attention and MLP besides): half of each head rotates, in pairs
// that lie next to each other; gate and up are one tensor.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

namespace {

ModelParts glmParts(Config& config, Weights& weights, int layerLimit, bool normsBehind)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 151552,
                                           .inner = 13696,
                                           .layers = 40,
                                           .maxPositions = 131072,
                                           .heads = {.kvHeads = 2, .headDim = 128, .heads = 32},
                                           .eps = 1.5625e-7});
    c.rope = readPartialRope(config, c.heads.headDim, readRotaryShare(config, "partial_rotary_factor", 0.5),
                             c.maxPositions, weights.target().device);
    c.interleaved = config.boolean("rope_interleave", true); // false: the GGUF of a multimodal model
    const bool bias = config.boolean("attention_bias", true);
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, false);
        if (bias)
            takeQueryKeyValueBias(weights, prefix + "self_attn.", attention);
        if (c.interleaved)
            interleavedToHalves(weights, attention, c);
        DecoderBlockParts block = takePreNormBlock(weights, prefix, c, attention);
        block.mlp = takeFusedMlp(weights, prefix + "mlp.gate_up_proj", prefix + "mlp.down_proj", c);
        if (normsBehind) {
            block.postMixerNorm = takeNorm(weights, prefix + "post_self_attn_layernorm", c);
            block.postMlpNorm = takeNorm(weights, prefix + "post_mlp_layernorm", c);
        }
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace

ModelParts buildGlm(Config& config, Weights& weights, int layerLimit)
{
    return glmParts(config, weights, layerLimit, false);
}

ModelParts buildGlm4(Config& config, Weights& weights, int layerLimit)
{
    return glmParts(config, weights, layerLimit, true);
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
// Seed-OSS: a Llama whose inputs and output of attention have biases of their own.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

ModelParts buildSeedOss(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 155136,
                                           .inner = 27648,
                                           .layers = 64,
                                           .maxPositions = 524288,
                                           .heads = {.kvHeads = 8, .headDim = 128, .heads = 80},
                                           .eps = 1e-6});
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device);
    const bool bias = config.boolean("attention_bias", true), outBias = config.boolean("attention_out_bias", false),
               mlpBias = config.boolean("mlp_bias", false);
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, false);
        if (bias)
            takeQueryKeyValueBias(weights, prefix + "self_attn.", attention);
        if (outBias)
            attention.output.bias = weights.take(prefix + "self_attn.o_proj.bias", {c.hidden});
        DecoderBlockParts block = takePreNormBlock(weights, prefix, c, attention);
        block.mlp = takeGatedMlp(weights, prefix + "mlp.", c.hidden, c.inner, c.activation, mlpBias);
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

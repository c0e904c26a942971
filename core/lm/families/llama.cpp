// SPDX-License-Identifier: GPL-3.0-or-later
// Llama (Touvron et al. 2023, arXiv 2302.13971). Mistral, Qwen2 and Qwen3 differ by the few options of LlamaVariant.
#include "core/lm/families/llama.h"

#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

ModelParts buildLlamaLike(Config& config, Weights& weights, int layerLimit, const LlamaVariant& variant)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = variant.vocabulary,
                                           .inner = variant.inner,
                                           .layers = variant.layers,
                                           .maxPositions = variant.maxPositions,
                                           .heads = {.kvHeads = variant.kvHeads, .headDim = variant.headDim},
                                           .eps = 1e-6,
                                           .tied = variant.tied});
    const bool bias = variant.biasKeys && config.boolean("attention_bias", false);
    const bool mlpBias = variant.biasKeys && config.boolean("mlp_bias", false);
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device, variant.theta);
    const auto layer = [&](const std::string& prefix, int index) {
        const std::string own = prefix + "self_attn.";
        AttentionWeights attention = takeAttentionWeights(weights, own, c, bias);
        if (variant.queryKeyValueBias)
            takeQueryKeyValueBias(weights, own, attention);
        if (variant.queryKeyNorm) {
            attention.queryNorm = takeRmsNorm(weights, own + "q_norm", c.heads.headDim, c.eps);
            attention.keyNorm = takeRmsNorm(weights, own + "k_norm", c.heads.headDim, c.eps);
        }
        if (variant.rotates && !variant.rotates(config, index))
            attention.rope = {};
        attention.window = variant.window ? variant.window(config, index) : 0;
        DecoderBlockParts block = takePreNormBlock(weights, prefix, c, attention);
        block.mlp = takeGatedMlp(weights, prefix + "mlp.", c.hidden, c.inner, c.activation, mlpBias);
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

ModelParts buildLlama(Config& config, Weights& weights, int layerLimit)
{
    return buildLlamaLike(config, weights, layerLimit, {});
}

} // namespace headscope::lm

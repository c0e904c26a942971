// SPDX-License-Identifier: GPL-3.0-or-later
// OLMoE (Muennighoff et al. 2024, arXiv 2409.02060): norms over all heads of q and k at once, and experts in every
// layer.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

ModelParts buildOlmoe(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c =
        readDecoder(config, {.vocabulary = 50304, .hidden = 2048, .inner = 2048, .layers = 16, .maxPositions = 4096});
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device);
    const ExpertShape shape = readExperts(config, "num_experts", 64, 8, "intermediate_size", 2048);
    const bool bias = config.boolean("attention_bias", false), normalised = config.boolean("norm_topk_prob", false);
    if (config.has("clip_qkv"))
        config.fail("This OLMoE model clips q, k and v ('clip_qkv'), which is not supported.");
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, bias);
        attention.queryNorm = takeRmsNorm(weights, prefix + "self_attn.q_norm", attention.query.weight.size(0), c.eps);
        attention.keyNorm = takeRmsNorm(weights, prefix + "self_attn.k_norm", attention.key.weight.size(0), c.eps);
        attention.normsAllHeads = true;
        return DecoderBlockParts{
            .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .mlpNorm = takeNorm(weights, prefix + "post_attention_layernorm", c),
            .experts = std::make_shared<Experts>(
                ExpertParts{.router = takeDense(weights, prefix + "mlp.gate", shape.count, c.hidden),
                            .routing = {.chosen = shape.chosen, .normalised = normalised},
                            .experts = takeExperts(weights, prefix + "mlp.", c, shape)}),
        };
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
// Phi: one LayerNorm feeds attention and MLP side by side; everything has biases, the head too.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

ModelParts buildPhi(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 51200,
                                           .hidden = 2048,
                                           .inner = 8192,
                                           .layers = 24,
                                           .maxPositions = 2048,
                                           .activation = "gelu_new",
                                           .epsKey = "layer_norm_eps"});
    c.normKind = NormKind::Layer;
    c.normBias = true;
    c.names.finalNorm = "model.final_layernorm";
    c.rope = readPartialRope(config, c.heads.headDim, readRotaryShare(config, "partial_rotary_factor", 0.5),
                             c.maxPositions, weights.target().device);
    const bool headNorm = config.boolean("qk_layernorm", false);
    const std::int64_t width = std::int64_t{c.heads.heads} * c.heads.headDim,
                       kvWidth = std::int64_t{c.heads.kvHeads} * c.heads.headDim;
    const auto layer = [&](const std::string& prefix, int) {
        const std::string own = prefix + "self_attn.";
        AttentionWeights attention{.query = takeLinear(weights, own + "q_proj", width, c.hidden, true),
                                   .key = takeLinear(weights, own + "k_proj", kvWidth, c.hidden, true),
                                   .value = takeLinear(weights, own + "v_proj", kvWidth, c.hidden, true),
                                   .output = takeLinear(weights, own + "dense", c.hidden, width, true),
                                   .rope = c.rope,
                                   .scale = c.scale};
        if (headNorm) {
            attention.queryNorm = takeLayerNorm(weights, own + "q_layernorm", c.heads.headDim, c.eps);
            attention.keyNorm = takeLayerNorm(weights, own + "k_layernorm", c.heads.headDim, c.eps);
        }
        return DecoderBlockParts{
            .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .mlp = takePlainMlp(weights, prefix + "mlp.fc1", prefix + "mlp.fc2", c, true),
            .parallel = true,
        };
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    if (!config.error())
        parts.head.bias = weights.take("lm_head.bias", {c.vocabulary});
    return parts;
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
// StableLM 2: LayerNorms, a quarter of each head rotates, and in the larger models a norm of its own for each head.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

namespace {

// LayerNorms of the heads, one tensor each, as rows of one.
Norm takeHeadNorms(Weights& weights, const std::string& prefix, int heads, const DecoderConfig& c)
{
    std::vector<at::Tensor> rows;
    for (int head = 0; head < heads; ++head)
        rows.push_back(weights.take(prefix + std::to_string(head) + ".weight", {c.heads.headDim}));
    return {NormKind::Layer, at::stack(rows), {}, c.eps};
}

} // namespace

ModelParts buildStableLm(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 50304,
                                           .hidden = 2560,
                                           .inner = 6912,
                                           .maxPositions = 4096,
                                           .heads = {.kvHeads = 32, .heads = 32},
                                           .epsKey = "layer_norm_eps"});
    c.normKind = NormKind::Layer;
    c.normBias = true;
    const double share = readRotaryShare(config, "partial_rotary_factor", 0.25);
    if (static_cast<int>(c.heads.headDim * share) % 2 != 0)
        config.fail("'partial_rotary_factor' in config.json makes "
                    + std::to_string(static_cast<int>(c.heads.headDim * share))
                    + " dimensions of a head rotate; expected an even number.");
    c.rope = readPartialRope(config, c.heads.headDim, share, c.maxPositions, weights.target().device);
    const bool bias = config.boolean("use_qkv_bias", false), headNorms = config.boolean("qk_layernorm", false);
    const bool parallel = config.boolean("use_parallel_residual", false);
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, false);
        if (bias)
            takeQueryKeyValueBias(weights, prefix + "self_attn.", attention);
        if (headNorms) {
            attention.queryNorm = takeHeadNorms(weights, prefix + "self_attn.q_layernorm.norms.", c.heads.heads, c);
            attention.keyNorm = takeHeadNorms(weights, prefix + "self_attn.k_layernorm.norms.", c.heads.kvHeads, c);
        }
        DecoderBlockParts block{
            .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .mlp = takeGatedMlp(weights, prefix + "mlp.", c.hidden, c.inner, c.activation, false),
            .parallel = parallel,
        };
        if (!parallel)
            block.mlpNorm = takeNorm(weights, prefix + "post_attention_layernorm", c);
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

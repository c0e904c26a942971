// SPDX-License-Identifier: GPL-3.0-or-later
// Falcon (Almazrouei et al. 2023, arXiv 2311.16867): attention beside the MLP, queries of a group with their key and
// value in one tensor. Falcon-RW has ALiBi in place of a rotation, with products that are rounded to bf16 as it was
// trained with. transformers (5.23, 5.24) adds them once by its default path, which is followed here, and twice by its
// eager one.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

namespace {

// query_key_value holds, group by group, the rows of the group's queries, then those of its key and of its value.
AttentionWeights takeFused(Weights& weights, const std::string& prefix, const DecoderConfig& c, const Alibi& alibi,
                           bool bias)
{
    const std::int64_t groups = c.heads.kvHeads, share = c.heads.heads / groups, dim = c.heads.headDim;
    const Linear rows = takeDense(weights, prefix + "query_key_value", groups * (share + 2) * dim, c.hidden, bias);
    const auto part = [&](std::int64_t from, std::int64_t count) {
        const auto of = [&](const at::Tensor& x) {
            return x.defined() ? x.unflatten(0, {groups, share + 2, dim}).narrow(1, from, count).flatten(0, 2) : x;
        };
        return packed(weights, {of(rows.weight), of(rows.bias)});
    };
    AttentionWeights w;
    w.query = part(0, share);
    w.key = part(share, 1);
    w.value = part(share + 1, 1);
    w.output = takeLinear(weights, prefix + "dense", c.hidden, c.hidden, bias);
    w.rope = c.rope;
    w.alibi = alibi;
    w.scale = c.scale;
    return w;
}

} // namespace

ModelParts buildFalcon(Config& config, Weights& weights, int layerLimit)
{
    const int width = config.positive("hidden_size", 4544);
    DecoderConfig c = readDecoder(config, {.vocabulary = 65024,
                                           .hidden = 4544,
                                           .inner = 4 * width,
                                           .maxPositions = 2048,
                                           .heads = {.heads = 71},
                                           .tied = true,
                                           .activation = "gelu",
                                           .epsKey = "layer_norm_epsilon",
                                           .innerKey = "ffn_hidden_size",
                                           .activationKey = "activation"});
    c.normKind = NormKind::Layer;
    c.normBias = true;
    c.names = {"transformer.word_embeddings.weight", "transformer.h.", "transformer.ln_f", "lm_head.weight"};
    Alibi alibi;
    if (config.boolean("alibi", false))
        alibi = {alibiSlopes(c.heads.heads).to(weights.target().device, at::kBFloat16), c.scale};
    else
        c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device);
    const bool newer = config.boolean("new_decoder_architecture", false), bias = config.boolean("bias", false);
    const bool parallel = newer || config.boolean("parallel_attn", true);
    const bool twoNorms = newer && config.integer("num_ln_in_parallel_attn", 2) == 2;
    config.ignore({"apply_residual_connection_post_layernorm", "multi_query", "num_kv_heads", "parallel_attn",
                   "num_ln_in_parallel_attn"}); // where the architecture does not ask for them
    if (newer)
        c.heads.kvHeads = config.positive("num_kv_heads", c.heads.heads);
    else if (config.boolean("multi_query", true))
        c.heads.kvHeads = 1;
    checkGroups(config, c.heads.heads, c.heads.kvHeads);
    const auto layer = [&](const std::string& prefix, int) {
        DecoderBlockParts block{
            .inputNorm = takeNorm(weights, prefix + (twoNorms ? "ln_attn" : "input_layernorm"), c),
            .mixer = std::make_shared<Attention>(attentionSpec(c),
                                                 takeFused(weights, prefix + "self_attention.", c, alibi, bias)),
            .mlp = takePlainMlp(weights, prefix + "mlp.dense_h_to_4h", prefix + "mlp.dense_4h_to_h", c, bias),
            .parallel = parallel,
        };
        if (twoNorms || !parallel)
            block.mlpNorm = takeNorm(weights, prefix + (twoNorms ? "ln_mlp" : "post_attention_layernorm"), c);
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
// LFM2 (Liquid AI 2025, arXiv 2511.23404): gated short convolutions, every few layers attention with norms on the heads
// of q and k; one MLP a layer or, in LFM2-MoE, experts in all layers but the first.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/families.h"
#include "core/lm/mixers/shortconvolution.h"

#include <algorithm>

namespace headscope::lm {

namespace {

// The width of the MLP: what the config says, or two thirds of it rounded up.
int innerWidth(Config& config, int stated)
{
    const int given = config.positive("block_ff_dim", stated);
    const int multiple = config.positive("block_multiple_of", 256);
    const double factor = config.number("block_ffn_dim_multiplier", 1.0);
    if (!config.boolean("block_auto_adjust_ff_dim", true))
        return given;
    if (config.contains("block_ffn_dim_multiplier") && !config.has("block_ffn_dim_multiplier"))
        return std::max(static_cast<int>(2 * std::int64_t{given} / 3), 1);
    const auto scaled = static_cast<std::int64_t>(factor * static_cast<double>(2 * std::int64_t{given} / 3));
    if (scaled < 1 || scaled > 1 << 24)
        config.fail("'block_ffn_dim_multiplier' in config.json makes an MLP of " + std::to_string(scaled)
                    + "; expected at least 1.");
    return static_cast<int>(std::clamp<std::int64_t>((scaled + multiple - 1) / multiple * multiple, 1, 1 << 24));
}

AttentionWeights takeNormedAttention(Weights& weights, const std::string& prefix, const DecoderConfig& c)
{
    const std::int64_t hidden = c.hidden, dim = c.heads.headDim, width = c.heads.heads * dim,
                       kv = c.heads.kvHeads * dim;
    AttentionWeights w;
    w.query = takeLinear(weights, prefix + "q_proj", width, hidden);
    w.key = takeLinear(weights, prefix + "k_proj", kv, hidden);
    w.value = takeLinear(weights, prefix + "v_proj", kv, hidden);
    w.output = takeLinear(weights, prefix + "out_proj", hidden, width);
    w.queryNorm = takeRmsNorm(weights, prefix + "q_layernorm", dim, c.eps);
    w.keyNorm = takeRmsNorm(weights, prefix + "k_layernorm", dim, c.eps);
    w.rope = c.rope;
    w.scale = c.scale;
    return w;
}

std::shared_ptr<const Mixer> takeConvolution(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                             int taps, bool bias)
{
    ShortConvolutionWeights w;
    w.input = takeLinear(weights, prefix + "in_proj", std::int64_t{3} * c.hidden, c.hidden, bias);
    w.conv = {weights.take(prefix + "conv.weight", {c.hidden, 1, taps}),
              bias ? weights.take(prefix + "conv.bias", {c.hidden}) : at::Tensor(), Activation::Identity};
    w.output = takeLinear(weights, prefix + "out_proj", c.hidden, c.hidden, bias);
    const MixerSpec spec{
        .kind = MixerKind::ShortConvolution, .heads = c.hidden, .kvHeads = c.hidden, .headDim = 1, .convWidth = taps};
    return std::make_shared<ShortConvolution>(spec, std::move(w));
}

} // namespace

ModelParts buildLfm2(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 65536,
                                           .hidden = 2560,
                                           .inner = 12288,
                                           .layers = 32,
                                           .maxPositions = 128000,
                                           .heads = {.kvHeads = 8, .heads = 32},
                                           .tied = true,
                                           .epsKey = "norm_eps"});
    c.tied = config.boolean("tie_embedding", c.tied);
    c.activation = Activation::Silu; // whatever the config says
    c.names.finalNorm = "model.embedding_norm";
    config.ignore({"block_dim", "block_norm_eps", "conv_dim", "conv_dim_out", "num_heads", "full_attn_idxs"});
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device, 1000000.0);
    const bool sparse = config.text("model_type", "lfm2") == "lfm2_moe", bias = config.boolean("conv_bias", false);
    const int taps = config.positive("conv_L_cache", 3);
    const std::vector<int> full = config.integers("full_attn_idxs");
    const ExpertShape shape =
        sparse ? readExperts(config, "num_experts", 32, 4, "moe_intermediate_size", 1792) : ExpertShape{};
    const int dense = sparse ? config.integer("num_dense_layers", 2) : c.layers;
    const Routing routing{.scores = Routing::Scores::Sigmoid,
                          .chosen = shape.chosen,
                          .normalised = config.boolean("norm_topk_prob", true),
                          .epsilon = 1e-6,
                          .factor = config.number("routed_scaling_factor", 1.0)};
    const bool corrected = config.boolean("use_expert_bias", true);
    if (!sparse)
        c.inner = innerWidth(config, c.inner);
    const auto layer = [&](const std::string& prefix, int index) {
        const bool attention = layerIs(config, index, "full_attention", "conv",
                                       full.empty() || std::find(full.begin(), full.end(), index) != full.end());
        DecoderBlockParts block;
        block.inputNorm = takeNorm(weights, prefix + "operator_norm", c);
        if (attention)
            block.mixer =
                std::make_shared<Attention>(attentionSpec(c), takeNormedAttention(weights, prefix + "self_attn.", c));
        else
            block.mixer = takeConvolution(weights, prefix + "conv.", c, taps, bias);
        block.mlpNorm = takeNorm(weights, prefix + "ffn_norm", c);
        const std::string mlp = prefix + "feed_forward.";
        const ExpertNames names{"w1", "w3", "w2"};
        if (index < dense) {
            block.mlp = takeNamedMlp(weights, mlp, c, names);
            return block;
        }
        ExpertParts parts{.router = takeDense(weights, mlp + "gate", shape.count, c.hidden),
                          .routing = routing,
                          .experts = takeExperts(weights, mlp, c, shape, names)};
        if (corrected)
            parts.routing.correction = weights.take(mlp + "expert_bias", {shape.count});
        block.experts = std::make_shared<Experts>(std::move(parts));
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

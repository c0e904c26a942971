// SPDX-License-Identifier: GPL-3.0-or-later
// MiniMax-M2: softmax attention in every layer, with norms over all heads of q and k at once, of which a part rotates;
// experts are chosen by sigmoids and a correction.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/families.h"

#include <nlohmann/json.hpp>

namespace headscope::lm {

ModelParts buildMiniMaxM2(Config& config, Weights& weights, int layerLimit)
{
    config.alias({{"num_local_experts", "num_experts"}});
    if (!config.has("rope_theta"))
        config = config.with("rope_theta", 5e6);
    DecoderConfig c = readDecoder(config, {.vocabulary = 200064,
                                           .hidden = 3072,
                                           .inner = 1536,
                                           .layers = 62,
                                           .maxPositions = 196608,
                                           .heads = {.kvHeads = 8, .headDim = 128, .heads = 48},
                                           .eps = 1e-6});
    const double share = config.has("rotary_dim") ? config.number("rotary_dim") / c.heads.headDim : 1.0;
    c.rope = readPartialRope(config, c.heads.headDim, readRotaryShare(config, "partial_rotary_factor", share),
                             c.maxPositions, weights.target().device);
    const ExpertShape shape = readExperts(config, "num_local_experts", 256, 8, "intermediate_size", 1536);
    for (const auto& [key, value] : {std::pair("use_qk_norm", "true"), std::pair("qk_norm_type", "\"per_layer\""),
                                     std::pair("scoring_func", "\"sigmoid\""), std::pair("use_routing_bias", "true"),
                                     std::pair("shared_intermediate_size", "0")})
        config.assume(key, value);
    config.ignore({"attn_type_list", "layernorm_full_attention_beta", "layernorm_linear_attention_beta",
                   "layernorm_mlp_beta", "mlp_intermediate_size", "num_mtp_modules", "shared_moe_mode",
                   "sliding_window", "use_mtp"}); // of MiniMax-01, or of parts that predict further tokens
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, false);
        attention.queryNorm =
            takeRmsNorm(weights, prefix + "self_attn.q_norm", std::int64_t{c.heads.heads} * c.heads.headDim, c.eps);
        attention.keyNorm =
            takeRmsNorm(weights, prefix + "self_attn.k_norm", std::int64_t{c.heads.kvHeads} * c.heads.headDim, c.eps);
        attention.normsAllHeads = true;
        const std::string moe = prefix + "block_sparse_moe.";
        ExpertParts experts{
            .router = takeDense(weights, moe + "gate", shape.count, c.hidden),
            .routing = {.scores = Routing::Scores::Sigmoid, .chosen = shape.chosen, .normalised = true, .epsilon = 0},
            .experts = takeExperts(weights, moe, c, shape, {"w1", "w3", "w2"})};
        experts.routing.correction = weights.take(moe + "e_score_correction_bias", {shape.count});
        return DecoderBlockParts{
            .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .mlpNorm = takeNorm(weights, prefix + "post_attention_layernorm", c),
            .experts = std::make_shared<Experts>(std::move(experts)),
        };
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

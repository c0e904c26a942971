// SPDX-License-Identifier: GPL-3.0-or-later
// Apertus (arXiv 2509.14233): norms over the heads of q and k, and an MLP without a gate whose activation xIELU (arXiv
// 2411.13010) has two learned slopes in each layer.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

#include <nlohmann/json.hpp>

namespace headscope::lm {

ModelParts buildApertus(Config& config, Weights& weights, int layerLimit)
{
    // Without settings of its own a model has those of the class.
    if (!config.has("rope_scaling") && !config.has("rope_parameters") && !config.has("rope_theta"))
        config = config.with("rope_parameters", {{"rope_type", "llama3"},
                                                 {"rope_theta", 12000000.0},
                                                 {"factor", 8.0},
                                                 {"original_max_position_embeddings", 8192},
                                                 {"low_freq_factor", 1.0},
                                                 {"high_freq_factor", 4.0}});
    const bool learned = config.text("hidden_act", "xielu") == "xielu";
    Config named = learned ? config.with("hidden_act", "silu") : config; // which is not used then
    DecoderConfig c = readDecoder(named, {.vocabulary = 131072, .maxPositions = 65536, .heads = {.heads = 32}});
    config.adopt(named);
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device, 12e6);
    const bool bias = config.boolean("attention_bias", false);
    config.assume("qk_norm", "true");
    config.assume("post_norm", "false");
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, bias);
        attention.queryNorm = takeRmsNorm(weights, prefix + "self_attn.q_norm", c.heads.headDim, c.eps);
        attention.keyNorm = takeRmsNorm(weights, prefix + "self_attn.k_norm", c.heads.headDim, c.eps);
        Mlp mlp = takePlainMlp(weights, prefix + "mlp.up_proj", prefix + "mlp.down_proj", c, false);
        if (const std::string own = prefix + "mlp.act_fn."; learned)
            mlp.xielu = Xielu{weights.take(own + "alpha_p", {1}), weights.take(own + "alpha_n", {1}),
                              weights.take(own + "beta", {}), weights.take(own + "eps", {})};
        return DecoderBlockParts{
            .inputNorm = takeNorm(weights, prefix + "attention_layernorm", c),
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .mlpNorm = takeNorm(weights, prefix + "feedforward_layernorm", c),
            .mlp = std::move(mlp),
        };
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
// GLM-4.5 to 4.7 (glm4_moe, arXiv 2508.06471) and dots.llm1 (arXiv 2506.05767): grouped queries with DeepSeek-V3's
// experts.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

namespace {

void takeQueryKeyNorms(Weights& weights, const std::string& prefix, const DecoderConfig& c, AttentionWeights& attention)
{
    attention.queryNorm = takeRmsNorm(weights, prefix + "q_norm", c.heads.headDim, c.eps);
    attention.keyNorm = takeRmsNorm(weights, prefix + "k_norm", c.heads.headDim, c.eps);
}

DecoderBlockParts layerAround(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                              const AttentionWeights& attention)
{
    return {
        .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
        .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
        .mlpNorm = takeNorm(weights, prefix + "post_attention_layernorm", c),
    };
}

} // namespace

ModelParts buildGlm4Moe(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 151552,
                                           .inner = 10944,
                                           .layers = 46,
                                           .maxPositions = 131072,
                                           .heads = {.kvHeads = 8, .heads = 96}});
    c.rope = readPartialRope(config, c.heads.headDim, readRotaryShare(config, "partial_rotary_factor", 0.5),
                             c.maxPositions, weights.target().device);
    const bool bias = config.boolean("attention_bias", false), normed = config.boolean("use_qk_norm", false);
    const GroupedExperts experts = readGroupedExperts(config, {.count = 128, .dense = 1});
    const auto layer = [&](const std::string& prefix, int index) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, false);
        if (bias)
            takeQueryKeyValueBias(weights, prefix + "self_attn.", attention);
        if (normed)
            takeQueryKeyNorms(weights, prefix + "self_attn.", c, attention);
        DecoderBlockParts block = layerAround(weights, prefix, c, attention);
        takeGroupedFeedForward(weights, prefix + "mlp.", c, experts, index < experts.dense, block);
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

ModelParts buildDots1(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 152064,
                                           .hidden = 4608,
                                           .inner = 10944,
                                           .layers = 62,
                                           .maxPositions = 2048,
                                           .heads = {.kvHeads = 32, .heads = 32},
                                           .eps = 1e-6});
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device);
    const bool bias = config.boolean("attention_bias", false);
    for (const char* key : {"n_routed_experts", "n_shared_experts", "num_experts_per_tok"}) // the class has no number
        static_cast<void>(config.positive(key));
    const GroupedExperts experts = readGroupedExperts(config, {.normalised = false});
    config.ignore({"max_window_layers", "scoring_func"}); // the class takes the sigmoid, whatever the latter says
    const auto layer = [&](const std::string& prefix, int index) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, bias);
        takeQueryKeyNorms(weights, prefix + "self_attn.", c, attention);
        attention.window = readWindow(config, index, 4096, index >= config.integer("max_window_layers", 62));
        DecoderBlockParts block = layerAround(weights, prefix, c, attention);
        takeGroupedFeedForward(weights, prefix + "mlp.", c, experts, index < experts.dense, block);
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

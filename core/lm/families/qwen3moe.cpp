// SPDX-License-Identifier: GPL-3.0-or-later
// Qwen3-MoE, and Qwen1.5-MoE and Qwen2-MoE (qwen2_moe) with a shared expert behind a gate: a Qwen3 or Qwen2 with
// experts in most layers.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/families.h"

#include <algorithm>

namespace headscope::lm {

namespace {

ModelParts qwenExpertParts(Config& config, Weights& weights, int layerLimit, bool third)
{
    DecoderConfig c = third ? readDecoder(config, {.vocabulary = 151936,
                                                   .hidden = 2048,
                                                   .inner = 6144,
                                                   .layers = 24,
                                                   .maxPositions = 32768,
                                                   .heads = {.kvHeads = 4},
                                                   .eps = 1e-6})
                            : readDecoder(config, {.vocabulary = 151936,
                                                   .hidden = 2048,
                                                   .inner = 5632,
                                                   .layers = 24,
                                                   .maxPositions = 32768,
                                                   .heads = {.kvHeads = 16},
                                                   .eps = 1e-6});
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device);
    const QwenExperts experts = readQwenExperts(config, third ? 128 : 60, third ? 8 : 4, third ? 768 : 1408);
    const bool bias = config.boolean(third ? "attention_bias" : "qkv_bias", !third);
    const auto layer = [&](const std::string& prefix, int index) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, third && bias);
        if (third) {
            attention.queryNorm = takeRmsNorm(weights, prefix + "self_attn.q_norm", c.heads.headDim, c.eps);
            attention.keyNorm = takeRmsNorm(weights, prefix + "self_attn.k_norm", c.heads.headDim, c.eps);
        } else if (bias) {
            takeQueryKeyValueBias(weights, prefix + "self_attn.", attention);
        }
        // Qwen3 has one window for all layers; Qwen2, where no layer_types say it, for every other one of the first.
        const bool windowed = third || (index % 2 == 0 && index < config.integer("max_window_layers", 28));
        attention.window = readSwitchedWindow(config, index, 4096, windowed);
        DecoderBlockParts block = takePreNormBlock(weights, prefix, c, attention);
        takeQwenFeedForward(weights, prefix + "mlp.", c, experts, index, !third, block);
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace

QwenExperts readQwenExperts(Config& config, int count, int chosen, int inner, bool normalised)
{
    QwenExperts experts;
    const char* key = config.has("num_local_experts") ? "num_local_experts" : "num_experts"; // v5 writes the first
    experts.none = config.has(key) && config.integer(key) == 0;
    if (experts.none)
        config.ignore({"moe_intermediate_size", "num_experts_per_tok"});
    else
        experts.shape = readExperts(config, key, count, chosen, "moe_intermediate_size", inner);
    experts.sharedInner = config.positive("shared_expert_intermediate_size", 512);
    experts.every = config.positive("decoder_sparse_step", 1);
    experts.dense = config.integers("mlp_only_layers");
    experts.normalised = config.boolean("norm_topk_prob", normalised);
    return experts;
}

void takeQwenFeedForward(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                         const QwenExperts& experts, int layer, bool shared, DecoderBlockParts& block)
{
    const bool dense = std::find(experts.dense.begin(), experts.dense.end(), layer) != experts.dense.end();
    if (experts.none || dense || (layer + 1) % experts.every != 0) {
        block.mlp = takeGatedMlp(weights, prefix, c.hidden, c.inner, c.activation, false);
        return;
    }
    ExpertParts parts{.router = takeDense(weights, prefix + "gate", experts.shape.count, c.hidden),
                      .routing = {.chosen = experts.shape.chosen, .normalised = experts.normalised},
                      .experts = weights.has(prefix + "experts.gate_up_proj") && weights.hasNumbers()
                                     ? takeStackedExperts(weights, prefix + "experts.gate_up_proj",
                                                          prefix + "experts.down_proj", c, experts.shape)
                                     : takeExperts(weights, prefix, c, experts.shape)};
    if (shared) {
        parts.shared =
            takeGatedMlp(weights, prefix + "shared_expert.", c.hidden, experts.sharedInner, c.activation, false);
        parts.sharedGate = takeLinear(weights, prefix + "shared_expert_gate", 1, c.hidden);
    }
    block.experts = std::make_shared<Experts>(std::move(parts));
}

ModelParts buildQwen3Moe(Config& config, Weights& weights, int layerLimit)
{
    return qwenExpertParts(config, weights, layerLimit, true);
}

ModelParts buildQwen2Moe(Config& config, Weights& weights, int layerLimit)
{
    return qwenExpertParts(config, weights, layerLimit, false);
}

} // namespace headscope::lm

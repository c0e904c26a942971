// SPDX-License-Identifier: GPL-3.0-or-later
// ERNIE 4.5, dense and with experts: a Llama with one switch for all its biases, whose rotated pairs lie next to each
// other.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

namespace {

DecoderBlockParts ernieLayer(Weights& weights, const std::string& prefix, const DecoderConfig& c, bool bias)
{
    AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, bias);
    interleavedToHalves(weights, attention, c);
    return {
        .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
        .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
        .mlpNorm = takeNorm(weights, prefix + "post_attention_layernorm", c),
    };
}

DecoderConfig readErnie(Config& config, const Weights& weights, const DecoderDefaults& defaults)
{
    DecoderConfig c = readDecoder(config, defaults);
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device, 5e5);
    c.interleaved = true;
    config.assume("use_rmsnorm", "true");
    return c;
}

} // namespace

ModelParts buildErnie45(Config& config, Weights& weights, int layerLimit)
{
    const DecoderConfig c = readErnie(config, weights,
                                      {.vocabulary = 103424,
                                       .hidden = 1024,
                                       .inner = 3072,
                                       .layers = 18,
                                       .maxPositions = 131072,
                                       .heads = {.kvHeads = 2, .headDim = 128, .heads = 16},
                                       .tied = true});
    const bool bias = config.boolean("use_bias", false);
    const auto layer = [&](const std::string& prefix, int) {
        DecoderBlockParts block = ernieLayer(weights, prefix, c, bias);
        block.mlp = takeGatedMlp(weights, prefix + "mlp.", c.hidden, c.inner, c.activation, bias);
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

ModelParts buildErnie45Moe(Config& config, Weights& weights, int layerLimit)
{
    config.alias({{"num_experts_per_tok", "moe_k"}, {"moe_num_experts", "num_experts"}});
    const DecoderConfig c = readErnie(config, weights,
                                      {.vocabulary = 103424,
                                       .hidden = 2560,
                                       .inner = 12288,
                                       .layers = 28,
                                       .maxPositions = 131072,
                                       .heads = {.kvHeads = 4, .heads = 20},
                                       .tied = true});
    const ExpertShape shape = readExperts(config, "moe_num_experts", 64, 6, "moe_intermediate_size", 1536);
    const bool bias = config.boolean("use_bias", false);
    const int shared = config.integer("moe_num_shared_experts", 2), first = config.integer("moe_layer_start_index", 1),
              last = config.integer("moe_layer_end_index", -1), every = config.positive("moe_layer_interval", 1);
    const double least = config.number("moe_norm_min", 1e-12);
    const int sharedInner =
        shared > 0 ? static_cast<int>(config.multiple("moe_num_shared_experts", 2, shape.inner)) : 0;
    config.ignore({"moe_capacity"});
    config.assume("moe_gate", "\"topk\"");
    config.assume("moe_use_aux_free", "true");
    weights.ignore([](const std::string& name) { return name.find("mtp_") != std::string::npos; });
    const auto layer = [&](const std::string& prefix, int index) {
        DecoderBlockParts block = ernieLayer(weights, prefix, c, bias);
        const std::string mlp = prefix + "mlp.";
        if ((index + 1) % every != 0 || index < first || (last != -1 && index > last)) {
            block.mlp = takeGatedMlp(weights, mlp, c.hidden, c.inner, c.activation, bias);
            return block;
        }
        ExpertParts parts{.router = takeDense(weights, mlp + "gate", shape.count, c.hidden),
                          .routing = {.chosen = shape.chosen, .normalised = true, .epsilon = 0, .leastSum = least},
                          .experts = takeExperts(weights, mlp, c, shape)};
        parts.routing.correction =
            weights.take(mlp + "moe_statics.e_score_correction_bias", {1, shape.count}).flatten();
        if (shared > 0)
            parts.shared = takeGatedMlp(weights, mlp + "shared_experts.", c.hidden, sharedInner, c.activation, bias);
        block.experts = std::make_shared<Experts>(std::move(parts));
        return block;
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    if (bias)
        parts.head.bias = weights.take("lm_head.bias", {c.vocabulary});
    return parts;
}

} // namespace headscope::lm

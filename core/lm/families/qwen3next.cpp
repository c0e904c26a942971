// SPDX-License-Identifier: GPL-3.0-or-later
// Qwen3-Next and Qwen3.5: gated DeltaNet layers, every few layers attention with an output gate, experts or one MLP.
#include "core/lm/families/deltaparts.h"
#include "core/lm/families/expertparts.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

namespace {

// q_proj holds, head by head, the rows of q and then those of the output gate.
AttentionWeights takeGatedAttention(Weights& weights, const std::string& prefix, const DecoderConfig& c, bool bias)
{
    const std::int64_t heads = c.heads.heads, dim = c.heads.headDim, width = heads * dim,
                       kv = std::int64_t{c.heads.kvHeads} * dim, hidden = c.hidden;
    const Linear both = takeDense(weights, prefix + "q_proj", 2 * width, hidden, bias);
    const auto part = [&](std::int64_t which) {
        return packed(weights,
                      {both.weight.view({heads, 2, dim, hidden}).select(1, which).reshape({width, hidden}),
                       bias ? both.bias.view({heads, 2, dim}).select(1, which).reshape({width}) : at::Tensor()});
    };
    AttentionWeights w;
    w.query = part(0);
    w.outputGate = part(1);
    w.key = takeLinear(weights, prefix + "k_proj", kv, hidden, bias);
    w.value = takeLinear(weights, prefix + "v_proj", kv, hidden, bias);
    w.output = takeLinear(weights, prefix + "o_proj", hidden, width, bias);
    w.queryNorm = takeRmsNorm(weights, prefix + "q_norm", dim, c.eps, NormKind::RmsPlusOne);
    w.keyNorm = takeRmsNorm(weights, prefix + "k_norm", dim, c.eps, NormKind::RmsPlusOne);
    w.rope = c.rope;
    w.scale = c.scale;
    return w;
}

} // namespace

ModelParts buildQwen3Next(Config& config, Weights& weights, int layerLimit)
{
    const std::string type = config.text("model_type", "qwen3_next");
    DecoderConfig c =
        readDecoder(config, {.vocabulary = 151936,
                             .hidden = type == "qwen3_next" ? 2048 : 4096,
                             .inner = type == "qwen3_next" ? 5632 : 12288,
                             .maxPositions = 32768,
                             .heads = {.kvHeads = type == "qwen3_5_text" ? 4 : 2, .headDim = 256, .heads = 16},
                             .eps = 1e-6});
    c.normKind = NormKind::RmsPlusOne;
    c.rope = readPartialRope(config, c.heads.headDim, readRotaryShare(config, "partial_rotary_factor", 0.25),
                             c.maxPositions, weights.target().device);
    DeltaShape delta{config.positive("linear_num_key_heads", 16), config.positive("linear_num_value_heads", 32),
                     config.positive("linear_key_head_dim", 128), config.positive("linear_value_head_dim", 128),
                     config.positive("linear_conv_kernel_dim", 4)};
    delta.partByPart = type.starts_with("qwen3_5");
    checkGroups(config, delta.valueHeads, delta.keyHeads);
    config.ignore({"use_sliding_window", "sliding_window", "max_window_layers"}); // no layer has one
    const int interval = config.positive("full_attention_interval", 4);
    QwenExperts experts;
    experts.none = type == "qwen3_5_text";
    if (!experts.none)
        experts =
            type == "qwen3_next" ? readQwenExperts(config, 512, 10, 512, true) : readQwenExperts(config, 256, 8, 512);
    experts.normalised |= delta.partByPart; // its router always does
    const bool bias = config.boolean("attention_bias", false);
    const auto layer = [&](const std::string& prefix, int index) {
        const auto norm = [&](const char* name) {
            return takeRmsNorm(weights, prefix + name, c.hidden, c.eps, NormKind::RmsPlusOne);
        };
        const bool full = layerIs(config, index, "full_attention", "linear_attention", (index + 1) % interval == 0);
        DecoderBlockParts block;
        block.inputNorm = norm("input_layernorm");
        if (full)
            block.mixer = std::make_shared<Attention>(attentionSpec(c),
                                                      takeGatedAttention(weights, prefix + "self_attn.", c, bias));
        else
            block.mixer = std::make_shared<GatedDeltaNet>(deltaSpec(delta),
                                                          takeDelta(weights, prefix + "linear_attn.", c, delta));
        block.mlpNorm = norm("post_attention_layernorm");
        takeQwenFeedForward(weights, prefix + "mlp.", c, experts, index, true, block);
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

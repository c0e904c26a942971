// SPDX-License-Identifier: GPL-3.0-or-later
// Qwen3-Next without experts: gated DeltaNet layers, every few layers attention with an output gate.
#include "core/lm/families/families.h"
#include "core/lm/families/hybridparts.h"
#include "core/lm/mixers/gateddeltanet.h"

#include <algorithm>

namespace headscope::lm {

namespace {

struct DeltaShape {
    int keyHeads = 16, valueHeads = 32, keyDim = 128, valueDim = 128, taps = 4;
};

MixerSpec deltaSpec(const DeltaShape& s)
{
    return {.kind = MixerKind::GatedDeltaNet,
            .heads = s.valueHeads,
            .kvHeads = s.keyHeads,
            .headDim = s.valueDim,
            .state = s.keyDim,
            .convWidth = s.taps};
}

GatedDeltaNetWeights takeDelta(Weights& weights, const std::string& prefix, const HybridConfig& c, const DeltaShape& s)
{
    const std::int64_t keys = std::int64_t{s.keyHeads} * s.keyDim, values = std::int64_t{s.valueHeads} * s.valueDim;
    GatedDeltaNetWeights w;
    w.queryKeyValueGate = takeLinear(weights, prefix + "in_proj_qkvz", 2 * keys + 2 * values, c.hidden);
    w.betaAlpha = takeLinear(weights, prefix + "in_proj_ba", std::int64_t{2} * s.valueHeads, c.hidden);
    w.conv = {weights.take(prefix + "conv1d.weight", {2 * keys + values, 1, s.taps}), {}, Activation::Silu};
    w.dtBias = weights.take(prefix + "dt_bias", {s.valueHeads});
    w.aLog = weights.take(prefix + "A_log", {s.valueHeads});
    w.norm = takeRmsNorm(weights, prefix + "norm", s.valueDim, c.eps);
    w.output = takeLinear(weights, prefix + "out_proj", c.hidden, values);
    return w;
}

// q_proj holds, head by head, the rows of q and then those of the output gate.
AttentionWeights takeGatedAttention(Weights& weights, const std::string& prefix, const HybridConfig& c, bool bias)
{
    const std::int64_t heads = c.heads.heads, dim = c.heads.headDim, width = heads * dim,
                       kv = std::int64_t{c.heads.kvHeads} * dim, hidden = c.hidden;
    const Linear both = takeLinear(weights, prefix + "q_proj", 2 * width, hidden, bias);
    const auto part = [&](std::int64_t which) {
        return Linear{both.weight.view({heads, 2, dim, hidden}).select(1, which).reshape({width, hidden}),
                      bias ? both.bias.view({heads, 2, dim}).select(1, which).reshape({width}) : at::Tensor()};
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
    HybridConfig c = readHybrid(config, 151936, {.kvHeads = 2, .headDim = 256});
    c.eps = config.number("rms_norm_eps", 1e-6);
    c.normKind = NormKind::RmsPlusOne;
    c.rope = readPartialRope(config, c.heads.headDim, readRotaryShare(config, "partial_rotary_factor", 0.25),
                             c.maxPositions, weights.target().device);
    const DeltaShape delta{config.positive("linear_num_key_heads", 16), config.positive("linear_num_value_heads", 32),
                           config.positive("linear_key_head_dim", 128), config.positive("linear_value_head_dim", 128),
                           config.positive("linear_conv_kernel_dim", 4)};
    checkGroups(config, delta.valueHeads, delta.keyHeads);
    const int interval = config.positive("full_attention_interval", 4);
    const std::vector<std::string> types = config.texts("layer_types");
    const std::vector<int> dense = config.integers("mlp_only_layers");
    const bool bias = config.boolean("attention_bias", false);
    for (int i = 0; i < c.layers && config.integer("num_experts", 512) > 0; ++i)
        if (std::find(dense.begin(), dense.end(), i) == dense.end()
            && (i + 1) % config.positive("decoder_sparse_step", 1) == 0) {
            config.fail("This Qwen3-Next model has experts in layer L" + std::to_string(i)
                        + "; only dense layers are supported.");
            break;
        }
    const auto layer = [&](const std::string& prefix, int index, MixerSpec& spec) {
        const auto norm = [&](const char* name) {
            return takeRmsNorm(weights, prefix + name, c.hidden, c.eps, NormKind::RmsPlusOne);
        };
        const bool full = static_cast<std::size_t>(index) < types.size()
                              ? types[static_cast<std::size_t>(index)] == "full_attention"
                              : (index + 1) % interval == 0;
        DecoderBlockParts block;
        block.inputNorm = norm("input_layernorm");
        if (full)
            block.mixer = std::make_shared<Attention>(attentionSpec(c),
                                                      takeGatedAttention(weights, prefix + "self_attn.", c, bias));
        else
            block.mixer = std::make_shared<GatedDeltaNet>(deltaSpec(delta),
                                                          takeDelta(weights, prefix + "linear_attn.", c, delta));
        block.mlpNorm = norm("post_attention_layernorm");
        block.mlp = takeGatedMlp(weights, prefix + "mlp.", c.hidden, c.inner, c.activation, false);
        spec = block.mixer->spec();
        return std::make_shared<DecoderBlock>(std::move(block));
    };
    return buildHybrid(config, weights, layerLimit, c, "model.norm", layer);
}

} // namespace headscope::lm

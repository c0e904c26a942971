// SPDX-License-Identifier: GPL-3.0-or-later
// OLMo-Hybrid: OLMo-3's attention, norms behind it, in every fourth layer; the gated delta rule with norms before it in
// the others.
#include "core/lm/families/deltaparts.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

namespace {

std::shared_ptr<const Mixer> takeMixer(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                       const DeltaShape& s, bool turnsOver)
{
    const std::int64_t keys = std::int64_t{s.keyHeads} * s.keyDim, values = std::int64_t{s.valueHeads} * s.valueDim;
    const auto rows = [&](const char* name, std::int64_t count) {
        return weights.take(prefix + name + "_proj.weight", {count, c.hidden});
    };
    GatedDeltaNetWeights w;
    w.queryKeyValueGate =
        packed(weights, joinedByKeyHead({rows("q", keys), rows("k", keys), rows("v", values), rows("g", values)}, s));
    w.betaAlpha = joinedByKeyHead({rows("b", s.valueHeads), rows("a", s.valueHeads)}, s);
    w.betaFactor = turnsOver ? 2.0 : 1.0;
    w.conv = takeThreeConvs(weights, prefix, s, c.activation);
    w.dtBias = weights.take(prefix + "dt_bias", {s.valueHeads});
    w.aLog = weights.take(prefix + "A_log", {s.valueHeads});
    w.norm = takeRmsNorm(weights, prefix + "o_norm", s.valueDim, 1e-5); // fixed in the reference
    w.output = takeLinear(weights, prefix + "o_proj", c.hidden, values);
    return std::make_shared<GatedDeltaNet>(deltaSpec(s), std::move(w));
}

} // namespace

ModelParts buildOlmoHybrid(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 100352,
                                           .hidden = 3840,
                                           .inner = 11008,
                                           .maxPositions = 65536,
                                           .heads = {.heads = 30},
                                           .eps = 1e-6});
    const Config rotary = config.object("rope_parameters");
    rotary.ignore({"rope_type"});
    const bool none = rotary.contains("rope_theta") && !rotary.has("rope_theta");
    if (!none || !config.object("rope_scaling").json().empty()) // released models have no positions
        c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device);
    DeltaShape delta;
    delta.keyHeads = config.positive("linear_num_key_heads", c.heads.heads);
    delta.valueHeads = config.positive("linear_num_value_heads", c.heads.heads);
    delta.keyDim = config.positive("linear_key_head_dim", std::max(3 * c.hidden / 4 / delta.keyHeads, 1));
    delta.valueDim = config.positive("linear_value_head_dim", 2 * delta.keyDim);
    delta.taps = config.positive("linear_conv_kernel_dim", 4);
    checkGroups(config, delta.valueHeads, delta.keyHeads);
    const bool turnsOver = config.boolean("linear_allow_neg_eigval", true),
               bias = config.boolean("attention_bias", false);
    const auto layer = [&](const std::string& prefix, int index) {
        const bool full = layerIs(config, index, "full_attention", "linear_attention",
                                  index % 4 == 3 || (c.layers < 4 && index == c.layers - 1));
        // Names of the hub, and those that transformers gives them in memory.
        const auto norm = [&](const char* name, const char* other) {
            return takeNorm(weights, prefix + (weights.has(prefix + name + ".weight") ? name : other), c);
        };
        const Mlp mlp = takeGatedMlp(weights, prefix + "mlp.", c.hidden, c.inner, c.activation, false);
        if (!full)
            return DecoderBlockParts{
                .inputNorm = norm("attention_layer_norm", "input_layernorm"),
                .mixer = takeMixer(weights, prefix + "linear_attn.", c, delta, turnsOver),
                .mlpNorm = norm("feedforward_layer_norm", "post_attention_layernorm"),
                .mlp = mlp,
            };
        const std::string own = prefix + "self_attn.";
        AttentionWeights attention = takeAttentionWeights(weights, own, c, bias);
        const std::int64_t dim = c.heads.headDim;
        attention.queryNorm = takeRmsNorm(weights, own + "q_norm", c.heads.heads * dim, c.eps);
        attention.keyNorm = takeRmsNorm(weights, own + "k_norm", c.heads.kvHeads * dim, c.eps);
        attention.normsAllHeads = true;
        return DecoderBlockParts{
            .inputNorm = {.kind = NormKind::None},
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .postMixerNorm = norm("post_attention_layernorm", "feedforward_layer_norm"),
            .mlpNorm = Norm{.kind = NormKind::None},
            .mlp = mlp,
            .postMlpNorm = takeNorm(weights, prefix + "post_feedforward_layernorm", c),
        };
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
// OLMo-2 and OLMo-3: norms behind attention and MLP instead of before them, and over all heads of q and k at once.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

namespace {

constexpr double kTheta = 500000.0; // of OLMo-3's class

ModelParts olmoParts(Config& config, Weights& weights, int layerLimit, bool third)
{
    const DecoderConfig c = readDecoder(config, {.vocabulary = 50304, .inner = 11008, .maxPositions = 2048});
    const bool bias = config.boolean("attention_bias", false);
    const at::Device device = weights.target().device;
    Rope full, sliding;
    if (third) {
        const int dims = c.heads.headDim, longest = c.maxPositions;
        full = readRopeOfKind(config, "full_attention", dims, longest, device, {.theta = kTheta});
        // rope_theta at the top is for the layers of full attention alone.
        sliding = readRopeOfKind(config, "sliding_attention", dims, longest, device, {.thetaKey = "", .theta = kTheta});
    } else {
        full = readRope(config, c.heads.headDim, c.maxPositions, device);
    }
    if (third && config.number("rope_theta", kTheta) != kTheta && sliding.theta == kTheta)
        weights.warn(
            "'rope_theta' of config.json is not used in layers with a sliding window, whose base is 500000, as "
            "in transformers 5.23.");
    const auto layer = [&](const std::string& prefix, int index) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, bias);
        attention.queryNorm =
            takeRmsNorm(weights, prefix + "self_attn.q_norm", std::int64_t{c.heads.heads} * c.heads.headDim, c.eps);
        attention.keyNorm =
            takeRmsNorm(weights, prefix + "self_attn.k_norm", std::int64_t{c.heads.kvHeads} * c.heads.headDim, c.eps);
        attention.normsAllHeads = true;
        attention.window = third ? readWindow(config, index, 4096, (index + 1) % 4 != 0) : 0;
        attention.rope = attention.window > 0 ? sliding : full;
        return DecoderBlockParts{
            .inputNorm = {.kind = NormKind::None},
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .postMixerNorm = takeNorm(weights, prefix + "post_attention_layernorm", c),
            .mlpNorm = Norm{.kind = NormKind::None},
            .mlp = takeGatedMlp(weights, prefix + "mlp.", c.hidden, c.inner, c.activation, false),
            .postMlpNorm = takeNorm(weights, prefix + "post_feedforward_layernorm", c),
        };
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace

ModelParts buildOlmo2(Config& config, Weights& weights, int layerLimit)
{
    return olmoParts(config, weights, layerLimit, false);
}

ModelParts buildOlmo3(Config& config, Weights& weights, int layerLimit)
{
    return olmoParts(config, weights, layerLimit, true);
}

} // namespace headscope::lm

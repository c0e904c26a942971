// SPDX-License-Identifier: GPL-3.0-or-later
// Command R (cohere) and Command R7B, A (cohere2): one LayerNorm without bias feeds attention and MLP side by side;
// rotated pairs lie next to each other. In cohere2 only the layers with a window have positions.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

namespace {

ModelParts cohereParts(Config& config, Weights& weights, int layerLimit, bool second)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 256000,
                                           .hidden = 8192,
                                           .inner = 22528,
                                           .layers = 40,
                                           .maxPositions = 8192,
                                           .heads = {.heads = 64},
                                           .tied = true,
                                           .epsKey = "layer_norm_eps"});
    c.normKind = NormKind::Layer;
    c.interleaved = true;
    const Rope rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device, second ? 1e4 : 5e5);
    const bool bias = config.boolean("attention_bias", false);
    config.ignore({"layer_switch"});
    const bool headNorms = !second && config.boolean("use_qk_norm", false);
    const int pattern = config.positive("sliding_window_pattern", 4);
    const double scale = config.number("logit_scale", 0.0625);
    const auto layer = [&](const std::string& prefix, int index) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, bias);
        const auto headNorm = [&](const char* name, int heads) {
            return Norm{NormKind::Layer, weights.take(prefix + name, {heads, c.heads.headDim}), {}, c.eps};
        };
        if (headNorms) {
            attention.queryNorm = headNorm("self_attn.q_norm.weight", c.heads.heads);
            attention.keyNorm = headNorm("self_attn.k_norm.weight", c.heads.kvHeads);
        }
        attention.window = second ? readWindow(config, index, 4096, (index + 1) % pattern != 0) : 0;
        if (!second || attention.window > 0)
            attention.rope = rope;
        interleavedToHalves(weights, attention, c);
        return DecoderBlockParts{
            .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .mlp = takeGatedMlp(weights, prefix + "mlp.", c.hidden, c.inner, c.activation, false),
            .parallel = true,
        };
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    parts.logitMultiplier = scale;
    return parts;
}

} // namespace

ModelParts buildCohere(Config& config, Weights& weights, int layerLimit)
{
    return cohereParts(config, weights, layerLimit, false);
}

ModelParts buildCohere2(Config& config, Weights& weights, int layerLimit)
{
    return cohereParts(config, weights, layerLimit, true);
}

} // namespace headscope::lm

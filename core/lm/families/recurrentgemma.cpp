// SPDX-License-Identifier: GPL-3.0-or-later
// RecurrentGemma (Botev et al. 2024, arXiv 2404.07839): two layers of the gated linear recurrence to one of attention
// with a window.
#include "core/lm/families/decoder.h"
#include "core/lm/families/factors.h"
#include "core/lm/families/families.h"
#include "core/lm/mixers/gatedrecurrence.h"

#include <cmath>

namespace headscope::lm {

namespace {

std::shared_ptr<const Mixer> takeRecurrence(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                            int width, int taps)
{
    const std::int64_t blocks = c.heads.heads, block = width / c.heads.heads;
    const std::string unit = prefix + "rg_lru.";
    GatedRecurrenceWeights w;
    w.input = takeLinear(weights, prefix + "linear_x", width, c.hidden, true);
    w.gate = takeLinear(weights, prefix + "linear_y", width, c.hidden, true);
    w.gateActivation = c.activation;
    w.conv = {weights.take(prefix + "conv_1d.weight", {width, 1, taps}), weights.take(prefix + "conv_1d.bias", {width}),
              Activation::Identity};
    w.inputWeight = weights.take(unit + "input_gate_weight", {blocks, block, block});
    w.inputBias = weights.take(unit + "input_gate_bias", {blocks, block});
    w.recurrentWeight = weights.take(unit + "recurrent_gate_weight", {blocks, block, block});
    w.recurrentBias = weights.take(unit + "recurrent_gate_bias", {blocks, block});
    w.recurrence = weights.take(unit + "recurrent_param", {width});
    w.output = takeLinear(weights, prefix + "linear_out", c.hidden, width, true);
    const MixerSpec spec{
        .kind = MixerKind::GatedRecurrence, .heads = width, .kvHeads = 1, .headDim = 1, .state = 1, .convWidth = taps};
    return std::make_shared<GatedRecurrence>(spec, std::move(w));
}

} // namespace

ModelParts buildRecurrentGemma(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 256000,
                                           .hidden = 2560,
                                           .inner = 7680,
                                           .layers = 26,
                                           .maxPositions = 1 << 20,
                                           .heads = {.heads = 10},
                                           .eps = 1e-6,
                                           .tied = true,
                                           .activation = "gelu_pytorch_tanh",
                                           .activationKey = "hidden_activation"});
    c.normKind = NormKind::RmsPlusOne;
    c.names.finalNorm = "model.final_norm";
    c.inner = std::max(c.inner / 2, 1); // stated for gate and up together
    c.rope = readPartialRope(config, c.heads.headDim, readRotaryShare(config, "partial_rotary_factor", 0.5),
                             c.maxPositions, weights.target().device);
    const int width = config.positive("lru_width", c.hidden), taps = config.positive("conv1d_width", 4);
    if (width % c.heads.heads != 0)
        config.fail("The width " + std::to_string(width) + " of the recurrence cannot be divided into "
                    + std::to_string(c.heads.heads) + " blocks.");
    // Two names of one key; transformers takes the second for the first where a file has both.
    const int window = config.positive("sliding_window", config.positive("attention_window_size", 2048));
    const bool bias = config.boolean("attention_bias", false);
    const double cap = readFactor(config, "logits_soft_cap", 30.0);
    std::vector<std::string> types = config.texts("block_types");
    if (types.empty())
        types = {"recurrent", "recurrent", "attention"};
    const auto layer = [&](const std::string& prefix, int index) {
        const std::string own = prefix + "temporal_block.", mlp = prefix + "mlp_block.";
        DecoderBlockParts block{.inputNorm = takeNorm(weights, prefix + "temporal_pre_norm", c)};
        if (types[static_cast<std::size_t>(index) % types.size()] == "recurrent") {
            block.mixer = takeRecurrence(weights, own, c, width, taps);
        } else {
            AttentionWeights attention = takeAttentionWeights(weights, own, c, bias);
            attention.output.bias = weights.take(own + "o_proj.bias", {c.hidden});
            attention.window = window;
            block.mixer = std::make_shared<Attention>(attentionSpec(c), attention);
        }
        block.mlpNorm = takeNorm(weights, prefix + "channel_pre_norm", c);
        block.mlp = takeGatedMlp(weights, mlp, c.hidden, c.inner, c.activation, true);
        return block;
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    // The reference rounds the root to bf16.
    parts.embeddingMultiplier =
        at::scalar_tensor(std::sqrt(static_cast<double>(c.hidden)), at::kFloat).to(at::kBFloat16).item<double>();
    parts.logitSoftCap = cap;
    return parts;
}

} // namespace headscope::lm

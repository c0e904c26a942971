// SPDX-License-Identifier: GPL-3.0-or-later
// Gemma 3, text: Gemma-2's four norms with norms on the heads of q and k in place of the caps; five layers of a short
// window and a rotation of their own to one that sees everything.
#include "core/lm/families/decoder.h"
#include "core/lm/families/factors.h"
#include "core/lm/families/families.h"

#include <cmath>

namespace headscope::lm {

ModelParts buildGemma3(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 262208,
                                           .hidden = 2304,
                                           .inner = 9216,
                                           .layers = 26,
                                           .maxPositions = 131072,
                                           .heads = {.kvHeads = 4, .headDim = 256, .heads = 8},
                                           .eps = 1e-6,
                                           .tied = true,
                                           .activation = "gelu_pytorch_tanh",
                                           .activationKey = "hidden_activation"});
    c.normKind = NormKind::RmsPlusOne;
    c.scale = 1.0 / std::sqrt(readFactor(config, "query_pre_attn_scalar", 256.0));
    const bool bias = config.boolean("attention_bias", false);
    const int pattern = config.positive("sliding_window_pattern", 6);
    if (config.boolean("use_bidirectional_attention", false))
        config.fail(
            "This Gemma 3 model reads in both directions; only models that read from left to right can be run.");
    const at::Device device = weights.target().device;
    const Rope near = readRopeOfKind(config, "sliding_attention", c.heads.headDim, c.maxPositions, device,
                                     {.thetaKey = "rope_local_base_freq"});
    const Rope far = readRopeOfKind(config, "full_attention", c.heads.headDim, c.maxPositions, device, {.theta = 1e6});
    const double cap = readCap(config, "final_logit_softcapping", 0.0);
    const auto layer = [&](const std::string& prefix, int index) {
        const int window = readWindow(config, index, 4096, (index + 1) % pattern != 0);
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, bias);
        attention.queryNorm =
            takeRmsNorm(weights, prefix + "self_attn.q_norm", c.heads.headDim, c.eps, NormKind::RmsPlusOne);
        attention.keyNorm =
            takeRmsNorm(weights, prefix + "self_attn.k_norm", c.heads.headDim, c.eps, NormKind::RmsPlusOne);
        attention.rope = window > 0 ? near : far;
        attention.window = window;
        return takeGemmaBlock(weights, prefix, c, attention);
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    parts.embeddingMultiplier = std::sqrt(static_cast<double>(c.hidden));
    parts.logitSoftCap = cap;
    return parts;
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
// Gemma-2: four norms a layer that multiply by one plus their weight, soft caps, a window in every other layer.
#include "core/lm/families/decoder.h"
#include "core/lm/families/factors.h"
#include "core/lm/families/families.h"

#include <cmath>

namespace headscope::lm {

ModelParts buildGemma2(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 256000,
                                           .hidden = 2304,
                                           .inner = 9216,
                                           .layers = 26,
                                           .maxPositions = 8192,
                                           .heads = {.kvHeads = 4, .headDim = 256},
                                           .eps = 1e-6,
                                           .tied = true,
                                           .activation = "gelu_pytorch_tanh",
                                           .activationKey = "hidden_activation"});
    config.ignore({"hidden_act"});
    c.normKind = NormKind::RmsPlusOne;
    c.scale = 1.0 / std::sqrt(readFactor(config, "query_pre_attn_scalar", 256.0));
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device);
    const bool bias = config.boolean("attention_bias", false);
    const double scoreCap = readCap(config, "attn_logit_softcapping", 50.0),
                 logitCap = readCap(config, "final_logit_softcapping", 30.0);
    const auto layer = [&](const std::string& prefix, int index) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, bias);
        attention.softCap = scoreCap;
        attention.window = readWindow(config, index, 4096, index % 2 == 0);
        return takeGemmaBlock(weights, prefix, c, attention);
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    parts.embeddingMultiplier = std::sqrt(static_cast<double>(c.hidden));
    parts.logitSoftCap = logitCap;
    return parts;
}

} // namespace headscope::lm

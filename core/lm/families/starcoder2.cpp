// SPDX-License-Identifier: GPL-3.0-or-later
// StarCoder 2: LayerNorms, biases everywhere, an MLP without gate, and a window in every layer.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

ModelParts buildStarCoder2(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 49152,
                                           .hidden = 3072,
                                           .inner = 12288,
                                           .layers = 30,
                                           .maxPositions = 4096,
                                           .heads = {.kvHeads = 2, .heads = 24},
                                           .tied = true,
                                           .activation = "gelu_pytorch_tanh",
                                           .epsKey = "norm_epsilon"});
    c.normKind = NormKind::Layer;
    c.normBias = true;
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device);
    const bool bias = config.boolean("use_bias", true);
    config.ignore({"activation_function"});
    const int window = readWindow(config, 0, 0, config.has("sliding_window"));
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, bias);
        attention.window = window;
        DecoderBlockParts block = takePreNormBlock(weights, prefix, c, attention);
        block.mlp = takePlainMlp(weights, prefix + "mlp.c_fc", prefix + "mlp.c_proj", c, bias);
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

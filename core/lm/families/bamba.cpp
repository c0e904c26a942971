// SPDX-License-Identifier: GPL-3.0-or-later
// Bamba: Llama's blocks, most of them with Mamba-2 in place of attention.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

#include <algorithm>

namespace headscope::lm {

ModelParts buildBamba(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 128000, .heads = {.kvHeads = 8}});
    c.names.finalNorm = "model.final_layernorm";
    const std::vector<int> attention = config.integers("attn_layer_indices");
    const Mamba2Shape mamba = readBambaShape(config, c.hidden, c.eps);
    // The only place where the reference lets the share differ from a half.
    Config rotary = config.object("rope_parameters");
    c.rope = readPartialRope(config, c.heads.headDim, rotary.number("partial_rotary_factor", 0.5), c.maxPositions,
                             weights.target().device);
    config.adopt(rotary);
    const bool bias = config.boolean("attention_bias", false), mlpBias = config.boolean("mlp_bias", false);
    const auto layer = [&](const std::string& prefix, int index) {
        const bool isAttention = std::find(attention.begin(), attention.end(), index) != attention.end();
        DecoderBlockParts block;
        block.inputNorm = takeRmsNorm(weights, prefix + "input_layernorm", c.hidden, c.eps);
        if (isAttention)
            block.mixer = takeAttention(weights, prefix + "self_attn.", c, bias);
        else
            block.mixer = std::make_shared<Mamba2>(mixerSpec(mamba), takeMamba2(weights, prefix + "mamba.", mamba));
        block.mlpNorm = takeRmsNorm(weights, prefix + "pre_ff_layernorm", c.hidden, c.eps);
        block.mlp = takeGatedMlp(weights, prefix + "feed_forward.", c.hidden, c.inner, c.activation, mlpBias);
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
// Arcee's AFM: a Llama whose MLP has no gate.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

ModelParts buildArcee(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(
        config, {.hidden = 2560, .inner = 18432, .maxPositions = 4096, .heads = {.heads = 32}, .activation = "relu2"});
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device);
    const bool bias = config.boolean("attention_bias", false), mlpBias = config.boolean("mlp_bias", false);
    const auto layer = [&](const std::string& prefix, int) {
        return DecoderBlockParts{
            .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
            .mixer = takeAttention(weights, prefix + "self_attn.", c, bias),
            .mlpNorm = takeNorm(weights, prefix + "post_attention_layernorm", c),
            .mlp = takePlainMlp(weights, prefix + "mlp.up_proj", prefix + "mlp.down_proj", c, mlpBias),
        };
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

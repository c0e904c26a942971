// SPDX-License-Identifier: GPL-3.0-or-later
// Phi-3 and Phi-4: a Llama whose q, k and v, and gate and up, are one tensor each, with long scaling of the rotation.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

#include <nlohmann/json.hpp>

namespace headscope::lm {

ModelParts buildPhi3(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 32064, .hidden = 3072, .inner = 8192, .maxPositions = 4096});
    if (!config.has("original_max_position_embeddings")) // the class has it at the top, where it wins
        config = config.with("original_max_position_embeddings", 4096);
    Config older = config.object("rope_scaling"), newer = config.object("rope_parameters");
    for (const Config& scaling : {older, newer})
        if (!scaling.has("long_factor") && (scaling.value("rope_type") == "yarn" || scaling.value("type") == "yarn"))
            config.fail("The rotary scaling 'yarn' of this Phi-3 model has no 'long_factor'; its own code reads one.");
    c.rope = readPartialRope(config, c.heads.headDim, readRotaryShare(config, "partial_rotary_factor", 1.0),
                             c.maxPositions, weights.target().device);
    const int window = readWindow(config, 0, 0, config.has("sliding_window"));
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention = takeFusedAttention(weights, prefix + "self_attn.qkv_proj", c);
        attention.output =
            takeLinear(weights, prefix + "self_attn.o_proj", c.hidden, std::int64_t{c.heads.heads} * c.heads.headDim);
        attention.window = window;
        DecoderBlockParts block = takePreNormBlock(weights, prefix, c, attention);
        block.mlp = takeFusedMlp(weights, prefix + "mlp.gate_up_proj", prefix + "mlp.down_proj", c);
        return block;
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    parts.spec.readsAnew = true;
    return parts;
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
// Phi-3 and Phi-4: a Llama whose q, k and v, and gate and up, are one tensor each, with long scaling of the rotation.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

ModelParts buildPhi3(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 32064, .hidden = 3072, .inner = 8192, .maxPositions = 4096});
    c.rope = readPartialRope(config, c.heads.headDim, readRotaryShare(config, "partial_rotary_factor", 1.0),
                             c.maxPositions, weights.target().device);
    const int window = readWindow(config, 0, 0, config.has("sliding_window"));
    const auto layer = [&](const std::string& prefix, int) {
        const std::int64_t width = std::int64_t{c.heads.heads} * c.heads.headDim,
                           kv = std::int64_t{c.heads.kvHeads} * c.heads.headDim;
        const at::Tensor rows = weights.take(prefix + "self_attn.qkv_proj.weight", {width + 2 * kv, c.hidden});
        AttentionWeights attention;
        attention.query = packed(weights, {rows.narrow(0, 0, width), {}});
        attention.key = packed(weights, {rows.narrow(0, width, kv), {}});
        attention.value = packed(weights, {rows.narrow(0, width + kv, kv), {}});
        attention.output = takeLinear(weights, prefix + "self_attn.o_proj", c.hidden, width);
        attention.rope = c.rope;
        attention.scale = c.scale;
        attention.window = window;
        return DecoderBlockParts{
            .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .mlpNorm = takeNorm(weights, prefix + "post_attention_layernorm", c),
            .mlp = takeFusedMlp(weights, prefix + "mlp.gate_up_proj", prefix + "mlp.down_proj", c),
        };
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    parts.spec.readAnewPast = static_cast<int>(c.rope.turnsBeyond());
    return parts;
}

} // namespace headscope::lm

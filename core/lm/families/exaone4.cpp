// SPDX-License-Identifier: GPL-3.0-or-later
// EXAONE 4: norms behind attention and MLP, and over the heads of q and k. In the larger model three of four layers
// have a window, and only these have positions.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

ModelParts buildExaone4(Config& config, Weights& weights, int layerLimit)
{
    const DecoderConfig c = readDecoder(
        config, {.vocabulary = 102400, .inner = 16384, .maxPositions = 2048, .heads = {.kvHeads = 32, .heads = 32}});
    const Rope rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device);
    const bool windows = config.has("sliding_window") || !config.contains("sliding_window");
    const bool listed = config.has("layer_types");
    if (listed || !windows)
        config.ignore({"sliding_window_pattern"});
    const int pattern = listed || !windows ? 1 : config.positive("sliding_window_pattern", 4);
    const auto layer = [&](const std::string& prefix, int index) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, false);
        attention.queryNorm = takeRmsNorm(weights, prefix + "self_attn.q_norm", c.heads.headDim, c.eps);
        attention.keyNorm = takeRmsNorm(weights, prefix + "self_attn.k_norm", c.heads.headDim, c.eps);
        attention.window = readWindow(config, index, 4096, (index + 1) % pattern != 0);
        if (attention.window > 0 || !windows)
            attention.rope = rope;
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

} // namespace headscope::lm

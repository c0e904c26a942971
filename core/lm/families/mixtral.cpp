// SPDX-License-Identifier: GPL-3.0-or-later
// Mixtral (Jiang et al. 2024, arXiv 2401.04088): a Mistral whose MLP is one of eight, two for each token.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

ModelParts buildMixtral(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.maxPositions = 131072, .heads = {.kvHeads = 8}});
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device, 1e6);
    const ExpertShape shape = readExperts(config, "num_local_experts", 8, 2, "intermediate_size", 14336);
    const int window = readWindow(config, 0, 0, config.has("sliding_window"));
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, false);
        attention.window = window;
        const std::string moe = prefix + "block_sparse_moe.";
        return DecoderBlockParts{
            .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .mlpNorm = takeNorm(weights, prefix + "post_attention_layernorm", c),
            .experts = std::make_shared<Experts>(
                ExpertParts{.router = takeDense(weights, moe + "gate", shape.count, c.hidden),
                            .routing = {.chosen = shape.chosen, .normalised = true},
                            .experts = takeExperts(weights, moe, c, shape, {"w1", "w3", "w2"})}),
        };
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

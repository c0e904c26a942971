// SPDX-License-Identifier: GPL-3.0-or-later
// OPT (Zhang et al. 2022, arXiv 2205.01068): learned positions, the first two rows of which no token has.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

ModelParts buildOpt(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 50272,
                                           .hidden = 768,
                                           .inner = 3072,
                                           .layers = 12,
                                           .maxPositions = 2048,
                                           .heads = {.heads = 12},
                                           .tied = true,
                                           .activation = "relu",
                                           .innerKey = "ffn_dim",
                                           .activationKey = "activation_function"});
    c.eps = 1e-5;
    c.normKind = NormKind::Layer;
    c.normBias = true;
    const std::string base = weights.has("model.decoder.embed_positions.weight") ? "model.decoder." : "decoder.";
    c.names = {base + "embed_tokens.weight", base + "layers.", base + "final_layer_norm", "lm_head.weight"};
    const bool bias = config.boolean("enable_bias", true);
    if (!config.boolean("do_layer_norm_before", true) || config.boolean("_remove_final_layer_norm", false)
        || config.integer("word_embed_proj_dim", c.hidden) != c.hidden)
        config.fail("This OPT model has its norms behind the branches or a narrower embedding (OPT-350m); only those "
                    "with norms before them and an embedding of the stream's width are supported.");
    if (!config.boolean("layer_norm_elementwise_affine", true))
        config.fail("This OPT model has norms without weights, which are not supported.");
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention;
        attention.query = takeLinear(weights, prefix + "self_attn.q_proj", c.hidden, c.hidden, bias);
        attention.key = takeLinear(weights, prefix + "self_attn.k_proj", c.hidden, c.hidden, bias);
        attention.value = takeLinear(weights, prefix + "self_attn.v_proj", c.hidden, c.hidden, bias);
        attention.output = takeLinear(weights, prefix + "self_attn.out_proj", c.hidden, c.hidden, bias);
        attention.scale = c.scale;
        return DecoderBlockParts{
            .inputNorm = takeNorm(weights, prefix + "self_attn_layer_norm", c),
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .mlpNorm = takeNorm(weights, prefix + "final_layer_norm", c),
            .mlp = Mlp{{},
                       takeLinear(weights, prefix + "fc1", c.inner, c.hidden, bias),
                       takeLinear(weights, prefix + "fc2", c.hidden, c.inner, bias),
                       c.activation},
        };
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    if (!config.error())
        parts.positionEmbedding =
            weights.take(base + "embed_positions.weight", {c.maxPositions + 2, c.hidden}).narrow(0, 2, c.maxPositions);
    return parts;
}

} // namespace headscope::lm

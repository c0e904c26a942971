// SPDX-License-Identifier: GPL-3.0-or-later
// BLOOM (BigScience 2022, arXiv 2211.05100): ALiBi, and a norm over what is read of the embedding.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

ModelParts buildBloom(Config& config, Weights& weights, int layerLimit)
{
    config.alias({{"hidden_size", "n_embed"},
                  {"num_hidden_layers", "n_layer"},
                  {"num_attention_heads", "n_head"},
                  {"max_position_embeddings", "seq_length"}});
    DecoderConfig c = readDecoder(config, {.vocabulary = 250880,
                                           .hidden = 64,
                                           .layers = 2,
                                           .maxPositions = 2048,
                                           .heads = {.heads = 8},
                                           .tied = true,
                                           .epsKey = "layer_norm_epsilon"});
    c.inner = 4 * c.hidden;
    c.activation = Activation::GeluTanh;
    c.normKind = NormKind::Layer;
    c.normBias = true;
    const std::string base = weights.has("transformer.word_embeddings.weight") ? "transformer." : "";
    c.names = {base + "word_embeddings.weight", base + "h.", base + "ln_f", "lm_head.weight"};
    config.ignore({"offset_alibi"});
    const Alibi alibi{alibiSlopes(c.heads.heads).to(weights.target().device)};
    if (config.boolean("apply_residual_connection_post_layernorm", false))
        config.fail(
            "This BLOOM model adds to the output of its norms ('apply_residual_connection_post_layernorm'), which is "
            "not supported.");
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention;
        attention.fused =
            takeLinear(weights, prefix + "self_attention.query_key_value", std::int64_t{3} * c.hidden, c.hidden, true);
        attention.output = takeLinear(weights, prefix + "self_attention.dense", c.hidden, c.hidden, true);
        attention.alibi = alibi;
        attention.scale = c.scale;
        DecoderBlockParts block = takePreNormBlock(weights, prefix, c, attention);
        block.mlp = takePlainMlp(weights, prefix + "mlp.dense_h_to_4h", prefix + "mlp.dense_4h_to_h", c, true);
        return block;
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    parts.embeddingNorm = takeNorm(weights, base + "word_embeddings_layernorm", c);
    return parts;
}

} // namespace headscope::lm

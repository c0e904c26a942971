// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-NeoX (Black et al. 2022, arXiv 2204.06745) and Pythia.
#include "core/lm/families/common.h"
#include "core/lm/families/families.h"
#include "core/lm/mixers/attention.h"

#include <cmath>

namespace headscope::lm {

ModelParts buildGptNeox(Config& config, Weights& weights, int layerLimit)
{
    ModelParts parts;
    ModelSpec& spec = parts.spec;
    spec.hidden = config.positive("hidden_size", 6144);
    spec.vocabulary = config.positive("vocab_size", 50432);
    spec.maxPositions = config.positive("max_position_embeddings", 2048);
    readTokenIds(config, spec);
    const int layers = readLayerCount(config, "num_hidden_layers", 44, layerLimit);
    const int heads = config.positive("num_attention_heads", 64);
    const int inner = config.positive("intermediate_size", 24576);
    const double eps = config.number("layer_norm_eps", 1e-5);
    const bool parallel = config.boolean("use_parallel_residual", true);
    const bool bias = config.boolean("attention_bias", true);
    const bool tied = config.boolean("tie_word_embeddings", false);
    const Activation activation = readActivation(config, "hidden_act", "gelu");
    if (spec.hidden % heads != 0)
        config.fail("The width " + std::to_string(spec.hidden) + " cannot be divided into " + std::to_string(heads)
                    + " heads.");
    const int headDim = std::max(spec.hidden / heads, 1);
    const Rope rope =
        readPartialRope(config, headDim, readRotaryShare(config, "rotary_pct", 0.25), spec.maxPositions,
                        weights.target().device, config.has("rotary_emb_base") ? "rotary_emb_base" : "rope_theta");
    if (config.error())
        return parts;

    weights.ignore([](const std::string& name) {
        return name.ends_with(".attention.bias") || name.ends_with(".attention.masked_bias")
               || name.ends_with("rotary_emb.inv_freq");
    });
    const std::int64_t hidden = spec.hidden;
    const TiedTables tables{"gpt_neox.embed_in.weight",
                            weights.has("embed_out.weight") ? "embed_out.weight" : "lm_head.weight", tied};
    parts.embedding = takeEmbedding(weights, tables, {spec.vocabulary, hidden});
    const MixerSpec mixer{.kind = MixerKind::Attention, .heads = heads, .kvHeads = heads, .headDim = headDim};
    for (int layer = 0; layer < layers; ++layer) {
        const std::string prefix = "gpt_neox.layers." + std::to_string(layer) + ".";
        AttentionWeights attention;
        attention.fused = takeLinear(weights, prefix + "attention.query_key_value", 3 * hidden, hidden, bias);
        attention.output = takeLinear(weights, prefix + "attention.dense", hidden, hidden, bias);
        attention.rope = rope;
        attention.scale = 1.0 / std::sqrt(static_cast<double>(headDim));
        parts.blocks.push_back(std::make_shared<DecoderBlock>(DecoderBlockParts{
            .inputNorm = takeLayerNorm(weights, prefix + "input_layernorm", hidden, eps),
            .mixer = std::make_shared<Attention>(mixer, attention),
            .mlpNorm = takeLayerNorm(weights, prefix + "post_attention_layernorm", hidden, eps),
            .mlp = Mlp{{},
                       takeLinear(weights, prefix + "mlp.dense_h_to_4h", inner, hidden, true),
                       takeLinear(weights, prefix + "mlp.dense_4h_to_h", hidden, inner, true),
                       activation},
            .parallel = parallel,
        }));
        spec.layers.push_back({{mixer}, true});
    }
    parts.finalNorm = takeLayerNorm(weights, "gpt_neox.final_layer_norm", hidden, eps);
    parts.head = takeHead(parts, weights, tables);
    return parts;
}

} // namespace headscope::lm

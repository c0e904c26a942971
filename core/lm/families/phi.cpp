// SPDX-License-Identifier: GPL-3.0-or-later
// Phi: one LayerNorm feeds attention and MLP side by side; everything has biases, the head too.
#include "core/lm/families/common.h"
#include "core/lm/families/families.h"
#include "core/lm/mixers/attention.h"

#include <cmath>

namespace headscope::lm {

ModelParts buildPhi(Config& config, Weights& weights, int layerLimit)
{
    ModelParts parts;
    ModelSpec& spec = parts.spec;
    spec.hidden = config.positive("hidden_size", 2048);
    spec.vocabulary = config.positive("vocab_size", 51200);
    spec.maxPositions = config.positive("max_position_embeddings", 2048);
    readTokenIds(config, spec);
    const int layers = readLayerCount(config, "num_hidden_layers", 24, layerLimit);
    const HeadCounts counts = readHeads(config, spec.hidden);
    const int inner = config.positive("intermediate_size", 8192);
    const double eps = config.number("layer_norm_eps", 1e-5);
    const bool headNorm = config.boolean("qk_layernorm", false);
    const bool tied = config.boolean("tie_word_embeddings", false);
    const Activation activation = readActivation(config, "hidden_act", "gelu_new");
    const Rope rope = readPartialRope(config, counts.headDim, readRotaryShare(config, "partial_rotary_factor", 0.5),
                                      spec.maxPositions, weights.target().device);
    if (config.error())
        return parts;

    weights.ignore([](const std::string& name) { return name.ends_with("rotary_emb.inv_freq"); });
    const std::int64_t hidden = spec.hidden, width = std::int64_t{counts.heads} * counts.headDim,
                       kvWidth = std::int64_t{counts.kvHeads} * counts.headDim;
    const TiedTables tables{"model.embed_tokens.weight", "lm_head.weight", tied};
    parts.embedding = takeEmbedding(weights, tables, {spec.vocabulary, hidden});
    const MixerSpec mixer{
        .kind = MixerKind::Attention, .heads = counts.heads, .kvHeads = counts.kvHeads, .headDim = counts.headDim};
    for (int layer = 0; layer < layers; ++layer) {
        const std::string prefix = "model.layers." + std::to_string(layer) + ".";
        AttentionWeights attention;
        attention.query = takeLinear(weights, prefix + "self_attn.q_proj", width, hidden, true);
        attention.key = takeLinear(weights, prefix + "self_attn.k_proj", kvWidth, hidden, true);
        attention.value = takeLinear(weights, prefix + "self_attn.v_proj", kvWidth, hidden, true);
        attention.output = takeLinear(weights, prefix + "self_attn.dense", hidden, width, true);
        if (headNorm) {
            attention.queryNorm = takeLayerNorm(weights, prefix + "self_attn.q_layernorm", counts.headDim, eps);
            attention.keyNorm = takeLayerNorm(weights, prefix + "self_attn.k_layernorm", counts.headDim, eps);
        }
        attention.rope = rope;
        attention.scale = 1.0 / std::sqrt(static_cast<double>(counts.headDim));
        parts.blocks.push_back(std::make_shared<DecoderBlock>(DecoderBlockParts{
            .inputNorm = takeLayerNorm(weights, prefix + "input_layernorm", hidden, eps),
            .mixer = std::make_shared<Attention>(mixer, attention),
            .mlp = Mlp{{},
                       takeLinear(weights, prefix + "mlp.fc1", inner, hidden, true),
                       takeLinear(weights, prefix + "mlp.fc2", hidden, inner, true),
                       activation},
            .parallel = true,
        }));
        spec.layers.push_back({{mixer}, true});
    }
    parts.finalNorm = takeLayerNorm(weights, "model.final_layernorm", hidden, eps);
    parts.head = takeHead(parts, weights, tables);
    parts.head.bias = weights.take("lm_head.bias", {spec.vocabulary});
    return parts;
}

} // namespace headscope::lm

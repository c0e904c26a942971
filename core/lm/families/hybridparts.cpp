// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/families/hybridparts.h"

#include <cmath>

namespace headscope::lm {

HybridConfig readHybrid(Config& config, int vocabulary, const HeadDefaults& heads)
{
    HybridConfig c;
    c.hidden = config.positive("hidden_size", 4096);
    c.vocabulary = config.positive("vocab_size", vocabulary);
    c.layers = readLayerCount(config, "num_hidden_layers", 32, 0);
    c.inner = config.positive("intermediate_size", 14336);
    c.maxPositions = config.positive("max_position_embeddings", 262144);
    c.heads = readHeads(config, c.hidden, heads);
    c.eps = config.number("rms_norm_eps", 1e-5);
    c.scale = 1.0 / std::sqrt(static_cast<double>(c.heads.headDim));
    c.tied = config.boolean("tie_word_embeddings", false);
    c.activation = readActivation(config, "hidden_act", "silu");
    return c;
}

AttentionWeights takeHybridAttentionWeights(Weights& weights, const std::string& prefix, const HybridConfig& c,
                                            bool bias)
{
    const std::int64_t hidden = c.hidden, width = std::int64_t{c.heads.heads} * c.heads.headDim,
                       kv = std::int64_t{c.heads.kvHeads} * c.heads.headDim;
    AttentionWeights w;
    w.query = takeLinear(weights, prefix + "q_proj", width, hidden, bias);
    w.key = takeLinear(weights, prefix + "k_proj", kv, hidden, bias);
    w.value = takeLinear(weights, prefix + "v_proj", kv, hidden, bias);
    w.output = takeLinear(weights, prefix + "o_proj", hidden, width, bias);
    w.rope = c.rope;
    w.scale = c.scale;
    return w;
}

MixerSpec attentionSpec(const HybridConfig& c)
{
    return {
        .kind = MixerKind::Attention, .heads = c.heads.heads, .kvHeads = c.heads.kvHeads, .headDim = c.heads.headDim};
}

std::shared_ptr<const Mixer> takeHybridAttention(Weights& weights, const std::string& prefix, const HybridConfig& c,
                                                 bool bias)
{
    return std::make_shared<Attention>(attentionSpec(c), takeHybridAttentionWeights(weights, prefix, c, bias));
}

ModelParts buildHybrid(Config& config, Weights& weights, int layerLimit, const HybridConfig& c,
                       const std::string& finalNorm, const HybridLayer& layer)
{
    ModelParts parts;
    parts.spec.hidden = c.hidden;
    parts.spec.vocabulary = c.vocabulary;
    parts.spec.maxPositions = c.maxPositions;
    readTokenIds(config, parts.spec);
    if (config.error())
        return parts;
    weights.ignore([](const std::string& name) { return name.ends_with("rotary_emb.inv_freq"); });
    const TiedTables tables{"model.embed_tokens.weight", "lm_head.weight", c.tied};
    parts.embedding = takeEmbedding(weights, tables, {c.vocabulary, c.hidden});
    const int layers = layerLimit > 0 ? std::min(layerLimit, c.layers) : c.layers;
    for (int i = 0; i < layers; ++i) {
        MixerSpec spec;
        parts.blocks.push_back(layer("model.layers." + std::to_string(i) + ".", i, spec));
        parts.spec.layers.push_back({{spec}, true});
    }
    parts.finalNorm = takeRmsNorm(weights, finalNorm, c.hidden, c.eps, c.normKind);
    parts.head = takeHead(parts, weights, tables);
    return parts;
}

} // namespace headscope::lm

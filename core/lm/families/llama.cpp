// SPDX-License-Identifier: GPL-3.0-or-later
// Llama (Touvron et al. 2023, arXiv 2302.13971). Mistral, Qwen2 and Qwen3 differ by the few options of LlamaVariant.
#include "core/lm/families/llama.h"

#include "core/lm/families/families.h"
#include "core/lm/mixers/attention.h"

#include <cmath>

namespace headscope::lm {

ModelParts buildLlamaLike(Config& config, Weights& weights, int layerLimit, const LlamaVariant& variant)
{
    ModelParts parts;
    ModelSpec& spec = parts.spec;
    spec.hidden = config.positive("hidden_size", 4096);
    spec.vocabulary = config.positive("vocab_size", variant.vocabulary);
    spec.maxPositions = config.positive("max_position_embeddings", variant.maxPositions);
    readTokenIds(config, spec);
    const int inner = config.positive("intermediate_size", variant.inner);
    const int layers = readLayerCount(config, "num_hidden_layers", variant.layers, layerLimit);
    const HeadCounts counts = readHeads(config, spec.hidden, {.kvHeads = variant.kvHeads, .headDim = variant.headDim});
    const double eps = config.number("rms_norm_eps", 1e-6);
    const bool allBias = variant.biasKeys && config.boolean("attention_bias", false);
    const bool inputBias = allBias || variant.queryKeyValueBias;
    const bool mlpBias = variant.biasKeys && config.boolean("mlp_bias", false);
    const bool tied = config.boolean("tie_word_embeddings", variant.tied);
    const Activation activation = readActivation(config, "hidden_act", "silu");
    const Rope rope = readRope(config, counts.headDim, spec.maxPositions, weights.target().device, variant.theta);
    std::vector<int> windows;
    for (int layer = 0; layer < layers; ++layer)
        windows.push_back(variant.window ? variant.window(config, layer) : 0);
    const std::int64_t width = std::int64_t{counts.heads} * counts.headDim,
                       kvWidth = std::int64_t{counts.kvHeads} * counts.headDim;
    const std::int64_t hidden = spec.hidden;
    if (config.error())
        return parts;

    weights.ignore([](const std::string& name) { return name.ends_with("rotary_emb.inv_freq"); });
    const TiedTables tables{"model.embed_tokens.weight", "lm_head.weight", tied};
    parts.embedding = takeEmbedding(weights, tables, {spec.vocabulary, hidden});
    const MixerSpec mixer{
        .kind = MixerKind::Attention, .heads = counts.heads, .kvHeads = counts.kvHeads, .headDim = counts.headDim};
    for (int layer = 0; layer < layers; ++layer) {
        const std::string prefix = "model.layers." + std::to_string(layer) + ".";
        AttentionWeights attention;
        attention.query = takeLinear(weights, prefix + "self_attn.q_proj", width, hidden, inputBias);
        attention.key = takeLinear(weights, prefix + "self_attn.k_proj", kvWidth, hidden, inputBias);
        attention.value = takeLinear(weights, prefix + "self_attn.v_proj", kvWidth, hidden, inputBias);
        attention.output = takeLinear(weights, prefix + "self_attn.o_proj", hidden, width, allBias);
        if (variant.queryKeyNorm) {
            attention.queryNorm = takeRmsNorm(weights, prefix + "self_attn.q_norm", counts.headDim, eps);
            attention.keyNorm = takeRmsNorm(weights, prefix + "self_attn.k_norm", counts.headDim, eps);
        }
        if (!variant.rotates || variant.rotates(config, layer))
            attention.rope = rope;
        attention.scale = 1.0 / std::sqrt(static_cast<double>(counts.headDim));
        attention.window = windows[static_cast<std::size_t>(layer)];
        parts.blocks.push_back(std::make_shared<DecoderBlock>(DecoderBlockParts{
            .inputNorm = takeRmsNorm(weights, prefix + "input_layernorm", hidden, eps),
            .mixer = std::make_shared<Attention>(mixer, attention),
            .mlpNorm = takeRmsNorm(weights, prefix + "post_attention_layernorm", hidden, eps),
            .mlp = takeGatedMlp(weights, prefix + "mlp.", hidden, inner, activation, mlpBias),
        }));
        spec.layers.push_back({{mixer}, true});
    }
    parts.finalNorm = takeRmsNorm(weights, "model.norm", hidden, eps);
    parts.head = takeHead(parts, weights, tables);
    return parts;
}

ModelParts buildLlama(Config& config, Weights& weights, int layerLimit)
{
    return buildLlamaLike(config, weights, layerLimit, {});
}

} // namespace headscope::lm

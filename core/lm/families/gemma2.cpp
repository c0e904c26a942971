// SPDX-License-Identifier: GPL-3.0-or-later
// Gemma-2: four norms a layer that multiply by one plus their weight, soft caps, a window in every other layer.
#include "core/lm/families/common.h"
#include "core/lm/families/factors.h"
#include "core/lm/families/families.h"
#include "core/lm/mixers/attention.h"

#include <cmath>

namespace headscope::lm {

ModelParts buildGemma2(Config& config, Weights& weights, int layerLimit)
{
    ModelParts parts;
    ModelSpec& spec = parts.spec;
    spec.hidden = config.positive("hidden_size", 2304);
    spec.vocabulary = config.positive("vocab_size", 256000);
    spec.maxPositions = config.positive("max_position_embeddings", 8192);
    readTokenIds(config, spec);
    const int layers = readLayerCount(config, "num_hidden_layers", 26, layerLimit);
    const HeadCounts counts = readHeads(config, spec.hidden, {.kvHeads = 4, .headDim = 256});
    const int inner = config.positive("intermediate_size", 9216);
    const double eps = config.number("rms_norm_eps", 1e-6);
    const bool bias = config.boolean("attention_bias", false);
    const bool tied = config.boolean("tie_word_embeddings", true);
    const double scale = 1.0 / std::sqrt(readFactor(config, "query_pre_attn_scalar", 256.0));
    const double scoreCap = readCap(config, "attn_logit_softcapping", 50.0);
    parts.logitSoftCap = readCap(config, "final_logit_softcapping", 30.0);
    config.ignore({"hidden_act"});
    const Activation activation = readActivation(config, "hidden_activation", "gelu_pytorch_tanh");
    const Rope rope = readRope(config, counts.headDim, spec.maxPositions, weights.target().device);
    std::vector<int> windows;
    for (int layer = 0; layer < layers; ++layer)
        windows.push_back(readWindow(config, layer, 4096, layer % 2 == 0));
    if (config.error())
        return parts;

    const std::int64_t hidden = spec.hidden, width = std::int64_t{counts.heads} * counts.headDim,
                       kvWidth = std::int64_t{counts.kvHeads} * counts.headDim;
    const TiedTables tables{"model.embed_tokens.weight", "lm_head.weight", tied};
    parts.embedding = takeEmbedding(weights, tables, {spec.vocabulary, hidden});
    parts.embeddingMultiplier = std::sqrt(static_cast<double>(hidden));
    const auto norm = [&](const std::string& name) {
        return takeRmsNorm(weights, name, hidden, eps, NormKind::RmsPlusOne);
    };
    const MixerSpec mixer{
        .kind = MixerKind::Attention, .heads = counts.heads, .kvHeads = counts.kvHeads, .headDim = counts.headDim};
    for (int layer = 0; layer < layers; ++layer) {
        const std::string prefix = "model.layers." + std::to_string(layer) + ".";
        AttentionWeights attention;
        attention.query = takeLinear(weights, prefix + "self_attn.q_proj", width, hidden, bias);
        attention.key = takeLinear(weights, prefix + "self_attn.k_proj", kvWidth, hidden, bias);
        attention.value = takeLinear(weights, prefix + "self_attn.v_proj", kvWidth, hidden, bias);
        attention.output = takeLinear(weights, prefix + "self_attn.o_proj", hidden, width, bias);
        attention.rope = rope;
        attention.scale = scale;
        attention.softCap = scoreCap;
        attention.window = windows[static_cast<std::size_t>(layer)];
        parts.blocks.push_back(std::make_shared<DecoderBlock>(DecoderBlockParts{
            .inputNorm = norm(prefix + "input_layernorm"),
            .mixer = std::make_shared<Attention>(mixer, attention),
            .postMixerNorm = norm(prefix + "post_attention_layernorm"),
            .mlpNorm = norm(prefix + "pre_feedforward_layernorm"),
            .mlp = takeGatedMlp(weights, prefix + "mlp.", hidden, inner, activation, false),
            .postMlpNorm = norm(prefix + "post_feedforward_layernorm"),
        }));
        spec.layers.push_back({{mixer}, true});
    }
    parts.finalNorm = norm("model.norm");
    parts.head = takeHead(parts, weights, tables);
    return parts;
}

} // namespace headscope::lm

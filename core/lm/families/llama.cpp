// SPDX-License-Identifier: GPL-3.0-or-later
// Llama: architectures, section 4. Mistral, Qwen2 and Qwen3 differ by the few options of LlamaVariant.
#include "core/lm/attention.h"
#include "core/lm/families/common.h"
#include "core/lm/families/families.h"

#include <cmath>

namespace headscope::lm {

ModelParts buildLlama(Config& config, Weights& weights, int layerLimit)
{
    ModelParts parts;
    ModelSpec& spec = parts.spec;
    spec.hidden = config.positive("hidden_size", 4096);
    spec.vocabulary = config.positive("vocab_size", 32000);
    spec.maxPositions = config.positive("max_position_embeddings", 2048);
    readTokenIds(config, spec);
    const int inner = config.positive("intermediate_size", 11008);
    const int layers = readLayerCount(config, "num_hidden_layers", 32, layerLimit);
    const HeadCounts counts = readHeads(config, spec.hidden);
    const double eps = config.number("rms_norm_eps", 1e-6);
    const bool attentionBias = config.boolean("attention_bias", false);
    const bool mlpBias = config.boolean("mlp_bias", false);
    const bool tied = config.boolean("tie_word_embeddings", false);
    const Activation activation = readActivation(config, "hidden_act", "silu");
    const Rope rope = readRope(config, counts.headDim, spec.maxPositions, weights.target().device);
    const std::int64_t width = std::int64_t{counts.heads} * counts.headDim, kvWidth = std::int64_t{counts.kvHeads} * counts.headDim;
    const std::int64_t hidden = spec.hidden;
    if (config.error())
        return parts;

    weights.ignore([](const std::string& name) { return name.ends_with("rotary_emb.inv_freq"); });
    parts.embedding = weights.take("model.embed_tokens.weight", {spec.vocabulary, hidden});
    const MixerSpec mixer{.kind = MixerKind::Attention, .heads = counts.heads, .kvHeads = counts.kvHeads, .headDim = counts.headDim};
    for (int layer = 0; layer < layers; ++layer) {
        const std::string prefix = "model.layers." + std::to_string(layer) + ".";
        AttentionWeights attention;
        attention.query = takeLinear(weights, prefix + "self_attn.q_proj", width, hidden, attentionBias);
        attention.key = takeLinear(weights, prefix + "self_attn.k_proj", kvWidth, hidden, attentionBias);
        attention.value = takeLinear(weights, prefix + "self_attn.v_proj", kvWidth, hidden, attentionBias);
        attention.output = takeLinear(weights, prefix + "self_attn.o_proj", hidden, width, attentionBias);
        attention.rope = rope;
        attention.scale = 1.0 / std::sqrt(static_cast<double>(counts.headDim));
        parts.blocks.push_back(std::make_shared<DecoderBlock>(DecoderBlockParts{
            .inputNorm = takeRmsNorm(weights, prefix + "input_layernorm", hidden, eps),
            .mixer = std::make_shared<Attention>(mixer, attention),
            .mlpNorm = takeRmsNorm(weights, prefix + "post_attention_layernorm", hidden, eps),
            .mlp = takeGatedMlp(weights, prefix + "mlp.", hidden, inner, activation, mlpBias),
        }));
        spec.layers.push_back({{mixer}, true});
    }
    parts.finalNorm = takeRmsNorm(weights, "model.norm", hidden, eps);
    parts.head = takeHead(parts, weights, "lm_head.weight", tied);
    return parts;
}

} // namespace headscope::lm

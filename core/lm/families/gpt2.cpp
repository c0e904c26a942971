// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-2 (Radford et al. 2019). Its linear maps are stored [in, out] and are used as transposed views.
#include "core/lm/families/common.h"
#include "core/lm/families/families.h"
#include "core/lm/mixers/attention.h"

#include <cmath>

namespace headscope::lm {

namespace {

Linear takeTransposed(Weights& weights, const std::string& name, std::int64_t out, std::int64_t in)
{
    const std::string map = name + ".weight";
    return {weights.storedByOutputs(map) ? weights.take(map, {out, in})
                                         : weights.take(map, {in, out}, WeightForm::Full, true).t(),
            weights.take(name + ".bias", {out})};
}

Linear fusedRows(const Linear& fused, std::int64_t part, std::int64_t width)
{
    return {fused.weight.narrow(0, part * width, width), fused.bias.narrow(0, part * width, width)};
}

} // namespace

ModelParts buildGpt2(Config& config, Weights& weights, int layerLimit)
{
    ModelParts parts;
    ModelSpec& spec = parts.spec;
    spec.hidden = config.positive("n_embd", 768);
    spec.vocabulary = config.positive("vocab_size", 50257);
    spec.maxPositions = config.positive("n_positions", 1024);
    readTokenIds(config, spec);
    const int layers = readLayerCount(config, "n_layer", 12, layerLimit);
    const int heads = config.positive("n_head", 12);
    const int inner = config.positive("n_inner", 4 * spec.hidden);
    const double eps = config.number("layer_norm_epsilon", 1e-5);
    const bool scaled = config.boolean("scale_attn_weights", true);
    const bool byLayer = config.boolean("scale_attn_by_inverse_layer_idx", false);
    const bool upcast = config.boolean("reorder_and_upcast_attn", false);
    const bool tied = config.boolean("tie_word_embeddings", true);
    const Activation activation = readActivation(config, "activation_function", "gelu_new");
    if (spec.hidden % heads != 0)
        config.fail("The width " + std::to_string(spec.hidden) + " cannot be divided into " + std::to_string(heads)
                    + " heads.");
    if (config.error())
        return parts;

    const std::string base = weights.has("transformer.wpe.weight") ? "transformer." : "";
    weights.ignore(
        [](const std::string& name) { return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias"); });
    const std::int64_t hidden = spec.hidden;
    const TiedTables tables{base + "wte.weight", "lm_head.weight", tied};
    parts.embedding = takeEmbedding(weights, tables, {spec.vocabulary, hidden});
    parts.positionEmbedding = weights.take(base + "wpe.weight", {spec.maxPositions, hidden});
    const MixerSpec mixer{
        .kind = MixerKind::Attention, .heads = heads, .kvHeads = heads, .headDim = static_cast<int>(hidden) / heads};
    for (int layer = 0; layer < layers; ++layer) {
        const std::string prefix = base + "h." + std::to_string(layer) + ".";
        const Linear fused = takeTransposed(weights, prefix + "attn.c_attn", 3 * hidden, hidden);
        AttentionWeights attention;
        attention.query = packed(weights, fusedRows(fused, 0, hidden));
        attention.key = packed(weights, fusedRows(fused, 1, hidden));
        attention.value = packed(weights, fusedRows(fused, 2, hidden));
        attention.output = packed(weights, takeTransposed(weights, prefix + "attn.c_proj", hidden, hidden));
        attention.scale =
            (scaled ? 1.0 / std::sqrt(static_cast<double>(mixer.headDim)) : 1.0) / (byLayer ? layer + 1.0 : 1.0);
        attention.softmaxInFp32 = upcast;
        parts.blocks.push_back(std::make_shared<DecoderBlock>(DecoderBlockParts{
            .inputNorm = takeLayerNorm(weights, prefix + "ln_1", hidden, eps),
            .mixer = std::make_shared<Attention>(mixer, attention),
            .mlpNorm = takeLayerNorm(weights, prefix + "ln_2", hidden, eps),
            .mlp = Mlp{{},
                       packed(weights, takeTransposed(weights, prefix + "mlp.c_fc", inner, hidden)),
                       packed(weights, takeTransposed(weights, prefix + "mlp.c_proj", hidden, inner)),
                       activation},
        }));
        spec.layers.push_back({{mixer}, true});
    }
    parts.finalNorm = takeLayerNorm(weights, base + "ln_f", hidden, eps);
    parts.head = takeHead(parts, weights, tables);
    return parts;
}

} // namespace headscope::lm

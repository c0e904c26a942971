// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/families/decoder.h"

#include <cmath>

namespace headscope::lm {

DecoderConfig readDecoder(Config& config, const DecoderDefaults& defaults)
{
    DecoderConfig c;
    c.hidden = config.positive("hidden_size", defaults.hidden);
    c.vocabulary = config.positive("vocab_size", defaults.vocabulary);
    c.layers = readLayerCount(config, "num_hidden_layers", defaults.layers, 0);
    c.inner = config.positive(defaults.innerKey, defaults.inner > 0 ? defaults.inner : 4 * c.hidden);
    c.maxPositions = config.positive("max_position_embeddings", defaults.maxPositions);
    c.heads = readHeads(config, c.hidden, defaults.heads);
    c.eps = config.number(defaults.epsKey, defaults.eps);
    c.scale = 1.0 / std::sqrt(static_cast<double>(c.heads.headDim));
    c.tied = config.boolean("tie_word_embeddings", defaults.tied);
    c.activation = readActivation(config, defaults.activationKey, defaults.activation);
    return c;
}

Norm takeNorm(Weights& weights, const std::string& name, const DecoderConfig& c)
{
    Norm norm = takeRmsNorm(weights, name, c.hidden, c.eps, c.normKind);
    if (c.normBias)
        norm.bias = weights.take(name + ".bias", {c.hidden});
    return norm;
}

AttentionWeights takeAttentionWeights(Weights& weights, const std::string& prefix, const DecoderConfig& c, bool bias)
{
    const std::int64_t hidden = c.hidden, width = std::int64_t{c.heads.heads} * c.heads.headDim,
                       kv = std::int64_t{c.heads.kvHeads} * c.heads.headDim;
    AttentionWeights w;
    const auto take = c.interleaved ? takeDense : takeLinear;
    w.query = take(weights, prefix + "q_proj", width, hidden, bias);
    w.key = take(weights, prefix + "k_proj", kv, hidden, bias);
    w.value = takeLinear(weights, prefix + "v_proj", kv, hidden, bias);
    w.output = takeLinear(weights, prefix + "o_proj", hidden, width, bias);
    w.rope = c.rope;
    w.scale = c.scale;
    return w;
}

MixerSpec attentionSpec(const DecoderConfig& c)
{
    return {
        .kind = MixerKind::Attention, .heads = c.heads.heads, .kvHeads = c.heads.kvHeads, .headDim = c.heads.headDim};
}

std::shared_ptr<const Mixer> takeAttention(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                           bool bias)
{
    return std::make_shared<Attention>(attentionSpec(c), takeAttentionWeights(weights, prefix, c, bias));
}

void takeQueryKeyValueBias(Weights& weights, const std::string& prefix, AttentionWeights& attention)
{
    for (const auto& [map, name] :
         {std::pair(&attention.query, "q"), std::pair(&attention.key, "k"), std::pair(&attention.value, "v")})
        map->bias = weights.take(prefix + name + "_proj.bias", {map->weight.size(0)});
}

at::Tensor pairsApart(const at::Tensor& x, std::int64_t rotated)
{
    return at::cat({x.narrow(1, 0, rotated).unflatten(1, {-1, 2}).transpose(1, 2).flatten(1, 2),
                    x.narrow(1, rotated, x.size(1) - rotated)},
                   1);
}

void interleavedToHalves(Weights& source, AttentionWeights& weights, const DecoderConfig& c)
{
    const std::int64_t rotated = weights.rope.defined() ? 2 * weights.rope.inverseFrequencies.size(0) : 0,
                       dim = c.heads.headDim;
    const auto reorder = [&](at::Tensor& x) {
        if (x.defined() && rotated > 0)
            x = pairsApart(x.unflatten(0, {-1, dim}), rotated).flatten(0, 1);
    };
    for (Linear* map : {&weights.query, &weights.key}) {
        reorder(map->weight);
        reorder(map->bias);
        *map = packed(source, *map);
    }
    for (std::optional<Norm>* norm : {&weights.queryNorm, &weights.keyNorm})
        if (*norm && (*norm)->weight.defined() && rotated > 0)
            (*norm)->weight = pairsApart((*norm)->weight, rotated);
}

AttentionWeights takeFusedAttention(Weights& weights, const std::string& name, const DecoderConfig& c)
{
    const std::int64_t width = std::int64_t{c.heads.heads} * c.heads.headDim,
                       kv = std::int64_t{c.heads.kvHeads} * c.heads.headDim;
    const at::Tensor rows = weights.take(name + ".weight", {width + 2 * kv, c.hidden});
    AttentionWeights w;
    w.query = packed(weights, {rows.narrow(0, 0, width), {}});
    w.key = packed(weights, {rows.narrow(0, width, kv), {}});
    w.value = packed(weights, {rows.narrow(0, width + kv, kv), {}});
    w.rope = c.rope;
    w.scale = c.scale;
    return w;
}

Mlp takeFusedMlp(Weights& weights, const std::string& both, const std::string& down, const DecoderConfig& c)
{
    const at::Tensor rows = weights.take(both + ".weight", {std::int64_t{2} * c.inner, c.hidden});
    return {packed(weights, {rows.narrow(0, 0, c.inner), {}}), packed(weights, {rows.narrow(0, c.inner, c.inner), {}}),
            takeLinear(weights, down, c.hidden, c.inner), c.activation};
}

Mlp takePlainMlp(Weights& weights, const std::string& up, const std::string& down, const DecoderConfig& c, bool bias)
{
    return {{},
            takeLinear(weights, up, c.inner, c.hidden, bias),
            takeLinear(weights, down, c.hidden, c.inner, bias),
            c.activation};
}

double epsBehindRotation(DecoderConfig& c)
{
    const double factor = c.rope.attentionFactor;
    c.rope.attentionFactor = 1.0;
    return c.eps / (factor * factor);
}

void endAt(Weights& weights, ModelSpec& spec, int longest, const std::string& why)
{
    spec.endsThere = true;
    if (spec.maxPositions > 0 && spec.maxPositions <= longest)
        return;
    spec.maxPositions = longest;
    weights.warn("This model is supported up to " + std::to_string(longest) + " tokens: " + why + ".");
}

DecoderBlockParts takePreNormBlock(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                   const AttentionWeights& attention)
{
    return {
        .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
        .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
        .mlpNorm = takeNorm(weights, prefix + "post_attention_layernorm", c),
    };
}

DecoderBlockParts takeGemmaBlock(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                 const AttentionWeights& attention)
{
    return {
        .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
        .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
        .postMixerNorm = takeNorm(weights, prefix + "post_attention_layernorm", c),
        .mlpNorm = takeNorm(weights, prefix + "pre_feedforward_layernorm", c),
        .mlp = takeGatedMlp(weights, prefix + "mlp.", c.hidden, c.inner, c.activation, false),
        .postMlpNorm = takeNorm(weights, prefix + "post_feedforward_layernorm", c),
    };
}

std::string takeGpt2Names(Config& config, Weights& weights, DecoderConfig& c)
{
    if (c.hidden % c.heads.heads != 0)
        config.fail("The width " + std::to_string(c.hidden) + " cannot be divided into " + std::to_string(c.heads.heads)
                    + " heads.");
    c.heads = {c.heads.heads, c.heads.heads, std::max(c.hidden / c.heads.heads, 1)};
    c.scale = 1.0 / std::sqrt(static_cast<double>(c.heads.headDim));
    c.normKind = NormKind::Layer;
    c.normBias = true;
    std::string base = weights.has("transformer.wte.weight") ? "transformer." : "";
    c.names = {base + "wte.weight", base + "h.", base + "ln_f", "lm_head.weight"};
    weights.ignore([](const std::string& name) {
        return name.ends_with(".attn.bias") || name.ends_with(".attention.bias") || name.ends_with(".masked_bias")
               || name.ends_with(".causal_mask");
    });
    return base;
}

ModelParts buildDecoder(Config& config, Weights& weights, int layerLimit, const DecoderConfig& c,
                        const DecoderLayer& layer)
{
    ModelParts parts;
    parts.spec.hidden = c.hidden;
    parts.spec.vocabulary = c.vocabulary;
    parts.spec.maxPositions = c.maxPositions;
    readTokenIds(config, parts.spec);
    if (config.error())
        return parts;
    weights.ignore([](const std::string& name) { return name.ends_with("rotary_emb.inv_freq"); });
    const TiedTables tables{c.names.embedding, c.names.head, c.tied};
    parts.embedding = takeEmbedding(weights, tables, {c.vocabulary, c.hidden});
    const int layers = layerLimit > 0 ? std::min(layerLimit, c.layers) : c.layers;
    for (int i = 0; i < layers; ++i) {
        MixerSpec spec;
        parts.blocks.push_back(layer(c.names.layers + std::to_string(i) + ".", i, spec));
        LayerSpec& described = parts.spec.layers.emplace_back(LayerSpec{{}, parts.blocks.back()->mlpWrites()});
        if (spec.heads > 0)
            described.mixers.push_back(spec);
        if (const Experts* experts = parts.blocks.back()->experts()) {
            described.experts = experts->count();
            described.chosenExperts = experts->parts().routing.chosen;
            described.sharedExpert = experts->parts().shared.has_value();
        }
    }
    // Without a name there is none yet (OPT).
    parts.finalNorm = c.names.finalNorm.empty() ? Norm{NormKind::None} : takeNorm(weights, c.names.finalNorm, c);
    parts.head = takeHead(parts, weights, tables);
    return parts;
}

ModelParts buildDecoder(Config& config, Weights& weights, int layerLimit, const DecoderConfig& c,
                        const PlainLayer& layer)
{
    return buildDecoder(config, weights, layerLimit, c,
                        DecoderLayer([&layer](const std::string& prefix, int index, MixerSpec& spec) {
                            auto block = std::make_shared<DecoderBlock>(layer(prefix, index));
                            if (block->mixer())
                                spec = block->mixer()->spec();
                            return block;
                        }));
}

} // namespace headscope::lm

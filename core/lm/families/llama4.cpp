// SPDX-License-Identifier: GPL-3.0-or-later
// Llama 4, text: rotated pairs lie next to each other, some layers have no positions, and what an expert reads is
// multiplied by its weight. Only texts that are shorter than the chunks of its attention, and than the length from
// which queries have a temperature, are read.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/families.h"

#include <algorithm>

namespace headscope::lm {

namespace {

/// Which layers rotate and which have experts.
struct Llama4Layers {
    std::vector<int> rotates; ///< of each layer; empty: by the interval
    int interval = 4;
    std::vector<int> experts;
    bool listed = false;
    int every = 1;
    [[nodiscard]] bool turn(int layer) const
    {
        return static_cast<std::size_t>(layer) < rotates.size() ? rotates[static_cast<std::size_t>(layer)] != 0
                                                                : (layer + 1) % interval != 0;
    }
    [[nodiscard]] bool choose(int layer) const
    {
        return listed ? std::find(experts.begin(), experts.end(), layer) != experts.end() : (layer + 1) % every == 0;
    }
};

Llama4Layers readLayers(Config& config, int count)
{
    Llama4Layers layers;
    layers.rotates = config.integers("no_rope_layers");
    layers.interval = config.positive("no_rope_layer_interval", 4);
    if (!layers.rotates.empty() && static_cast<int>(layers.rotates.size()) < count)
        config.fail("'no_rope_layers' in config.json has " + std::to_string(layers.rotates.size())
                    + " entries; expected one for each of the " + std::to_string(count) + " layers.");
    layers.listed = config.has("moe_layers");
    layers.experts = config.integers("moe_layers");
    layers.every = config.positive("interleave_moe_layer_step", 1);
    return layers;
}

// The longest text that every layer reads as one chunk, and whose queries have no temperature yet.
int longestWhole(Config& config, const Llama4Layers& layers, int count)
{
    int longest = 0;
    const auto hold = [&longest](int limit) { longest = longest > 0 ? std::min(longest, limit) : limit; };
    bool chunks = false, still = false;
    for (int layer = 0; layer < count; ++layer) {
        chunks = chunks || layerIs(config, layer, "chunked_attention", "full_attention", layers.turn(layer));
        still = still || !layers.turn(layer);
    }
    config.ignore({"attention_chunk_size", "attn_scale", "floor_scale"}); // where no layer has use for them
    if (chunks && !(config.contains("attention_chunk_size") && !config.has("attention_chunk_size")))
        hold(config.positive("attention_chunk_size", 8192));
    const bool tuned = config.boolean("attn_temperature_tuning", true);
    if (const int floor = config.positive("floor_scale", 8192); still && tuned && config.number("attn_scale", 0.1) != 0)
        hold(std::max(floor - 1, 1));
    return longest;
}

// One tensor for all, stored [in, out], gate before up.
std::vector<Mlp> takeInputFirst(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                const ExpertShape& shape)
{
    const at::Tensor both =
                         weights.take(prefix + "gate_up_proj", {shape.count, c.hidden, std::int64_t{2} * shape.inner}),
                     down = weights.take(prefix + "down_proj", {shape.count, shape.inner, c.hidden});
    std::vector<Mlp> experts;
    for (int expert = 0; expert < shape.count; ++expert) {
        const auto part = [&](std::int64_t which) {
            return packed(weights, {both[expert].narrow(1, which * shape.inner, shape.inner).t(), {}, {}, {}});
        };
        experts.push_back({part(0), part(1), packed(weights, {down[expert].t(), {}, {}, {}}), c.activation});
    }
    return experts;
}

} // namespace

ModelParts buildLlama4(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 202048,
                                           .hidden = 5120,
                                           .inner = 16384,
                                           .layers = 48,
                                           .maxPositions = 131072,
                                           .heads = {.kvHeads = 8, .headDim = 128, .heads = 40},
                                           .innerKey = "intermediate_size_mlp"});
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device, 5e5);
    c.interleaved = true;
    const ExpertShape shape = readExperts(config, "num_local_experts", 16, 1, "intermediate_size", 8192);
    const bool bias = config.boolean("attention_bias", false), normed = config.boolean("use_qk_norm", true);
    const Llama4Layers layers = readLayers(config, c.layers);
    const int longest = longestWhole(config, layers, c.layers);
    const double eps = normed ? epsBehindRotation(c) : c.eps;
    const auto layer = [&](const std::string& prefix, int index) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, bias);
        if (!layers.turn(index))
            attention.rope = {};
        else if (normed)
            attention.queryNorm = attention.keyNorm = Norm{NormKind::Rms, {}, {}, eps};
        interleavedToHalves(weights, attention, c);
        DecoderBlockParts block = takePreNormBlock(weights, prefix, c, attention);
        const std::string mlp = prefix + "feed_forward.";
        if (!layers.choose(index)) {
            block.mlp = takeGatedMlp(weights, mlp, c.hidden, c.inner, c.activation, false);
            return block;
        }
        block.experts = std::make_shared<Experts>(ExpertParts{
            .router = takeDense(weights, mlp + "router", shape.count, c.hidden),
            .routing = {.scores = Routing::Scores::Sigmoid, .chosen = shape.chosen},
            .experts = takeInputFirst(weights, mlp + "experts.", c, shape),
            .shared = takeGatedMlp(weights, mlp + "shared_expert.", c.hidden, shape.inner, c.activation, false),
            .weighsInputs = true});
        return block;
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    if (longest > 0)
        endAt(weights, parts.spec, longest, "beyond, its layers read chunks and change the scale of their scores");
    return parts;
}

} // namespace headscope::lm

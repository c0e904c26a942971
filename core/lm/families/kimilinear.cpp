// SPDX-License-Identifier: GPL-3.0-or-later
// Kimi Linear (Moonshot AI 2025, arXiv 2510.26692): a delta rule with a decay of each channel, every fourth layer
// latent attention without positions, experts in all layers but the first.
#include "core/lm/families/deltaparts.h"
#include "core/lm/families/expertparts.h"
#include "core/lm/families/families.h"
#include "core/lm/families/latentparts.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace headscope::lm {

namespace {

std::shared_ptr<const Mixer> takeKimiDelta(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                           const DeltaShape& s)
{
    const std::int64_t width = std::int64_t{s.keyHeads} * s.keyDim, hidden = c.hidden;
    const auto rows = [&](const char* name) { return weights.take(prefix + name + "_proj.weight", {width, hidden}); };
    const auto low = [&](const char* name) { return takeDense(weights, prefix + name, s.keyDim, hidden); };
    const auto high = [&](const char* name) { return takeDense(weights, prefix + name, width, s.keyDim); };
    GatedDeltaNetWeights w;
    w.queryKeyValueGate = packed(weights, joinedByKeyHead({rows("q"), rows("k"), rows("v")}, s));
    w.betaAlpha = takeDense(weights, prefix + "b_proj", s.keyHeads, hidden);
    w.forgetDown = low("f_a_proj");
    w.forgetUp = high("f_b_proj");
    w.gateDown = low("g_a_proj");
    w.gateUp = high("g_b_proj");
    w.gateActivation = Activation::Sigmoid;
    w.conv = takeThreeConvs(weights, prefix, s, c.activation);
    w.dtBias = weights.take(prefix + "dt_bias", {width});
    w.aLog = weights.take(prefix + "A_log", {1, 1, s.keyHeads, 1}).flatten();
    w.norm = takeRmsNorm(weights, prefix + "o_norm", s.keyDim, c.eps);
    w.output = takeLinear(weights, prefix + "o_proj", hidden, width);
    MixerSpec spec = deltaSpec(s);
    spec.kind = MixerKind::KimiDelta;
    return std::make_shared<GatedDeltaNet>(spec, std::move(w));
}

// Whether each layer is attention: layer_types, or linear_attn_config's full_attn_layers counted from 1.
std::vector<bool> readAttention(Config& config, Config& linear, int layers)
{
    const std::vector<int> full = linear.integers("full_attn_layers");
    std::vector<bool> attention;
    for (int layer = 0; layer < layers; ++layer)
        attention.push_back(layerIs(config, layer, "full_attention", "linear_attention",
                                    full.empty() ? layer > 0 && layer % 4 == 0
                                                 : std::find(full.begin(), full.end(), layer + 1) != full.end()));
    return attention;
}

} // namespace

ModelParts buildKimiLinear(Config& config, Weights& weights, int layerLimit)
{
    // The hub's names and those of transformers.
    if (config.has("num_experts_per_token"))
        config = config.with("num_experts_per_tok", config.value("num_experts_per_token"));
    config.ignore({"rope_parameters", "rope_scaling", "rope_theta"}); // no layer has positions
    config.alias({{"num_experts", "num_local_experts"},
                  {"num_shared_experts", "n_shared_experts"},
                  {"num_expert_group", "n_group"}});
    DecoderConfig c = readDecoder(config, {.vocabulary = 163840,
                                           .hidden = 2304,
                                           .inner = 9216,
                                           .layers = 27,
                                           .maxPositions = config.positive("model_max_length", 1048576),
                                           .heads = {.headDim = 64, .heads = 32}});
    const LatentShape latent = readLatent(config, c.heads.heads, {.queryRank = 0, .interleaved = false});
    c.scale = 1.0 / std::sqrt(static_cast<double>(latent.rotated + latent.plain));
    Config linear = config.object("linear_attn_config");
    DeltaShape delta;
    delta.keyHeads = delta.valueHeads = linear.positive("num_heads", config.positive("linear_num_heads", 32));
    delta.keyDim = delta.valueDim = linear.positive("head_dim", config.positive("linear_head_dim", 128));
    delta.taps = linear.positive("short_conv_kernel_size", config.positive("linear_conv_kernel_dim", 4));
    const std::vector<bool> attention = readAttention(config, linear, c.layers);
    linear.ignore({"kda_layers"});
    config.adopt(linear);
    const ExpertShape shape = readExperts(config, "num_experts", 256, 8, "moe_intermediate_size", 1024);
    Routing routing = readGroups(config, shape, {.groupsKey = "num_expert_group"});
    routing.normalised = config.boolean("moe_renormalize", config.boolean("norm_topk_prob", true));
    routing.factor = config.number("routed_scaling_factor", 2.446);
    const int shared = static_cast<int>(config.multiple("num_shared_experts", 1, shape.inner));
    const int dense = config.integer("first_k_dense_replace", 1);
    const std::vector<std::string> feeds = config.texts("mlp_layer_types");
    const auto isDense = [&](int index) {
        return static_cast<std::size_t>(index) < feeds.size() ? feeds[static_cast<std::size_t>(index)] == "dense"
                                                              : index < dense;
    };
    const auto layer = [&](const std::string& prefix, int index) {
        const std::string own = prefix + "self_attn.";
        DecoderBlockParts block;
        block.inputNorm = takeNorm(weights, prefix + "input_layernorm", c);
        if (attention[static_cast<std::size_t>(index)])
            block.mixer = std::make_shared<Attention>(latentSpec(latent), takeLatentAttention(weights, own, c, latent));
        else
            block.mixer = takeKimiDelta(weights, own, c, delta);
        block.mlpNorm = takeNorm(weights, prefix + "post_attention_layernorm", c);
        // Of the hub's names and those that transformers saves, whichever are there.
        const auto root = [&](const char* name) {
            return prefix + (weights.has(prefix + "mlp." + name) ? "mlp." : "block_sparse_moe.");
        };
        if (isDense(index)) {
            block.mlp = takeGatedMlp(weights, root("gate_proj.weight"), c.hidden, c.inner, c.activation, false);
            return block;
        }
        const std::string moe = root("gate.weight");
        ExpertParts parts{.router = takeDense(weights, moe + "gate", shape.count, c.hidden),
                          .routing = routing,
                          .experts = takeExperts(weights, moe, c, shape, {"w1", "w3", "w2"}),
                          .shared =
                              takeGatedMlp(weights, moe + "shared_experts.", c.hidden, shared, c.activation, false)};
        parts.routing.correction = weights.take(moe + "gate.e_score_correction_bias", {shape.count});
        block.experts = std::make_shared<Experts>(std::move(parts));
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
// DeepSeek-V2 (arXiv 2405.04434) and DeepSeek-V3 and R1 (arXiv 2412.19437): latent attention, and experts of which some
// run for every token, chosen from the best groups.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/families.h"

#include <cmath>

namespace headscope::lm {

namespace {

struct LatentShape {
    int heads = 1, queryRank = 0, rank = 1, rotated = 2, plain = 1, value = 1;
    bool bias = false, interleaved = true;
};

LatentShape readLatent(Config& config, int heads, bool third)
{
    LatentShape s;
    s.heads = heads;
    const bool none = config.json().contains("q_lora_rank") && !config.has("q_lora_rank");
    s.queryRank = none ? 0 : config.positive("q_lora_rank", 1536);
    s.rank = config.positive("kv_lora_rank", 512);
    s.rotated = config.positive("qk_rope_head_dim", 64);
    s.plain = config.positive("qk_nope_head_dim", 128);
    s.value = config.positive("v_head_dim", 128);
    s.bias = config.boolean("attention_bias", false);
    s.interleaved = !third || config.boolean("rope_interleave", true);
    if (s.value > s.rotated + s.plain)
        config.fail("The values of a head are " + std::to_string(s.value) + " wide, its keys "
                    + std::to_string(s.rotated + s.plain) + "; expected values that are no wider than keys.");
    return s;
}

// 1 / sqrt(width of a key), and twice yarn's factor where the scores are to grow with it.
double scoreScale(Config& config, const LatentShape& s)
{
    Config rope = config.object(config.has("rope_parameters") ? "rope_parameters" : "rope_scaling");
    const double all = rope.number("mscale_all_dim", 0.0), factor = rope.number("factor", 1.0);
    const bool scaled = rope.text("rope_type", rope.text("type", "default")) != "default" && all != 0 && factor > 1;
    config.adopt(rope);
    const double grown = scaled ? 0.1 * all * std::log(factor) + 1.0 : 1.0;
    return grown * grown / std::sqrt(static_cast<double>(s.rotated + s.plain));
}

// Rows [H, plain + rotated] of a query or [rotated] of the shared key: the rotated ones first, in halves.
at::Tensor rotatedFirst(const at::Tensor& weight, const LatentShape& s, int heads, int plain)
{
    const at::Tensor rows = weight.unflatten(0, {heads, plain + s.rotated});
    const at::Tensor turned = at::cat({rows.narrow(1, plain, s.rotated), rows.narrow(1, 0, plain)}, 1);
    return (s.interleaved ? pairsApart(turned, s.rotated) : turned).flatten(0, 1);
}

LatentMaps takeLatent(Weights& weights, const std::string& prefix, const DecoderConfig& c, const LatentShape& s)
{
    const std::int64_t keys = s.plain + s.rotated, heads = s.heads;
    LatentMaps maps;
    std::string query = "q_proj";
    std::int64_t from = c.hidden;
    if (s.queryRank > 0) {
        maps.queryDown = takeLinear(weights, prefix + "q_a_proj", s.queryRank, c.hidden, s.bias);
        maps.queryNorm = takeRmsNorm(weights, prefix + "q_a_layernorm", s.queryRank, 1e-6);
        query = "q_b_proj";
        from = s.queryRank;
    }
    maps.query.weight =
        rotatedFirst(weights.take(prefix + query + ".weight", {heads * keys, from}), s, s.heads, s.plain);
    const Linear both = takeLinear(weights, prefix + "kv_a_proj_with_mqa", s.rank + s.rotated, c.hidden, s.bias);
    const auto rows = [&](std::int64_t first, std::int64_t count) {
        return Linear{both.weight.narrow(0, first, count), s.bias ? both.bias.narrow(0, first, count) : at::Tensor()};
    };
    maps.down = rows(0, s.rank);
    maps.rotated = rows(s.rank, s.rotated);
    maps.rotated.weight = rotatedFirst(maps.rotated.weight, s, 1, 0);
    if (s.bias)
        maps.rotated.bias = rotatedFirst(maps.rotated.bias, s, 1, 0);
    maps.norm = takeRmsNorm(weights, prefix + "kv_a_layernorm", s.rank, 1e-6);
    const at::Tensor up =
        weights.take(prefix + "kv_b_proj.weight", {heads * (s.plain + s.value), s.rank}).unflatten(0, {heads, -1});
    maps.key.weight = up.narrow(1, 0, s.plain).flatten(0, 1);
    maps.value.weight = up.narrow(1, s.plain, s.value).flatten(0, 1);
    return maps;
}

Routing readRouting(Config& config, const ExpertShape& shape, bool third)
{
    Routing r{.scores = third ? Routing::Scores::Sigmoid : Routing::Scores::Softmax, .chosen = shape.chosen};
    r.factor = config.number("routed_scaling_factor", third ? 2.5 : 1.0);
    r.normalised = third && config.boolean("norm_topk_prob", true);
    r.bestOfGroup = third ? 2 : 1;
    const std::string method = config.text("topk_method", third ? "noaux_tc" : "greedy");
    if (method != "greedy") {
        r.groups = config.positive("n_group", third ? 8 : 1);
        r.chosenGroups = config.positive("topk_group", third ? 4 : 1);
    }
    if (shape.count % r.groups != 0 || r.chosenGroups > r.groups || shape.count / r.groups < r.bestOfGroup
        || shape.count / r.groups * r.chosenGroups < shape.chosen) {
        config.fail("The " + std::to_string(shape.count) + " experts do not divide into " + std::to_string(r.groups)
                    + " groups of which " + std::to_string(r.chosenGroups) + " are chosen from.");
        r.groups = r.chosenGroups = 1;
    }
    return r;
}

ModelParts build(Config& config, Weights& weights, int layerLimit, bool third)
{
    DecoderDefaults defaults{
        .vocabulary = 102400, .inner = 11008, .maxPositions = 2048, .heads = {.heads = 32}, .eps = 1e-6};
    if (third)
        defaults = {.vocabulary = 129280,
                    .hidden = 7168,
                    .inner = 18432,
                    .layers = 61,
                    .maxPositions = 4096,
                    .heads = {.heads = 128},
                    .eps = 1e-6};
    DecoderConfig c = readDecoder(config, defaults);
    const LatentShape latent = readLatent(config, c.heads.heads, third);
    c.rope = readRope(config, latent.rotated, c.maxPositions, weights.target().device);
    c.scale = scoreScale(config, latent);
    const ExpertShape shape =
        readExperts(config, "n_routed_experts", third ? 256 : 64, 8, "moe_intermediate_size", third ? 2048 : 1407);
    const Routing routing = readRouting(config, shape, third);
    const int sharedInner = static_cast<int>(config.multiple("n_shared_experts", third ? 1 : 2, shape.inner));
    const int dense = config.integer("first_k_dense_replace", third ? 3 : 0);
    const MixerSpec mixer{.kind = MixerKind::Attention,
                          .heads = latent.heads,
                          .kvHeads = latent.heads,
                          .headDim = latent.value,
                          .keyDim = latent.plain + latent.rotated};
    const auto layer = [&](const std::string& prefix, int index) {
        AttentionWeights attention;
        attention.latent = takeLatent(weights, prefix + "self_attn.", c, latent);
        attention.output = takeLinear(weights, prefix + "self_attn.o_proj", c.hidden,
                                      std::int64_t{latent.heads} * latent.value, latent.bias);
        attention.rope = c.rope;
        attention.scale = c.scale;
        DecoderBlockParts block{
            .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
            .mixer = std::make_shared<Attention>(mixer, attention),
            .mlpNorm = takeNorm(weights, prefix + "post_attention_layernorm", c),
        };
        const std::string mlp = prefix + "mlp.";
        if (index < dense) {
            block.mlp = takeGatedMlp(weights, mlp, c.hidden, c.inner, c.activation, false);
            return block;
        }
        ExpertParts parts{
            .router = takeLinear(weights, mlp + "gate", shape.count, c.hidden),
            .routing = routing,
            .experts = takeExperts(weights, mlp, c, shape),
            .shared = takeGatedMlp(weights, mlp + "shared_experts.", c.hidden, sharedInner, c.activation, false)};
        if (third)
            parts.routing.correction = weights.take(mlp + "gate.e_score_correction_bias", {shape.count});
        block.experts = std::make_shared<Experts>(std::move(parts));
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace

ModelParts buildDeepseekV2(Config& config, Weights& weights, int layerLimit)
{
    return build(config, weights, layerLimit, false);
}

ModelParts buildDeepseekV3(Config& config, Weights& weights, int layerLimit)
{
    return build(config, weights, layerLimit, true);
}

} // namespace headscope::lm

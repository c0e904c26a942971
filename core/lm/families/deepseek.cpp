// SPDX-License-Identifier: GPL-3.0-or-later
// DeepSeek-V2 (arXiv 2405.04434) and DeepSeek-V3 and R1 (arXiv 2412.19437): latent attention, and experts of which some
// run for every token, chosen from the best groups.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/families.h"
#include "core/lm/families/latentparts.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace headscope::lm {

namespace {

// 1 / sqrt(width of a key), and twice yarn's factor where the scores are to grow with it.
double scoreScale(Config& config, const LatentShape& s)
{
    Config older = config.object("rope_scaling"); // what it holds wins, as for the rotation
    Config rope = older.json().empty() ? config.object("rope_parameters") : older;
    const double all = rope.number("mscale_all_dim", 0.0), factor = rope.number("factor", 1.0);
    const bool scaled = rope.text("rope_type", rope.text("type", "default")) != "default" && all != 0 && factor > 1;
    config.adopt(rope);
    const double grown = scaled ? 0.1 * all * std::log(factor) + 1.0 : 1.0;
    return grown * grown / std::sqrt(static_cast<double>(s.rotated + s.plain));
}

Routing readRouting(Config& config, const ExpertShape& shape, bool third)
{
    const std::string method = config.text("topk_method", third ? "noaux_tc" : "greedy");
    Routing r{.chosen = shape.chosen};
    if (method != "greedy")
        r = readGroups(config, shape, {.groups = third ? 8 : 1, .chosen = third ? 4 : 1, .best = third ? 2 : 1});
    r.scores = third ? Routing::Scores::Sigmoid : Routing::Scores::Softmax;
    r.factor = config.number("routed_scaling_factor", third ? 2.5 : 1.0);
    r.normalised = third && config.boolean("norm_topk_prob", true);
    return r;
}

ModelParts deepseekParts(Config& config, Weights& weights, int layerLimit, bool third, bool indexed = false)
{
    DecoderDefaults defaults{
        .vocabulary = 102400, .inner = 11008, .maxPositions = 2048, .heads = {.heads = 32}, .eps = 1e-6};
    if (third)
        defaults = {.vocabulary = 129280,
                    .hidden = 7168,
                    .inner = 18432,
                    .layers = 61,
                    .maxPositions = indexed ? 163840 : 4096,
                    .heads = {.heads = 128},
                    .eps = 1e-6};
    DecoderConfig c = readDecoder(config, defaults);
    config.assume("scoring_func", third ? "\"sigmoid\"" : "\"softmax\"");
    if (!third) // read where a method of choice uses them
        config.ignore({"n_group", "norm_topk_prob", "topk_group"});
    const LatentShape latent = readLatent(
        config, c.heads.heads, {.interleaved = !third || indexed || config.boolean("rope_interleave", true)});
    // The reference makes its frequencies for this width, whatever part of a key rotates.
    if (third && config.has("head_dim") && config.integer("head_dim") != latent.rotated)
        config.fail("'head_dim' in config.json is " + std::to_string(config.integer("head_dim"))
                    + ", but the rotated part of a key is " + std::to_string(latent.rotated)
                    + " wide; expected the same.");
    c.rope = readRope(config, latent.rotated, c.maxPositions, weights.target().device);
    c.scale = scoreScale(config, latent);
    const ExpertShape shape =
        readExperts(config, "n_routed_experts", third ? 256 : 64, 8, "moe_intermediate_size", third ? 2048 : 1407);
    const GroupedExperts experts{.shape = shape,
                                 .routing = readRouting(config, shape, third),
                                 .sharedInner =
                                     static_cast<int>(config.multiple("n_shared_experts", third ? 1 : 2, shape.inner)),
                                 .dense = config.integer("first_k_dense_replace", third ? 3 : 0)};
    const std::vector<std::string> kinds = indexed ? config.texts("mlp_layer_types") : std::vector<std::string>();
    for (const std::string& kind : kinds)
        if (kind != "dense" && kind != "sparse")
            config.fail("'mlp_layer_types' in config.json contains '" + kind + "'; expected dense or sparse.");
    const auto layer = [&](const std::string& prefix, int index) {
        DecoderBlockParts block{
            .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
            .mixer = std::make_shared<Attention>(latentSpec(latent),
                                                 takeLatentAttention(weights, prefix + "self_attn.", c, latent)),
            .mlpNorm = takeNorm(weights, prefix + "post_attention_layernorm", c),
        };
        const bool dense = static_cast<std::size_t>(index) < kinds.size()
                               ? kinds[static_cast<std::size_t>(index)] == "dense"
                               : index < experts.dense;
        takeGroupedFeedForward(weights, prefix + "mlp.", c, experts, dense, block, third);
        return block;
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    if (indexed)
        endAt(weights, parts.spec, config.positive("index_topk", 2048),
              "up to there its sparse attention reads every token, as computed here");
    return parts;
}

} // namespace

ModelParts buildDeepseekV2(Config& config, Weights& weights, int layerLimit)
{
    return deepseekParts(config, weights, layerLimit, false);
}

ModelParts buildDeepseekV3(Config& config, Weights& weights, int layerLimit)
{
    return deepseekParts(config, weights, layerLimit, true);
}

// DeepSeek-V3.2: of each query an indexer chooses the `index_topk` keys that it reads, which are all in shorter texts.
ModelParts buildDeepseekV32(Config& config, Weights& weights, int layerLimit)
{
    config.alias({{"n_routed_experts", "num_local_experts"}});
    config.ignore({"index_head_dim", "index_n_heads", "layer_types"});
    weights.ignore([](const std::string& name) { return name.find(".self_attn.indexer.") != std::string::npos; });
    return deepseekParts(config, weights, layerLimit, true, true);
}

} // namespace headscope::lm

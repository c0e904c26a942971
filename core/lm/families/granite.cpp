// SPDX-License-Identifier: GPL-3.0-or-later
// Granite 3: a Llama with multipliers on embedding, scores, every branch and logits; granitemoe has experts.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/factors.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

std::shared_ptr<const Experts> takeGraniteExperts(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                                  const ExpertShape& shape, std::optional<Mlp> shared)
{
    const bool apart = weights.has(prefix + "experts.0.gate_proj.weight"); // as GGUF files have them
    return std::make_shared<Experts>(
        ExpertParts{.router = takeDense(weights, prefix + "router.layer", shape.count, c.hidden),
                    .routing = {.scores = Routing::Scores::SoftmaxOfChosen, .chosen = shape.chosen},
                    .experts = apart ? takeExperts(weights, prefix, c, shape)
                                     : takeStackedExperts(weights, prefix + "input_linear.weight",
                                                          prefix + "output_linear.weight", c, shape),
                    .shared = std::move(shared)});
}

namespace {

ModelParts graniteParts(Config& config, Weights& weights, int layerLimit, bool withExperts)
{
    DecoderConfig c = readDecoder(config, {.inner = 11008, .maxPositions = 2048, .eps = 1e-6});
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device);
    c.scale = readFactor(config, "attention_multiplier", 1.0);
    const double residual = readFactor(config, "residual_multiplier", 1.0);
    const double embedding = readFactor(config, "embedding_multiplier", 1.0),
                 scaling = readFactor(config, "logits_scaling", 1.0);
    const bool bias = config.boolean("attention_bias", false), mlpBias = config.boolean("mlp_bias", false);
    const ExpertShape experts =
        withExperts ? readExperts(config, "num_local_experts", 8, 2, "intermediate_size", 11008) : ExpertShape{};
    const auto layer = [&](const std::string& prefix, int) {
        DecoderBlockParts block{
            .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
            .mixer = takeAttention(weights, prefix + "self_attn.", c, bias),
            .mlpNorm = takeNorm(weights, prefix + "post_attention_layernorm", c),
            .residualMultiplier = residual,
        };
        if (withExperts)
            block.experts = takeGraniteExperts(weights, prefix + "block_sparse_moe.", c, experts, {});
        else
            block.mlp = takeGatedMlp(weights, prefix + "mlp.", c.hidden, c.inner, c.activation, mlpBias);
        return block;
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    parts.embeddingMultiplier = embedding;
    parts.logitMultiplier = 1.0 / scaling;
    return parts;
}

} // namespace

ModelParts buildGranite(Config& config, Weights& weights, int layerLimit)
{
    return graniteParts(config, weights, layerLimit, false);
}

ModelParts buildGraniteMoe(Config& config, Weights& weights, int layerLimit)
{
    return graniteParts(config, weights, layerLimit, true);
}

} // namespace headscope::lm

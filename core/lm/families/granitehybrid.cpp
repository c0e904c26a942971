// SPDX-License-Identifier: GPL-3.0-or-later
// Granite 4 hybrid: Mamba-2 and attention layers with multipliers on every branch, and
// experts beside an MLP that runs for every token in the larger ones.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/factors.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

ModelParts buildGraniteHybrid(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.inner = 11008, .maxPositions = 2048, .eps = 1e-6});
    const std::vector<std::string> types = config.texts("layer_types");
    const Mamba2Shape mamba = readBambaShape(config, c.hidden, c.eps);
    const std::string positions = config.text("position_embedding_type", "nope");
    if (positions == "rope")
        c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device);
    else if (positions == "nope")
        config.ignore({"rope_theta", "rope_scaling", "rope_parameters"});
    else
        config.fail("The position embedding '" + positions + "' is not supported; expected rope or nope.");
    c.scale = readFactor(config, "attention_multiplier", 1.0);
    config.ignore({"num_experts_per_tok"}); // where there are none
    const bool anyExperts = config.integer("num_local_experts", 8) > 0;
    const ExpertShape experts =
        anyExperts ? readExperts(config, "num_local_experts", 8, 2, "intermediate_size", c.inner) : ExpertShape{};
    c.inner = config.positive("shared_intermediate_size", 1024);
    const double residual = readFactor(config, "residual_multiplier", 1.0);
    const double embedding = readFactor(config, "embedding_multiplier", 1.0),
                 scaling = readFactor(config, "logits_scaling", 1.0);
    const bool bias = config.boolean("attention_bias", false);
    if (!types.empty() && types.size() != static_cast<std::size_t>(c.layers))
        config.fail("'layer_types' has " + std::to_string(types.size()) + " entries; expected one for each of the "
                    + std::to_string(c.layers) + " layers.");
    const auto isAttention = [](const std::string& type) {
        return type == "attention" || type == "full_attention";
    }; // 4.x and 5
    for (const std::string& type : types)
        if (!isAttention(type) && type != "mamba" && type != "linear_attention")
            config.fail("'layer_types' contains '" + type + "'; expected attention or mamba.");
    const auto layer = [&](const std::string& prefix, int index) {
        DecoderBlockParts block;
        block.residualMultiplier = residual;
        block.inputNorm = takeRmsNorm(weights, prefix + "input_layernorm", c.hidden, c.eps);
        if (!types.empty() && isAttention(types[static_cast<std::size_t>(index)]))
            block.mixer = takeAttention(weights, prefix + "self_attn.", c, bias);
        else
            block.mixer = std::make_shared<Mamba2>(mixerSpec(mamba), takeMamba2(weights, prefix + "mamba.", mamba));
        block.mlpNorm = takeRmsNorm(weights, prefix + "post_attention_layernorm", c.hidden, c.eps);
        const std::string mlp = prefix + "shared_mlp.";
        const Mlp shared = weights.has(mlp + "gate_proj.weight") // as GGUF files have it
                               ? takeNamedMlp(weights, mlp, c, {.down = "output_linear"})
                               : takeFusedMlp(weights, mlp + "input_linear", mlp + "output_linear", c);
        if (anyExperts)
            block.experts = takeGraniteExperts(weights, prefix + "block_sparse_moe.", c, experts, shared);
        else
            block.mlp = shared;
        return block;
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    parts.embeddingMultiplier = embedding;
    parts.logitMultiplier = 1.0 / scaling;
    return parts;
}

} // namespace headscope::lm

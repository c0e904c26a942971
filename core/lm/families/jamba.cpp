// SPDX-License-Identifier: GPL-3.0-or-later
// Jamba: Mamba-1 layers with norms on dt, B and C, some attention layers without positions, experts in some.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

ModelParts buildJamba(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 65536, .heads = {.kvHeads = 8}, .eps = 1e-6});
    c.names.finalNorm = "model.final_layernorm";
    const int period = config.positive("attn_layer_period", 8), offset = config.integer("attn_layer_offset", 4);
    const Mamba1Shape mamba = readJambaShape(config, c.hidden, c.activation);
    config.ignore({"num_experts_per_tok", "rope_parameters", "rope_scaling", "rope_theta"});
    const bool anyExperts = config.integer("num_experts", 16) > 1;
    const ExpertShape experts =
        anyExperts ? readExperts(config, "num_experts", 16, 2, "intermediate_size", 14336) : ExpertShape{};
    const int expertPeriod = config.positive("expert_layer_period", 2),
              expertOffset = config.integer("expert_layer_offset", 1);
    const auto layer = [&](const std::string& prefix, int index) {
        DecoderBlockParts block;
        block.inputNorm = takeRmsNorm(weights, prefix + "input_layernorm", c.hidden, c.eps);
        if (index % period == offset) {
            block.mixer = takeAttention(weights, prefix + "self_attn.", c, false);
        } else {
            Mamba1Weights w = takeMamba1(weights, prefix + "mamba.", mamba);
            w.stepNorm = takeRmsNorm(weights, prefix + "mamba.dt_layernorm", mamba.rank, c.eps);
            w.bNorm = takeRmsNorm(weights, prefix + "mamba.b_layernorm", mamba.states, c.eps);
            w.cNorm = takeRmsNorm(weights, prefix + "mamba.c_layernorm", mamba.states, c.eps);
            block.mixer = std::make_shared<Mamba1>(mixerSpec(mamba), std::move(w));
        }
        block.mlpNorm = takeRmsNorm(weights, prefix + "pre_ff_layernorm", c.hidden, c.eps);
        if (anyExperts && index % expertPeriod == expertOffset)
            block.experts = std::make_shared<Experts>(
                ExpertParts{.router = takeDense(weights, prefix + "feed_forward.router", experts.count, c.hidden),
                            .routing = {.chosen = experts.chosen},
                            .experts = takeExperts(weights, prefix + "feed_forward.", c, experts)});
        else
            block.mlp = takeGatedMlp(weights, prefix + "feed_forward.", c.hidden, c.inner, c.activation, false);
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

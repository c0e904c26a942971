// SPDX-License-Identifier: GPL-3.0-or-later
// gpt-oss (OpenAI 2025, arXiv 2508.10925): a sink in every head, which takes its part of each row; a window in every
// other layer; experts with biases, gate and up in turn, stored [in, out].
#include "core/lm/families/expertparts.h"
#include "core/lm/families/factors.h"
#include "core/lm/families/families.h"

#include <nlohmann/json.hpp>

namespace headscope::lm {

namespace {

// As in GGUF files: the maps of each expert separate, [out, in].
std::vector<Mlp> takePlainExperts(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                  const ExpertShape& shape, double limit)
{
    std::vector<Mlp> experts;
    for (int expert = 0; expert < shape.count; ++expert) {
        const std::string own = prefix + std::to_string(expert) + ".";
        experts.push_back({takeLinear(weights, own + "gate_proj", shape.inner, c.hidden, true),
                           takeLinear(weights, own + "up_proj", shape.inner, c.hidden, true),
                           takeLinear(weights, own + "down_proj", c.hidden, shape.inner, true), Activation::Silu,
                           limit});
    }
    return experts;
}

std::vector<Mlp> takeTurnedExperts(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                   const ExpertShape& shape, double limit)
{
    if (weights.has(prefix + "0.gate_proj.weight"))
        return takePlainExperts(weights, prefix, c, shape, limit);
    const std::int64_t count = shape.count, inner = shape.inner;
    const at::Tensor both = weights.take(prefix + "gate_up_proj", {count, c.hidden, 2 * inner}),
                     bothBias = weights.take(prefix + "gate_up_proj_bias", {count, 2 * inner}),
                     down = weights.take(prefix + "down_proj", {count, inner, c.hidden}),
                     downBias = weights.take(prefix + "down_proj_bias", {count, c.hidden});
    std::vector<Mlp> experts;
    for (int expert = 0; expert < shape.count; ++expert) {
        const auto part = [&](std::int64_t which) {
            return packed(weights, {both[expert].unflatten(1, {inner, 2}).select(2, which).t(),
                                    bothBias[expert].view({inner, 2}).select(1, which)});
        };
        experts.push_back(
            {part(0), part(1), packed(weights, {down[expert].t(), downBias[expert]}), Activation::Silu, limit});
    }
    return experts;
}

} // namespace

ModelParts buildGptOss(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 201088,
                                           .hidden = 2880,
                                           .inner = 2880,
                                           .layers = 36,
                                           .maxPositions = 131072,
                                           .heads = {.kvHeads = 8, .headDim = 64, .heads = 64}});
    // Without settings of its own a model has those of the class.
    if (config.object("rope_scaling").json().empty() && config.object("rope_parameters").json().empty())
        config = config.with("rope_parameters", {{"rope_type", "yarn"},
                                                 {"rope_theta", 150000.0},
                                                 {"factor", 32.0},
                                                 {"truncate", false},
                                                 {"original_max_position_embeddings", 4096}});
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device, 150000.0);
    config.ignore({"experts_per_token", "initial_context_length"});
    const ExpertShape shape = readExperts(config, "num_local_experts", 128, 4, "intermediate_size", 2880);
    const bool bias = config.boolean("attention_bias", true);
    const double limit = readFactor(config, "swiglu_limit", 7.0);
    config.only("swiglu_alpha", "1.702");
    MixerSpec mixer = attentionSpec(c);
    mixer.sinks = true;
    const auto layer = [&](const std::string& prefix, int index) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, bias);
        attention.sinks = weights.take(prefix + "self_attn.sinks", {c.heads.heads});
        attention.window = readWindow(config, index, 128, index % 2 == 0);
        return DecoderBlockParts{
            .inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
            .mixer = std::make_shared<Attention>(mixer, attention),
            .mlpNorm = takeNorm(weights, prefix + "post_attention_layernorm", c),
            .experts = std::make_shared<Experts>(
                ExpertParts{.router = takeDense(weights, prefix + "mlp.router", shape.count, c.hidden, true),
                            .routing = {.scores = Routing::Scores::SoftmaxOfChosen, .chosen = shape.chosen},
                            .experts = takeTurnedExperts(weights, prefix + "mlp.experts.", c, shape, limit)}),
        };
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

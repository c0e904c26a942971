// SPDX-License-Identifier: GPL-3.0-or-later
// xLSTM 7B (Beck et al. 2025, arXiv 2503.13427): matrix memories and MLPs, without attention or positions.
#include "core/lm/families/decoder.h"
#include "core/lm/families/factors.h"
#include "core/lm/families/families.h"
#include "core/lm/mixers/mlstm.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace headscope::lm {

namespace {

int roundedInner(Config& config, int hidden)
{
    const int step = config.positive("ffn_round_up_to_multiple_of", 64);
    const double inner = config.multiple("ffn_proj_factor", 2.667, hidden);
    return static_cast<int>(std::floor((inner + step - 1) / step)) * step;
}

} // namespace

ModelParts buildXlstm(Config& config, Weights& weights, int layerLimit)
{
    if (config.has("num_blocks")) // wins in the reference
        config = config.with("num_hidden_layers", config.value("num_blocks"));
    config.alias({{"hidden_size", "embedding_dim"}, {"num_attention_heads", "num_heads"}});
    DecoderConfig c =
        readDecoder(config, {.vocabulary = 50304, .heads = {.heads = 8}, .eps = 1e-6, .epsKey = "norm_eps"});
    c.maxPositions = 0;
    c.inner = roundedInner(config, c.hidden);
    c.names = {"backbone.embeddings.weight", "backbone.blocks.", "backbone.out_norm", "lm_head.weight"};
    const int heads = c.heads.heads;
    const int keys = static_cast<int>(config.multiple("qk_dim_factor", 0.5, c.hidden)),
              width = static_cast<int>(config.multiple("v_dim_factor", 1.0, c.hidden));
    if (keys < heads || keys % heads != 0 || width < heads || width % heads != 0)
        config.fail("The widths of keys and values, " + std::to_string(keys) + " and " + std::to_string(width)
                    + ", cannot be divided into " + std::to_string(heads) + " heads.");
    if (config.boolean("use_bias", false))
        config.fail("This xLSTM model has biases ('use_bias'), which are not supported.");
    if (config.text("weight_mode", "single") != "single")
        config.fail("This xLSTM model has several maps in one tensor ('weight_mode'), which is not supported.");
    config.ignore({"autocast_kernel_dtype", "chunk_size", "chunkwise_kernel", "inference_state_dtype", "mode",
                   "return_last_states", "sequence_kernel", "step_kernel"});
    constexpr double kLargestCap = 60; // exp() of it, summed and squared, is still a number
    const double cap = config.number("gate_soft_cap", 15.0), eps = config.number("eps", 1e-6);
    if (!(cap > 0 && cap <= kLargestCap))
        config.fail("The gates of this xLSTM model are not held within 60 ('gate_soft_cap').");
    const MixerSpec mixer{
        .kind = MixerKind::Mlstm, .heads = heads, .kvHeads = heads, .headDim = width / heads, .state = keys / heads};
    const auto layer = [&](const std::string& prefix, int) {
        const std::string own = prefix + "mlstm_layer.";
        MlstmWeights w;
        w.query = takeLinear(weights, own + "q", keys, c.hidden);
        w.key = takeLinear(weights, own + "k", keys, c.hidden);
        w.value = takeLinear(weights, own + "v", width, c.hidden);
        w.gate = takeLinear(weights, own + "ogate_preact", width, c.hidden);
        w.inputGate = takeDense(weights, own + "igate_preact", heads, c.hidden, true);
        w.forgetGate = takeDense(weights, own + "fgate_preact", heads, c.hidden, true);
        w.gateCap = cap;
        w.normWeight = weights.take(own + "multihead_norm.weight", {width});
        w.normEps = c.eps;
        w.eps = eps;
        w.output = takeLinear(weights, own + "out_proj", c.hidden, width);
        return DecoderBlockParts{
            .inputNorm = takeNorm(weights, prefix + "norm_mlstm", c),
            .mixer = std::make_shared<Mlstm>(mixer, std::move(w)),
            .mlpNorm = takeNorm(weights, prefix + "norm_ffn", c),
            .mlp = Mlp{takeLinear(weights, prefix + "ffn.proj_up_gate", c.inner, c.hidden),
                       takeLinear(weights, prefix + "ffn.proj_up", c.inner, c.hidden),
                       takeLinear(weights, prefix + "ffn.proj_down", c.hidden, c.inner), Activation::Silu},
        };
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    parts.logitSoftCap = readFactor(config, "output_logit_soft_cap", 30.0);
    return parts;
}

} // namespace headscope::lm

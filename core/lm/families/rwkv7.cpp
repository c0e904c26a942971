// SPDX-License-Identifier: GPL-3.0-or-later
// RWKV-7 "Goose" (Peng et al. 2025, arXiv 2503.14456), as flash-linear-attention names its fields and tensors.
#include "core/lm/mixers/rwkv7.h"
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

#include <nlohmann/json.hpp>

namespace headscope::lm {

namespace {

struct RwkvConfig {
    MixerSpec mixer;
    int decayRank = 64, gateRank = 128, rateRank = 64, valueRank = 16;
    bool fused = true;
};

RwkvConfig readRwkv(Config& config, DecoderConfig& c)
{
    RwkvConfig r;
    const int dim = config.positive("head_dim", config.has("num_heads") ? c.hidden / config.positive("num_heads") : 64);
    if (c.hidden % std::max(dim, 1) != 0)
        config.fail("The width " + std::to_string(c.hidden) + " is not divisible by the head width "
                    + std::to_string(dim) + ".");
    const int heads = std::max(c.hidden / std::max(dim, 1), 1);
    std::vector<int> widths = config.integers("value_dim");
    if (widths.empty())
        widths = {config.positive("value_dim", c.hidden)};
    for (const int width : widths)
        if (width != widths.front() || width < heads || width % heads != 0)
            config.fail("'value_dim' in config.json is not one width that divides into " + std::to_string(heads)
                        + " heads; other values are not supported.");
    if (!config.value("attn").is_null())
        config.fail("This RWKV-7 model has layers of attention ('attn'), which are not supported.");
    r.mixer = {.kind = MixerKind::Rwkv7,
               .heads = heads,
               .kvHeads = heads,
               .headDim = widths.front() / heads,
               .state = dim,
               .convWidth = 2};
    r.decayRank = config.positive("decay_low_rank_dim", 64);
    r.gateRank = config.positive("gate_low_rank_dim", 128);
    r.rateRank = config.positive("a_low_rank_dim", 64);
    r.valueRank = config.positive("v_low_rank_dim", 16);
    r.fused = config.boolean("fuse_norm", true);
    if (!config.has("intermediate_size")) {
        const double inner = config.multiple("hidden_ratio", 4.0, c.hidden);
        c.inner = (static_cast<int>(inner) + 31) / 32 * 32;
    }
    return r;
}

// The six shares of the token before, one tensor each, or all in x_x of older files.
Rwkv7Weights::Shares takeShares(Weights& weights, const std::string& prefix, int hidden)
{
    const at::Tensor all =
        weights.has(prefix + "x_x") && weights.hasNumbers() ? weights.take(prefix + "x_x", {6, hidden}) : at::Tensor();
    const auto one = [&](const char* name, int row) {
        return all.defined() ? all[row] : weights.take(prefix + name, {1, 1, hidden}).flatten();
    };
    return {.query = one("x_r", 0),
            .decay = one("x_w", 1),
            .key = one("x_k", 2),
            .value = one("x_v", 3),
            .rate = one("x_a", 4),
            .gate = one("x_g", 5)};
}

Rwkv7Weights takeTimeMix(Weights& weights, const std::string& prefix, const DecoderConfig& c, const RwkvConfig& r,
                         std::shared_ptr<const FirstValues> first)
{
    const std::int64_t keys = std::int64_t{r.mixer.heads} * r.mixer.state,
                       values = std::int64_t{r.mixer.heads} * r.mixer.headDim;
    const auto low = [&](const char* name, std::int64_t rank, std::int64_t out, Activation between, bool bias = true) {
        const std::string own = prefix + name + "_lora.lora.";
        return LowRank{takeDense(weights, own + "0", rank, c.hidden), takeDense(weights, own + "2", out, rank, bias),
                       between};
    };
    Rwkv7Weights w;
    w.shares = takeShares(weights, prefix, c.hidden);
    w.query = takeLinear(weights, prefix + "r_proj", keys, c.hidden);
    w.key = takeLinear(weights, prefix + "k_proj", keys, c.hidden);
    w.value = takeLinear(weights, prefix + "v_proj", values, c.hidden);
    w.output = takeLinear(weights, prefix + "o_proj", c.hidden, values);
    w.decay = low("w", r.decayRank, keys, Activation::Tanh);
    w.rate = low("a", r.rateRank, keys, Activation::Identity);
    w.gate = low("g", r.gateRank, values, Activation::Sigmoid, false);
    if (first)
        w.valueShare = low("v", r.valueRank, values, Activation::Identity);
    w.first = std::move(first);
    w.removalScale = weights.take(prefix + "k_k", {keys});
    w.rateShare = weights.take(prefix + "k_a", {keys});
    w.bonus = weights.take(prefix + "r_k", {r.mixer.heads, r.mixer.state});
    w.norm = takeLayerNorm(weights, prefix + "g_norm", values, c.eps * r.mixer.state);
    w.fusedLength = r.fused;
    return w;
}

} // namespace

ModelParts buildRwkv7(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 32000,
                                           .hidden = 2048,
                                           .inner = 8192,
                                           .layers = 24,
                                           .heads = {.heads = 1},
                                           .activation = "sqrelu",
                                           .epsKey = "norm_eps"});
    const RwkvConfig r = readRwkv(config, c);
    config.ignore({"attn_mode", "fuse_cross_entropy", "hidden_ratio"});
    c.maxPositions = 0;
    c.normKind = NormKind::Layer;
    c.normBias = config.boolean("norm_bias", true);
    c.names.embedding = "model.embeddings.weight";
    std::shared_ptr<const FirstValues> first;
    const auto layer = [&](const std::string& prefix, int) {
        weights.share(!first); // all others read its values
        DecoderBlockParts block{.inputNorm = takeNorm(weights, prefix + "attn_norm", c)};
        Rwkv7Weights mix = takeTimeMix(weights, prefix + "attn.", c, r, first);
        weights.share(false);
        if (!first)
            first = std::make_shared<FirstValues>(FirstValues{block.inputNorm, mix.shares.value, mix.value});
        block.mixer = std::make_shared<Rwkv7>(r.mixer, std::move(mix));
        block.mlpNorm = takeNorm(weights, prefix + "ffn_norm", c);
        block.mlpShift = weights.take(prefix + "ffn.x_k", {c.hidden});
        block.mlp = takePlainMlp(weights, prefix + "ffn.key", prefix + "ffn.value", c, false);
        return block;
    };
    weights.ignore([](const std::string& name) { return name.starts_with("model.layers.0.attn.v_lora."); });
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    if (config.boolean("norm_first", true))
        parts.embeddingNorm = takeNorm(weights, "model.layers.0.pre_norm", c);
    return parts;
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/families/latentparts.h"

namespace headscope::lm {

LatentShape readLatent(Config& config, int heads, const LatentDefaults& defaults)
{
    LatentShape s;
    s.heads = heads;
    const bool none = config.contains("q_lora_rank") ? !config.has("q_lora_rank") : defaults.queryRank == 0;
    s.queryRank = none ? 0 : config.positive("q_lora_rank", defaults.queryRank);
    s.rank = config.positive("kv_lora_rank", 512);
    s.rotated = config.positive("qk_rope_head_dim", 64);
    s.plain = config.positive("qk_nope_head_dim", 128);
    s.value = config.positive("v_head_dim", 128);
    s.bias = config.boolean("attention_bias", false);
    s.interleaved = defaults.interleaved;
    if (s.value > s.rotated + s.plain)
        config.fail("The values of a head are " + std::to_string(s.value) + " wide, its keys "
                    + std::to_string(s.rotated + s.plain) + "; expected values at most as wide as keys.");
    return s;
}

MixerSpec latentSpec(const LatentShape& s)
{
    return {.kind = MixerKind::Attention,
            .heads = s.heads,
            .kvHeads = s.heads,
            .headDim = s.value,
            .keyDim = s.plain + s.rotated};
}

namespace {

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
    maps.query =
        packed(weights,
               {rotatedFirst(weights.take(prefix + query + ".weight", {heads * keys, from}), s, s.heads, s.plain), {}});
    const Linear both = takeDense(weights, prefix + "kv_a_proj_with_mqa", s.rank + s.rotated, c.hidden, s.bias);
    const auto rows = [&](std::int64_t first, std::int64_t count) {
        return Linear{both.weight.narrow(0, first, count), s.bias ? both.bias.narrow(0, first, count) : at::Tensor()};
    };
    maps.down = packed(weights, rows(0, s.rank));
    maps.rotated = rows(s.rank, s.rotated);
    maps.rotated.weight = rotatedFirst(maps.rotated.weight, s, 1, 0);
    if (s.bias)
        maps.rotated.bias = rotatedFirst(maps.rotated.bias, s, 1, 0);
    maps.rotated = packed(weights, maps.rotated);
    maps.norm = takeRmsNorm(weights, prefix + "kv_a_layernorm", s.rank, 1e-6);
    if (weights.has(prefix + "k_b_proj.weight")) { // in two maps, that of keys turned, as GGUF files have it
        const at::Tensor key = weights.take(prefix + "k_b_proj.weight", {heads, s.rank, s.plain}),
                         value = weights.take(prefix + "v_b_proj.weight", {heads, s.value, s.rank});
        maps.key = packed(weights, {key.transpose(1, 2).flatten(0, 1), {}});
        maps.value = packed(weights, {value.flatten(0, 1), {}});
        return maps;
    }
    const at::Tensor up =
        weights.take(prefix + "kv_b_proj.weight", {heads * (s.plain + s.value), s.rank}).unflatten(0, {heads, -1});
    maps.key = packed(weights, {up.narrow(1, 0, s.plain).flatten(0, 1), {}});
    maps.value = packed(weights, {up.narrow(1, s.plain, s.value).flatten(0, 1), {}});
    return maps;
}

} // namespace

AttentionWeights takeLatentAttention(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                     const LatentShape& s)
{
    AttentionWeights w;
    w.latent = takeLatent(weights, prefix, c, s);
    w.output = takeLinear(weights, prefix + "o_proj", c.hidden, std::int64_t{s.heads} * s.value, s.bias);
    w.rope = c.rope;
    w.scale = c.scale;
    return w;
}

} // namespace headscope::lm

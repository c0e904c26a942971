// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/families/deltaparts.h"

namespace headscope::lm {

MixerSpec deltaSpec(const DeltaShape& s)
{
    return {.kind = MixerKind::GatedDeltaNet,
            .heads = s.valueHeads,
            .kvHeads = s.keyHeads,
            .headDim = s.valueDim,
            .state = s.keyDim,
            .convWidth = s.taps};
}

Linear joinedByKeyHead(const std::vector<at::Tensor>& parts, const DeltaShape& s)
{
    std::vector<at::Tensor> grouped;
    for (const at::Tensor& part : parts)
        grouped.push_back(part.unflatten(0, {s.keyHeads, -1}));
    return {at::cat(grouped, 1).flatten(0, 1), {}};
}

namespace {

// The first projection of the mixer, by key head, of those of Qwen3.5, which llama.cpp makes of Qwen3-Next's too.
Linear takeJoined(Weights& weights, const std::string& prefix, std::int64_t hidden, const DeltaShape& s)
{
    const std::int64_t keys = std::int64_t{s.keyHeads} * s.keyDim, values = std::int64_t{s.valueHeads} * s.valueDim;
    const at::Tensor both = weights.take(prefix + "in_proj_qkv.weight", {2 * keys + values, hidden});
    return packed(
        weights, joinedByKeyHead({both.narrow(0, 0, keys), both.narrow(0, keys, keys), both.narrow(0, 2 * keys, values),
                                  weights.take(prefix + "in_proj_z.weight", {values, hidden})},
                                 s));
}

} // namespace

GatedDeltaNetWeights takeDelta(Weights& weights, const std::string& prefix, const DecoderConfig& c, const DeltaShape& s)
{
    const std::int64_t keys = std::int64_t{s.keyHeads} * s.keyDim, values = std::int64_t{s.valueHeads} * s.valueDim;
    GatedDeltaNetWeights w;
    const auto rates = [&](const char* name) { return weights.take(prefix + name, {s.valueHeads, c.hidden}); };
    w.queryKeyValueGate = s.partByPart || weights.has(prefix + "in_proj_qkv.weight")
                              ? takeJoined(weights, prefix, c.hidden, s)
                              : takeLinear(weights, prefix + "in_proj_qkvz", 2 * keys + 2 * values, c.hidden);
    w.betaAlpha = s.partByPart ? joinedByKeyHead({rates("in_proj_b.weight"), rates("in_proj_a.weight")}, s)
                               : takeDense(weights, prefix + "in_proj_ba", std::int64_t{2} * s.valueHeads, c.hidden);
    w.conv = {weights.take(prefix + "conv1d.weight", {2 * keys + values, 1, s.taps}), {}, c.activation};
    w.dtBias = weights.take(prefix + "dt_bias", {s.valueHeads});
    w.aLog = weights.take(prefix + "A_log", {s.valueHeads});
    w.norm = takeRmsNorm(weights, prefix + "norm", s.valueDim, c.eps);
    w.output = takeLinear(weights, prefix + "out_proj", c.hidden, values);
    return w;
}

CausalConv takeThreeConvs(Weights& weights, const std::string& prefix, const DeltaShape& s, Activation activation)
{
    const std::int64_t keys = std::int64_t{s.keyHeads} * s.keyDim, values = std::int64_t{s.valueHeads} * s.valueDim;
    if (weights.has(prefix + "conv1d.weight"))
        return {weights.take(prefix + "conv1d.weight", {2 * keys + values, 1, s.taps}), {}, activation};
    const auto one = [&](const char* name, std::int64_t channels) {
        return weights.take(prefix + name + "_conv1d.weight", {channels, 1, s.taps});
    };
    // transformers 5.23 saves all channels in three equal parts, the last of them smaller, whatever those of q, k and
    // v.
    const std::int64_t third = (2 * keys + values + 2) / 3;
    const std::int64_t first = weights.rowsOf(prefix + "q_conv1d.weight") == third ? third : keys;
    return {at::cat({one("q", first), one("k", first), one("v", 2 * keys + values - 2 * first)}), {}, activation};
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/families/ssmparts.h"

#include "core/io/textfiles/pythonjson.h"

#include <nlohmann/json.hpp>

namespace headscope::lm {

namespace {

CausalConv takeConv(Weights& weights, const std::string& name, std::int64_t channels, int taps, bool bias,
                    Activation activation)
{
    return {weights.take(name + ".weight", {channels, 1, taps}),
            bias ? weights.take(name + ".bias", {channels}) : at::Tensor(), activation};
}

// Zamba's tensors with a group's in each place of their first dimension, as one map each: what a group does not read
// has zeros. The input projection's rows are of x and the gate by turns.
void takeGroups(Weights& weights, const std::string& prefix, const Mamba1Shape& s, Mamba1Weights& w)
{
    const std::int64_t inner = s.inner, groups = s.groups, width = inner / groups, states = s.states, rank = s.rank;
    const Linear turns = takeDense(weights, prefix + "in_proj", 2 * inner, s.hidden, s.bias);
    const auto apart = [&](const at::Tensor& x) {
        return x.defined() ? x.unflatten(0, {inner, 2}).transpose(0, 1).flatten(0, 1).contiguous() : x;
    };
    w.input = packed(weights, {apart(turns.weight), apart(turns.bias)});
    const at::Tensor parameters = weights.take(prefix + "x_proj_weight", {groups, rank + 2 * states, width});
    const auto rows = [&](std::int64_t from, std::int64_t count) {
        return at::block_diag(parameters.narrow(1, from, count).unbind(0));
    };
    w.parameters = packed(weights, {at::cat({rows(0, rank), rows(rank, states), rows(rank + states, states)}), {}});
    w.step = {at::block_diag(weights.take(prefix + "dt_proj_weight", {groups, width, rank}).unbind(0)),
              weights.take(prefix + "dt_proj_bias", {groups, width}).flatten()};
    w.aLog = weights.take(prefix + "A_log", {groups, width, states}).flatten(0, 1);
    w.d = weights.take(prefix + "D", {groups, width}).flatten();
}

} // namespace

MixerSpec mixerSpec(const Mamba1Shape& s)
{
    return {.kind = MixerKind::Mamba1,
            .heads = s.inner,
            .kvHeads = std::max(s.groups, 1),
            .headDim = 1,
            .state = s.states,
            .convWidth = s.taps};
}

Mamba1Shape readJambaShape(Config& config, int hidden, Activation activation)
{
    const bool automatic = !config.has("mamba_dt_rank") || config.value("mamba_dt_rank") == "auto";
    return {.hidden = hidden,
            .inner = config.positive("mamba_expand", 2) * hidden,
            .states = config.positive("mamba_d_state", 16),
            .taps = config.positive("mamba_d_conv", 4),
            .rank = automatic ? (hidden + 15) / 16 : config.positive("mamba_dt_rank"),
            .bias = config.boolean("mamba_proj_bias", false),
            .convBias = config.boolean("mamba_conv_bias", true),
            .activation = activation};
}

Mamba1Weights takeMamba1(Weights& weights, const std::string& prefix, const Mamba1Shape& s)
{
    const std::int64_t inner = s.inner;
    Mamba1Weights w;
    w.conv = takeConv(weights, prefix + "conv1d", inner, s.taps, s.convBias, s.activation);
    w.output = takeLinear(weights, prefix + "out_proj", s.hidden, inner, s.bias);
    if (s.groups > 0) {
        takeGroups(weights, prefix, s, w);
        return w;
    }
    w.input = takeLinear(weights, prefix + "in_proj", 2 * inner, s.hidden, s.bias);
    w.parameters = takeLinear(weights, prefix + "x_proj", s.rank + std::int64_t{2} * s.states, inner);
    w.step = takeDense(weights, prefix + "dt_proj", inner, s.rank, true);
    w.aLog = weights.take(prefix + "A_log", {inner, s.states});
    w.d = weights.take(prefix + "D", {inner});
    return w;
}

MixerSpec mixerSpec(const Mamba2Shape& s)
{
    return {.kind = MixerKind::Mamba2,
            .heads = s.heads,
            .kvHeads = s.groups,
            .headDim = s.headDim,
            .state = s.states,
            .convWidth = s.taps};
}

Mamba2Weights takeMamba2(Weights& weights, const std::string& prefix, const Mamba2Shape& s)
{
    const std::int64_t inner = std::int64_t{s.heads} * s.headDim, mixed = inner + std::int64_t{2} * s.groups * s.states;
    Mamba2Weights w;
    w.input = takeLinear(weights, prefix + "in_proj", inner + mixed + s.heads, s.hidden, s.bias);
    w.conv = takeConv(weights, prefix + "conv1d", mixed, s.taps, s.convBias, s.activation);
    w.dtBias = weights.take(prefix + "dt_bias", {s.heads});
    w.aLog = weights.take(prefix + "A_log", {s.heads});
    w.d = weights.take(prefix + "D", {s.heads});
    if (s.norm)
        w.normWeight = weights.take(prefix + "norm.weight", {inner});
    w.output = takeLinear(weights, prefix + "out_proj", s.hidden, inner, s.outputBias.value_or(s.bias));
    w.normGroups = s.normGroups;
    w.normEps = s.normEps;
    w.dtLow = s.dtLow;
    w.dtHigh = s.dtHigh;
    w.chunk = s.chunk;
    return w;
}

Mamba2Shape readBambaShape(Config& config, int hidden, double eps)
{
    Mamba2Shape s;
    s.hidden = hidden;
    s.heads = config.positive("mamba_n_heads", 128);
    config.ignore({"mamba_expand"}); // where a width is named
    const int width =
        config.has("mamba_d_ssm") ? config.positive("mamba_d_ssm") : config.positive("mamba_expand", 2) * hidden;
    const bool automatic = !config.has("mamba_d_head") || config.value("mamba_d_head").is_string();
    s.headDim = automatic ? std::max(width / s.heads, 1) : config.positive("mamba_d_head");
    s.groups = config.positive("mamba_n_groups", 1);
    s.states = config.positive("mamba_d_state", 256);
    s.taps = config.positive("mamba_d_conv", 4);
    s.chunk = config.positive("mamba_chunk_size", 256);
    s.bias = config.boolean("mamba_proj_bias", false);
    s.convBias = config.boolean("mamba_conv_bias", true);
    s.activation = readActivation(config, "hidden_act", "silu");
    s.normGroups = s.groups;
    s.normEps = eps;
    if (s.heads * s.headDim != width)
        config.fail("The Mamba width is " + std::to_string(width) + " by mamba_expand or mamba_d_ssm, but "
                    + std::to_string(s.heads) + " heads of " + std::to_string(s.headDim) + " make "
                    + std::to_string(s.heads * s.headDim) + ".");
    checkGroups(config, s.heads, s.groups);
    readStepLimit(config, s);
    return s;
}

void readStepLimit(Config& config, Mamba2Shape& shape)
{
    if (!config.has("time_step_limit"))
        return;
    nlohmann::json limit = config.value("time_step_limit");
    if (limit.is_array() && limit.size() == 2 && limit[1].is_object()
        && limit[1].value("__float__", nlohmann::json()) == "Infinity")
        limit[1] = io::kInfinityRead; // the spelling of transformers 5
    if (!limit.is_array() || limit.size() != 2 || !limit[0].is_number() || !limit[1].is_number()) {
        config.fail("'time_step_limit' is " + limit.dump().substr(0, 40) + "; expected two numbers.");
        return;
    }
    shape.dtLow = limit[0].get<double>();
    shape.dtHigh =
        limit[1].get<double>() >= io::kInfinityRead ? std::numeric_limits<double>::infinity() : limit[1].get<double>();
    if (!(shape.dtLow <= shape.dtHigh)) // NaN is neither
        config.fail("'time_step_limit' is " + limit.dump().substr(0, 40)
                    + "; expected a lower end and an upper one above it.");
}

MixerSpec mixerSpec(const DiscreteShape& s)
{
    return {.kind = MixerKind::DiscreteMamba2,
            .heads = s.heads,
            .kvHeads = s.groups,
            .headDim = s.headDim,
            .state = s.states,
            .convWidth = s.taps};
}

DiscreteMamba2Weights takeDiscreteMamba2(Weights& weights, const std::string& prefix, const DiscreteShape& s)
{
    const std::int64_t inner = std::int64_t{s.heads} * s.headDim, mixed = inner + std::int64_t{2} * s.groups * s.states;
    DiscreteMamba2Weights w;
    w.input = takeLinear(weights, prefix + "in_proj", mixed + inner + s.heads, s.hidden, s.bias);
    w.conv = takeConv(weights, prefix + "conv1d", mixed, s.taps, s.convBias, s.activation);
    if (s.zBias)
        w.zBias = weights.take(prefix + "z_bias", {inner});
    w.d = weights.take(prefix + "D", {s.heads});
    w.output = takeLinear(weights, prefix + "out_proj", s.hidden, inner, s.bias);
    w.chunk = s.chunk;
    return w;
}

void checkGroups(Config& config, int heads, int groups)
{
    if (heads % groups != 0)
        config.fail(std::to_string(heads) + " SSM heads cannot share " + std::to_string(groups)
                    + " groups of B and C; expected a divisor.");
}

int paddedVocabulary(Config& config, int vocabulary, int multiple)
{
    const std::int64_t padded = (std::int64_t{vocabulary} + multiple - 1) / multiple * multiple;
    if (padded > 1000000000)
        config.fail("The vocabulary of " + std::to_string(vocabulary) + " cannot be padded to a multiple of "
                    + std::to_string(multiple) + ".");
    return static_cast<int>(std::min<std::int64_t>(padded, 1000000000));
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/models/network.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace headscope::train {

namespace {

constexpr std::int64_t kLongestNetwork = 1024;

// First half and second half of the head dims form the rotated pairs. x: [B, H, T, P]; cos, sin: [T, P/2].
at::Tensor rotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin)
{
    const std::int64_t half = x.size(3) / 2;
    const at::Tensor a = x.narrow(3, 0, half), b = x.narrow(3, half, half);
    return at::cat({a * cos - b * sin, b * cos + a * sin}, 3);
}

} // namespace

struct Network::Step {
    at::Tensor rows;         ///< int64 [R] or undefined
    at::Tensor scale;        ///< this layer's head scale or undefined
    at::Tensor mask;         ///< [R or T, T], 0 where visible, -infinity where not
    at::Tensor windowMask;   ///< the same of W layers; undefined where there are none
    bool lastRowOff = false; ///< nothing comes out of this layer's heads at the last position
    at::Tensor cos, sin;
    at::Tensor* pattern = nullptr;

    [[nodiscard]] at::Tensor kept(const at::Tensor& x, int dim) const
    {
        return rows.defined() ? x.index_select(dim, rows) : x;
    }
};

Network::Network(const NetworkShape& shape, tasks::ToyRandom& random, at::Device device)
    : m_shape(shape), m_target(device)
{
    const double hiddenStd = 1.0 / std::sqrt(m_shape.hidden);
    m_embedding =
        addNormal("model.embed_tokens.weight", {m_shape.vocabulary, m_shape.hidden}, m_shape.embeddingStd, random);
    for (int i = 0; i < layerCount(); ++i) {
        const std::string prefix = "model.layers." + std::to_string(i) + ".";
        const double depth = 1.0 / std::sqrt(2.0 * layerCount());
        Layer layer;
        layer.attention = m_shape.layers[static_cast<std::size_t>(i)] != 'S';
        layer.windowed = m_shape.layers[static_cast<std::size_t>(i)] == 'W';
        layer.mixerNorm = add(prefix + "input_layernorm.weight", at::ones({m_shape.hidden}), false);
        if (layer.attention)
            makeAttention(layer, prefix + "self_attn.", random);
        else
            makeSsm(layer, prefix + "mixer.", random);
        const int inner = m_shape.heads * m_shape.headDim;
        layer.output = addNormal(prefix + (layer.attention ? "self_attn.o_proj.weight" : "mixer.out_proj.weight"),
                                 {m_shape.hidden, inner}, depth / std::sqrt(inner), random);
        layer.mlpNorm = add(prefix + "post_attention_layernorm.weight", at::ones({m_shape.hidden}), false);
        layer.gate = addNormal(prefix + "mlp.gate_proj.weight", {m_shape.mlp, m_shape.hidden}, hiddenStd, random);
        layer.up = addNormal(prefix + "mlp.up_proj.weight", {m_shape.mlp, m_shape.hidden}, hiddenStd, random);
        layer.down = addNormal(prefix + "mlp.down_proj.weight", {m_shape.hidden, m_shape.mlp},
                               depth / std::sqrt(m_shape.mlp), random);
        m_layers.push_back(std::move(layer));
    }
    m_finalNorm = add("model.norm.weight", at::ones({m_shape.hidden}), false);
    m_head = m_shape.tied ? m_embedding
                          : addNormal("lm_head.weight", {m_shape.vocabulary, m_shape.hidden}, hiddenStd, random);

    const at::Tensor exponent = at::arange(0, m_shape.headDim, 2, at::kDouble) / m_shape.headDim;
    const at::Tensor angle =
        at::arange(kLongestNetwork, at::kDouble).unsqueeze(1) * at::pow(m_shape.ropeBase, -exponent);
    m_cos = angle.cos().to(at::kFloat).to(m_target);
    m_sin = angle.sin().to(at::kFloat).to(m_target);
}

at::Tensor Network::add(const std::string& name, const at::Tensor& start, bool decays)
{
    at::Tensor value = start.to(at::kFloat).contiguous().to(m_target);
    value.requires_grad_(true);
    m_parameters.push_back({name, value, decays});
    return value;
}

at::Tensor Network::addNormal(const std::string& name, std::vector<std::int64_t> shape, double std,
                              tasks::ToyRandom& random)
{
    at::Tensor start = at::empty(shape, at::kFloat);
    float* out = start.data_ptr<float>();
    for (std::int64_t i = 0; i < start.numel(); ++i)
        out[i] = static_cast<float>(random.normal() * std);
    return add(name, start, true);
}

void Network::makeAttention(Layer& layer, const std::string& prefix, tasks::ToyRandom& random)
{
    const int inner = m_shape.heads * m_shape.headDim;
    const double std = 1.0 / std::sqrt(m_shape.hidden);
    layer.query = addNormal(prefix + "q_proj.weight", {inner, m_shape.hidden}, std, random);
    layer.key = addNormal(prefix + "k_proj.weight", {inner, m_shape.hidden}, std, random);
    layer.value = addNormal(prefix + "v_proj.weight", {inner, m_shape.hidden}, std, random);
}

void Network::makeSsm(Layer& layer, const std::string& prefix, tasks::ToyRandom& random)
{
    const int inner = m_shape.heads * m_shape.headDim, match = m_shape.heads * m_shape.state, width = m_shape.convWidth;
    const int channels = inner + 2 * match;
    at::Tensor input = at::empty({channels + inner + m_shape.heads, m_shape.hidden}, at::kFloat);
    float* weights = input.data_ptr<float>();
    for (std::int64_t i = 0; i < input.numel(); ++i)
        weights[i] = static_cast<float>(random.normal() / std::sqrt(m_shape.hidden));
    at::Tensor conv = at::zeros({width, channels}, at::kFloat);
    conv[0].fill_(1.0);
    for (int tap = 1; tap < width; ++tap)
        for (int channel = 0; channel < channels; ++channel)
            conv[tap][channel] = random.uniform() - 0.5;
    at::Tensor convBias = at::zeros({channels}, at::kFloat);
    for (int channel = inner; channel < channels; ++channel)
        convBias[channel] = random.normal() * m_shape.matchBiasStd;
    input.narrow(0, inner, 2 * match).mul_(m_shape.matchScale);
    if (m_shape.matchedStart) {
        input.narrow(0, inner + match, match).copy_(input.narrow(0, inner, match).clone());
        convBias.narrow(0, inner + match, match).copy_(convBias.narrow(0, inner, match).clone());
        conv.narrow(1, inner + match, match).copy_(conv.narrow(1, inner, match).clone());
    }
    layer.input = add(prefix + "in_proj.weight", input, true);
    layer.conv = add(prefix + "conv", conv, false);
    layer.convBias = add(prefix + "conv_bias", convBias, false);
    layer.gateBias = add(prefix + "z_bias", at::zeros({inner}), false);
    layer.decayBias =
        add(prefix + "decay_bias", at::linspace(m_shape.decayLow, m_shape.decayHigh, m_shape.heads), false);
    layer.skip = add(prefix + "D", at::ones({m_shape.heads}), false);
}

at::Tensor Network::norm(const at::Tensor& x, const at::Tensor& weight) const
{
    return at::rms_norm(x, {x.size(-1)}, weight, m_shape.normEps);
}

// y: [B, H, R, P]
at::Tensor Network::edited(const at::Tensor& y, const Step& step) const
{
    at::Tensor out = y;
    if (step.scale.defined())
        out = out
              * (step.scale.dim() == 2 ? step.scale.unsqueeze(-1).unsqueeze(-1)
                                       : step.scale.view({1, m_shape.heads, 1, 1}));
    if (step.lastRowOff)
        out = at::constant_pad_nd(out.narrow(2, 0, out.size(2) - 1), {0, 0, 0, 1});
    return out;
}

at::Tensor Network::mixAttention(const Layer& layer, const at::Tensor& normed, const Step& step) const
{
    const std::int64_t batch = normed.size(0), length = normed.size(1), heads = m_shape.heads, dim = m_shape.headDim;
    const auto split = [&](const at::Tensor& x) { return x.view({batch, x.size(1), heads, dim}).transpose(1, 2); };
    const bool rotates = layer.windowed || m_shape.fullRotates;
    const auto placed = [&](const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
        return (rotates ? rotate(split(x), cos, sin) : split(x)).reshape({batch * heads, x.size(1), dim});
    };
    const at::Tensor q = placed(at::linear(step.kept(normed, 1), layer.query), step.kept(step.cos, 0),
                                step.kept(step.sin, 0)); // [B*H, R, P]
    const at::Tensor k = placed(at::linear(normed, layer.key), step.cos, step.sin);
    const at::Tensor v = split(at::linear(normed, layer.value)).reshape({batch * heads, length, dim});
    at::Tensor seen; // [B*H, R, P]
    if (layer.windowed && !step.rows.defined() && !step.pattern && length > 2 * m_shape.window) {
        seen = lookNear(q, k, v);
    } else {
        // Plain products beat scaled_dot_product_attention 2.5 times here: 16 dims a head are too narrow for its
        // kernels.
        const at::Tensor p = at::baddbmm(layer.windowed ? step.windowMask : step.mask, q, k.transpose(1, 2), 1.0,
                                         1.0 / std::sqrt(static_cast<double>(dim)))
                                 .softmax(-1); // [B*H, R, T]
        if (step.pattern)
            *step.pattern = p.detach().view({batch, heads, -1, length});
        seen = at::bmm(p, v);
    }
    const at::Tensor y = edited(seen.view({batch, heads, -1, dim}), step);
    return at::linear(y.transpose(1, 2).reshape({batch, -1, heads * dim}), layer.output);
}

// Attention over the last tokens alone, [B*H, T, P] each: block by block of a window's length, each with the block
// before it, so that its cost grows with the text's length and not with its square.
at::Tensor Network::lookNear(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const
{
    const std::int64_t rows = q.size(0), length = q.size(1), dim = q.size(2), window = m_shape.window;
    const std::int64_t blocks = (length + window - 1) / window, rest = blocks * window - length;
    const at::Tensor queries = at::constant_pad_nd(q, {0, 0, 0, rest}).view({rows * blocks, window, dim});
    const auto withBefore = [&](const at::Tensor& x) { // [rows * blocks, 2 window, P]
        const at::Tensor padded = at::constant_pad_nd(x, {0, 0, window, rest});
        const auto from = [&](std::int64_t begin) {
            return padded.narrow(1, begin, blocks * window).view({rows, blocks, window, dim});
        };
        return at::cat({from(0), from(window)}, 2).view({rows * blocks, 2 * window, dim});
    };
    // Of 2 * window places, query i of a block stands at window + i; before the first block there is nothing.
    const at::Tensor place = at::arange(2 * window, q.options().dtype(at::kLong).requires_grad(false));
    const at::Tensor back = place.narrow(0, window, window).unsqueeze(1) - place.unsqueeze(0);
    const at::Tensor hidden = at::logical_or(back < 0, back >= window).unsqueeze(0).repeat({blocks, 1, 1});
    hidden[0].narrow(1, 0, window).fill_(true);
    const at::Tensor mask = at::zeros(hidden.sizes(), m_embedding.options().requires_grad(false))
                                .masked_fill(hidden, -std::numeric_limits<double>::infinity());
    const at::Tensor scores =
        at::bmm(queries * (1.0 / std::sqrt(static_cast<double>(dim))), withBefore(k).transpose(1, 2))
            .view({rows, blocks, window, 2 * window});
    const at::Tensor p = (scores + mask).softmax(-1).view({rows * blocks, window, 2 * window});
    return at::bmm(p, withBefore(v)).view({rows, blocks * window, dim}).narrow(1, 0, length);
}

at::Tensor Network::mixSsm(const Layer& layer, const at::Tensor& normed, const Step& step) const
{
    const std::int64_t batch = normed.size(0), length = normed.size(1), heads = m_shape.heads, dim = m_shape.headDim;
    const std::int64_t inner = heads * dim, match = heads * m_shape.state, channels = inner + 2 * match;

    // 1. Projection and short convolution of x, B and C.
    const at::Tensor projected = at::linear(normed, layer.input);
    const at::Tensor raw = projected.narrow(2, 0, channels);
    at::Tensor mixed = raw * layer.conv[0] + layer.convBias;
    for (int tap = 1; tap < m_shape.convWidth; ++tap)
        mixed = mixed + at::constant_pad_nd(raw.narrow(1, 0, length - tap), {0, 0, tap, 0}) * layer.conv[tap];
    const auto split = [&](std::int64_t begin, std::int64_t size) {
        return mixed.narrow(2, begin, heads * size).view({batch, length, heads, size}).transpose(1, 2);
    };
    const at::Tensor x = split(0, dim); // [B, H, T, P]
    const at::Tensor b = split(inner, m_shape.state).reshape({batch * heads, length, -1});
    const at::Tensor c = step.kept(split(inner + match, m_shape.state), 2).reshape({batch * heads, -1, m_shape.state});
    const at::Tensor z = step.kept(projected.narrow(2, channels, inner), 1) + layer.gateBias;

    // 2. M[t, s] = C_t . B_s * product of decays after s, up to t; the mask is inside the exponent.
    // Sums of many small steps need fp32, whatever the products are done in.
    const at::Tensor logDecay =
        at::softplus(projected.narrow(2, channels + inner, heads).to(at::kFloat) + layer.decayBias)
            .transpose(1, 2)
            .contiguous()
            .cumsum(2); // [B, H, T], minus the log of the product
    const at::Tensor decay =
        (logDecay.unsqueeze(2) - step.kept(logDecay, 2).unsqueeze(3) + step.mask).exp(); // [B, H, R, T]
    const at::Tensor m = decay * at::bmm(c, b.transpose(1, 2)).view({batch, heads, -1, length});
    if (step.pattern) {
        const at::Tensor magnitude = m.detach().abs();
        *step.pattern = magnitude / magnitude.sum(-1, true).clamp_min(1e-30);
    }

    // 3. y = (M x + D x) gated by silu(z).
    const at::Tensor mx = at::bmm(m.reshape({batch * heads, -1, length}), x.reshape({batch * heads, length, dim}))
                              .view({batch, heads, -1, dim});
    const at::Tensor y = edited(mx + step.kept(x, 2) * layer.skip.view({1, heads, 1, 1}), step);
    return at::linear(y.transpose(1, 2).reshape({batch, -1, inner}) * at::silu(z), layer.output);
}

// stream: [B, T, D]. Returns it with what is told.
at::Tensor Network::passHalfway(const at::Tensor& stream, const Halfway& halfway) const
{
    const at::Tensor flat = stream.flatten(0, 1);
    if (halfway.places.defined())
        *halfway.logits = at::linear(norm(flat.index_select(0, halfway.places), m_finalNorm), m_head);
    if (!halfway.toldPlaces.defined())
        return stream;
    const at::Tensor tokens = at::embedding(m_embedding, halfway.toldTokens);
    const at::Tensor size = flat.index_select(0, halfway.toldPlaces).detach().norm(2, -1, true);
    return flat.index_add(0, halfway.toldPlaces, tokens / tokens.norm(2, -1, true) * size).view(stream.sizes());
}

at::Tensor Network::logits(const at::Tensor& ids, const ForwardOptions& options) const
{
    const std::int64_t length = ids.size(1);
    assert(length <= kLongestNetwork);
    const at::Tensor position = at::arange(length, ids.options());
    Step step;
    const bool windowed = m_shape.layers.find('W') != std::string::npos;
    const auto setMasks = [&](const at::Tensor& queries) {
        constexpr double kHidden = -std::numeric_limits<double>::infinity();
        const at::Tensor back = queries.unsqueeze(1) - position.unsqueeze(0); // [R, T]
        step.mask = at::zeros({queries.size(0), length}, m_embedding.options().requires_grad(false))
                        .masked_fill(back < 0, kHidden);
        if (windowed)
            step.windowMask = step.mask.masked_fill(back >= m_shape.window, kHidden);
    };
    setMasks(position);
    step.cos = m_cos.narrow(0, 0, length);
    step.sin = m_sin.narrow(0, 0, length);
    if (options.patterns)
        options.patterns->assign(m_layers.size(), at::Tensor());

    at::Tensor stream = at::embedding(m_embedding, ids);
    if (m_shape.tied)
        stream = stream * std::sqrt(m_shape.hidden);
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        const Layer& layer = m_layers[i];
        if (i + 1 == m_layers.size() && options.rows.defined() && !options.patterns) {
            step.rows = options.rows; // the last layer's other rows have no reader
            setMasks(options.rows);
        }
        if (options.halfway.layers > 0 && static_cast<int>(i) == options.halfway.layers)
            stream = passHalfway(stream, options.halfway);
        step.lastRowOff = static_cast<int>(i) == options.lastRowOff;
        step.scale = options.headScale.empty() ? at::Tensor() : options.headScale[i];
        step.pattern = options.patterns ? &(*options.patterns)[i] : nullptr;
        const at::Tensor normed = norm(stream, layer.mixerNorm);
        stream =
            step.kept(stream, 1) + (layer.attention ? mixAttention(layer, normed, step) : mixSsm(layer, normed, step));
        const at::Tensor mlpInput = norm(stream, layer.mlpNorm);
        stream = stream
                 + at::linear(at::silu(at::linear(mlpInput, layer.gate)) * at::linear(mlpInput, layer.up), layer.down);
    }
    if (options.rows.defined() && !step.rows.defined())
        stream = stream.index_select(1, options.rows);
    if (options.flat.defined())
        stream = stream.flatten(0, 1).index_select(0, options.flat);
    return at::linear(norm(stream, m_finalNorm), m_head);
}

at::Tensor Network::parameter(const std::string& name) const
{
    for (const Parameter& parameter : m_parameters)
        if (parameter.name == name)
            return parameter.value;
    return {};
}

std::int64_t Network::parameterCount() const
{
    std::int64_t count = 0;
    for (const Parameter& parameter : m_parameters)
        count += parameter.value.numel();
    return count;
}

at::Tensor Network::outputSlices(int layer) const
{
    return m_layers[layer].output.detach().view({m_shape.hidden, m_shape.heads, m_shape.headDim});
}

at::Tensor Network::valueSlices(int layer) const
{
    const Layer& l = m_layers[layer];
    const at::Tensor rows =
        l.attention ? l.value.detach() : l.input.detach().narrow(0, 0, m_shape.heads * m_shape.headDim);
    return rows.view({m_shape.heads, m_shape.headDim, m_shape.hidden});
}

} // namespace headscope::train

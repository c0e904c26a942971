// SPDX-License-Identifier: GPL-3.0-or-later
// Gemma 3n, text: several streams of which a layer works on one and corrects the others by what it changed (AltUp,
// arXiv 2301.13310), a low-rank shortcut beside attention (LAuReL, arXiv 2411.07501), MLPs of which only the largest
// gates open, and as in Gemma 4 a second embedding that every layer reads and last layers that read earlier keys.
#include "core/lm/families/factors.h"
#include "core/lm/families/families.h"
#include "core/lm/families/gemmaparts.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace headscope::lm {

namespace {

/// Predicts all streams, [..., N*D] side by side, before a layer runs on the active one, and corrects them after it.
struct AltUp {
    Linear router, prediction, correction; ///< [N, D], [N*N, N], [N, N]
    Norm routerNorm;
    std::int64_t streams = 1, active = 0;

    [[nodiscard]] at::Tensor one(const at::Tensor& all, std::int64_t which) const
    {
        const std::int64_t width = all.size(-1) / streams;
        return all.narrow(-1, which * width, width).contiguous();
    }
    /// Returns [..., N], how much each stream matters, from one stream.
    [[nodiscard]] at::Tensor modalities(const at::Tensor& stream) const
    {
        const at::Tensor read = routerNorm(stream) * (1.0 / static_cast<double>(stream.size(-1)));
        return at::tanh(router(read).to(at::kFloat)).to(stream.scalar_type());
    }
    [[nodiscard]] at::Tensor predict(const at::Tensor& all) const
    {
        const at::Tensor mixed = prediction(modalities(one(all, active))).unflatten(-1, {streams, streams});
        return all + at::matmul(mixed, all.unflatten(-1, {streams, -1})).flatten(-2);
    }
    [[nodiscard]] at::Tensor correct(const at::Tensor& predicted, const at::Tensor& made) const
    {
        const at::Tensor share = (correction(modalities(made)) + 1.0).unsqueeze(-1);
        const at::Tensor news = (made - one(predicted, active)).unsqueeze(-2);
        return predicted + (share * news).flatten(-2);
    }
};

/// Maps between the model's single stream and those of its layers; each is rescaled to the size of the first.
struct Spread {
    std::vector<Linear> maps; ///< [D, D]
    [[nodiscard]] static at::Tensor asLargeAs(const at::Tensor& x, const at::Tensor& first)
    {
        const auto square = [](const at::Tensor& of) { return of.pow(2).mean(-1, true); };
        return x * square(first).pow(0.5) / square(x).clamp_min(1e-5).sqrt();
    }
};

struct Gemma3nParts {
    Norm inputNorm, postMixerNorm, mlpNorm, postMlpNorm, laurelNorm;
    Linear laurelIn, laurelOut; ///< [R, D], [D, R]
    SharedAttention attention;
    Mlp mlp;
    double cutoff = 0;   ///< if sparse: gates below their mean plus this many standard deviations are closed
    bool sparse = false; ///< most gates are closed
    AltUp altUp;
    at::Tensor correctedScale; ///< [D]; undefined: none
    std::optional<PerLayer> perLayer;
    std::int64_t hidden = 0;
    bool carries = false;                ///< inputs of earlier layers are carried beside the streams
    std::optional<Spread> begin, finish; ///< of the first and of the last layer
};

/// Between layers the stream has N*D columns, followed by the inputs for later keys and values; the model's has D.
class Gemma3nBlock : public Block
{
public:
    explicit Gemma3nBlock(Gemma3nParts parts) : m_p(std::move(parts)) {}

    [[nodiscard]] at::Tensor forward(const at::Tensor& wide, BlockCall& call) const override
    {
        const auto kept = [&](const at::Tensor& x) { return call.rowsOnly ? gatherRows(x, call.batch.rows) : x; };
        const at::Tensor predicted = m_p.altUp.predict(streams(wide));
        const at::Tensor active = m_p.altUp.one(predicted, m_p.altUp.active), normed = m_p.inputNorm(active);
        at::Tensor out = kept(active);
        if (!call.skips(Site::Attention)) {
            MixerCall mixerCall = call.mixerCall(Site::Attention, [&](const at::Tensor& x) { return read(x); });
            m_p.attention.redirect(mixerCall, wide, before(), m_p.hidden);
            out = out + m_p.postMixerNorm(m_p.attention.mixer->forward(normed, mixerCall, call.rowsOnly));
        }
        const at::Tensor shortcut = kept(normed + m_p.laurelNorm(m_p.laurelOut(m_p.laurelIn(normed))));
        out = (out + shortcut) / std::sqrt(2.0);
        if (!call.skipsMlp())
            out = out + m_p.postMlpNorm(feedForward(m_p.mlpNorm(out)));
        return behind(corrected(kept(predicted), out, call.embedding, kept), kept, wide, normed);
    }
    [[nodiscard]] at::Tensor skipped(const at::Tensor& wide) const override
    {
        const auto all = [](const at::Tensor& x) { return x; };
        return behind(streams(wide), all, wide, m_p.attention.handsOn ? read(wide) : at::Tensor());
    }
    [[nodiscard]] std::int64_t columnsBehind(std::int64_t columns) const override
    {
        if (m_p.finish)
            return m_p.hidden;
        const std::int64_t carried = m_p.carries ? columns - before() + (m_p.attention.handsOn ? m_p.hidden : 0) : 0;
        return m_p.altUp.streams * m_p.hidden + carried;
    }
    [[nodiscard]] HeadsAlong headsAlong(const HeadOutputs&, const at::Tensor& direction) const override
    {
        HeadsAlong seen;
        seen.constant = at::zeros({direction.size(0)}, direction.options());
        return seen;
    }
    [[nodiscard]] SiteReader reader(Site) const override { return {}; } // it reads what all streams predict
    [[nodiscard]] unsigned inputParts(Site site) const override
    {
        return writes(site) ? m_p.attention.mixer->inputParts() : 0;
    }
    [[nodiscard]] bool writes(Site site) const override { return site == Site::Attention; }
    [[nodiscard]] bool addsToStream() const override { return false; }
    [[nodiscard]] bool mlpWrites() const override { return true; }

private:
    [[nodiscard]] std::int64_t before() const { return m_p.begin ? m_p.hidden : m_p.altUp.streams * m_p.hidden; }
    [[nodiscard]] at::Tensor streams(const at::Tensor& wide) const
    {
        const at::Tensor own = wide.narrow(-1, 0, before());
        if (!m_p.begin)
            return own.contiguous();
        std::vector<at::Tensor> all{own};
        for (const Linear& map : m_p.begin->maps)
            all.push_back(Spread::asLargeAs(map(own.contiguous()), own));
        return at::cat(all, -1);
    }
    [[nodiscard]] at::Tensor read(const at::Tensor& wide) const
    {
        return m_p.inputNorm(m_p.altUp.one(m_p.altUp.predict(streams(wide)), m_p.altUp.active));
    }
    [[nodiscard]] at::Tensor feedForward(const at::Tensor& x) const
    {
        if (!m_p.sparse)
            return m_p.mlp(x);
        const at::Tensor gate = m_p.mlp.gate(x);
        const at::Tensor least = gate.mean(-1, true) + at::std(gate, {-1}, 0, true) * m_p.cutoff;
        return m_p.mlp.down(activate(m_p.mlp.activation, at::relu(gate - least)) * m_p.mlp.up(x));
    }
    template <typename Kept>
    [[nodiscard]] at::Tensor corrected(const at::Tensor& predicted, const at::Tensor& made, const at::Tensor& embedding,
                                       const Kept& kept) const
    {
        const at::Tensor all = m_p.altUp.correct(predicted, made);
        if (!m_p.perLayer || m_p.altUp.streams == 1)
            return all;
        at::Tensor first = m_p.altUp.one(all, m_p.altUp.active);
        if (m_p.correctedScale.defined())
            first = first * m_p.correctedScale.to(first.scalar_type());
        const at::Tensor added = (*m_p.perLayer)(first, kept(embedding));
        const at::Tensor others = all.narrow(-1, m_p.hidden, all.size(-1) - m_p.hidden);
        return at::cat({all.narrow(-1, 0, m_p.hidden), others + added.repeat({1, 1, m_p.altUp.streams - 1})}, -1);
    }
    /// Returns the next layer's input: the streams, joined into one after the last layer, and carried inputs.
    template <typename Kept>
    [[nodiscard]] at::Tensor behind(const at::Tensor& all, const Kept& kept, const at::Tensor& wide,
                                    const at::Tensor& normed) const
    {
        if (m_p.finish) {
            const at::Tensor first = m_p.altUp.one(all, 0);
            at::Tensor sum = first;
            for (std::size_t i = 0; i < m_p.finish->maps.size(); ++i)
                sum = sum
                      + Spread::asLargeAs(m_p.finish->maps[i](m_p.altUp.one(all, static_cast<std::int64_t>(i) + 1)),
                                          first);
            return sum / static_cast<double>(m_p.altUp.streams);
        }
        if (!m_p.carries)
            return all;
        std::vector<at::Tensor> parts{all, kept(wide.narrow(-1, before(), wide.size(-1) - before()))};
        if (m_p.attention.handsOn)
            parts.push_back(kept(normed));
        return at::cat(parts, -1);
    }
    Gemma3nParts m_p;
};

struct Gemma3nConfig : SharedKeysConfig {
    std::vector<int> inner;       ///< by layer
    std::vector<double> sparsity; ///< by layer, share of gates that are closed
    int perLayerWidth = 0, perLayerVocabulary = 0, streams = 4, active = 0, rank = 64;
    bool scalesCorrected = true;
};

constexpr int kMostWidth = 1 << 24; // as for every number of config.json

/// Reads one width for all layers, or a list with one for each.
DecoderConfig readWidths(Config& config, std::vector<int>& widths)
{
    widths = config.integers("intermediate_size");
    Config one = config.with("intermediate_size", widths.empty() ? 16384 : widths.front());
    DecoderConfig c = readDecoder(one, {.vocabulary = 262400,
                                        .hidden = 2048,
                                        .inner = 16384,
                                        .layers = 35,
                                        .maxPositions = 32768,
                                        .heads = {.kvHeads = 2, .headDim = 256, .heads = 8},
                                        .eps = 1e-6,
                                        .tied = true,
                                        .activation = "gelu_pytorch_tanh",
                                        .activationKey = "hidden_activation"});
    config.adopt(one);
    const auto layers = static_cast<std::size_t>(c.layers);
    if (widths.size() <= 1)
        widths.assign(layers, c.inner);
    if (widths.size() != layers
        || std::ranges::any_of(widths, [](int width) { return width < 1 || width > kMostWidth; })) {
        config.fail("'intermediate_size' in config.json has " + std::to_string(widths.size())
                    + " entries; expected a positive number for each of the " + std::to_string(layers) + " layers.");
        widths.assign(layers, c.inner);
    }
    return c;
}

std::vector<double> readSparsity(Config& config, int layers)
{
    const auto count = static_cast<std::size_t>(layers);
    std::vector<double> shares(count, 0.0);
    if (config.has("activation_sparsity_pattern"))
        shares = config.numbers("activation_sparsity_pattern", count);
    else if (layers > 10)
        std::fill_n(shares.begin(), 10, 0.95);
    if (!std::ranges::all_of(shares, [](double share) { return share >= 0 && share < 1; })) {
        config.fail("'activation_sparsity_pattern' in config.json is not a share from 0 to below 1 for each layer.");
        shares.assign(count, 0.0);
    }
    return shares;
}

Gemma3nConfig readGemma3n(Config& config, const at::Device& device)
{
    Gemma3nConfig g;
    DecoderConfig c = readWidths(config, g.inner);
    c.scale = 1.0;
    for (int layer = 0; layer < c.layers; ++layer)
        g.full.push_back(layerIs(config, layer, "full_attention", "sliding_attention", (layer + 1) % 5 == 0));
    g.near = g.far = c;
    g.near.rope = readRopeOfKind(config, "sliding_attention", c.heads.headDim, c.maxPositions, device,
                                 {.thetaKey = "rope_local_base_freq"});
    g.far.rope = readRopeOfKind(config, "full_attention", c.heads.headDim, c.maxPositions, device, {.theta = 1e6});
    g.window = config.positive("sliding_window", 512);
    g.firstShared = readFirstShared(config, c.layers, 15);
    g.bias = config.boolean("attention_bias", false);
    g.sparsity = readSparsity(config, c.layers);
    g.perLayerWidth = config.positive("hidden_size_per_layer_input", 256);
    g.perLayerVocabulary = config.positive("vocab_size_per_layer_input", 262144);
    g.streams = config.positive("altup_num_inputs", 4);
    constexpr int kMostStreams = 64; // published models have 4
    if (g.streams > kMostStreams) {
        config.fail("'altup_num_inputs' in config.json is " + std::to_string(g.streams) + "; expected at most "
                    + std::to_string(kMostStreams) + ".");
        g.streams = kMostStreams;
    }
    g.active = config.integer("altup_active_idx", 0);
    if (g.active < 0 || g.active >= g.streams) {
        config.fail("'altup_active_idx' in config.json is " + std::to_string(g.active) + "; expected one of the "
                    + std::to_string(g.streams) + " streams.");
        g.active = 0;
    }
    g.scalesCorrected = config.boolean("altup_correct_scale", true);
    g.rank = config.positive("laurel_rank", 64);
    config.ignore({"altup_coef_clip", "altup_lr_multiplier", "query_pre_attn_scalar"}); // of training; its norms scale
    return g;
}

Spread takeSpread(Weights& weights, const std::string& prefix, const Gemma3nConfig& g)
{
    Spread spread;
    weights.share(true); // the layer that has them may be on another device than what is in no layer
    for (int i = 0; i + 1 < g.streams; ++i)
        spread.maps.push_back(takeLinear(weights, prefix + std::to_string(i), g.near.hidden, g.near.hidden));
    weights.share(false);
    return spread;
}

AltUp takeAltUp(Weights& weights, const std::string& prefix, const Gemma3nConfig& g)
{
    const std::int64_t n = g.streams;
    return {takeDense(weights, prefix + "modality_router", n, g.near.hidden),
            takeDense(weights, prefix + "prediction_coefs", n * n, n),
            takeDense(weights, prefix + "correction_coefs", n, n),
            takeNorm(weights, prefix + "router_norm", g.near),
            n,
            g.active};
}

std::shared_ptr<const Block> takeLayer(Weights& weights, SharedKeys& keys, const Gemma3nConfig& g,
                                       const std::string& prefix, int index)
{
    const DecoderConfig& c = g.layer(index);
    const auto norm = [&](const char* name) { return takeNorm(weights, prefix + name, c); };
    Gemma3nParts parts;
    parts.hidden = c.hidden;
    parts.inputNorm = norm("input_layernorm");
    parts.postMixerNorm = norm("post_attention_layernorm");
    parts.mlpNorm = norm("pre_feedforward_layernorm");
    parts.postMlpNorm = norm("post_feedforward_layernorm");
    parts.laurelNorm = norm("laurel.post_laurel_norm");
    parts.laurelIn = takeLinear(weights, prefix + "laurel.linear_left", g.rank, c.hidden);
    parts.laurelOut = takeLinear(weights, prefix + "laurel.linear_right", c.hidden, g.rank);
    parts.attention = keys.take(prefix + "self_attn.", index);
    const auto layer = static_cast<std::size_t>(index);
    parts.mlp = takeGatedMlp(weights, prefix + "mlp.", c.hidden, g.inner[layer], c.activation, false);
    parts.sparse = g.sparsity[layer] > 0;
    // In fp32, as in the reference: the quantile of a normal distribution.
    const auto twice = at::scalar_tensor(2 * static_cast<float>(g.sparsity[layer]) - 1, at::kFloat);
    parts.cutoff = parts.sparse ? at::erfinv(twice).item<double>() * std::sqrt(2.0) : 0.0;
    parts.altUp = takeAltUp(weights, prefix + "altup.", g);
    const at::Tensor scale = weights.take(prefix + "altup.correct_output_scale", {c.hidden});
    if (g.scalesCorrected)
        parts.correctedScale = scale;
    parts.perLayer = takePerLayer(weights, prefix, c, index, g.perLayerWidth);
    parts.carries = g.carries(index);
    if (index == 0)
        parts.begin = takeSpread(weights, "model.altup_projections.", g);
    if (index + 1 == c.layers)
        parts.finish = takeSpread(weights, "model.altup_unembed_projections.", g);
    return std::make_shared<Gemma3nBlock>(std::move(parts));
}

} // namespace

ModelParts buildGemma3n(Config& config, Weights& weights, int layerLimit)
{
    const Gemma3nConfig g = readGemma3n(config, weights.target().device);
    const double cap = readCap(config, "final_logit_softcapping", 30.0);
    SharedKeys keys(g, weights);
    const auto layer = [&](const std::string& prefix, int index, MixerSpec& spec) {
        spec = attentionSpec(g.layer(index));
        return takeLayer(weights, keys, g, prefix, index);
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, g.near, DecoderLayer(layer));
    parts.embeddingMultiplier = std::sqrt(static_cast<double>(g.near.hidden));
    parts.logitSoftCap = cap;
    if (!config.error())
        parts.perLayer = takePerLayerTable(weights, g.near, g.perLayerWidth, g.perLayerVocabulary);
    return parts;
}

} // namespace headscope::lm

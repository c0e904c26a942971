// SPDX-License-Identifier: GPL-3.0-or-later
// Gemma 4, text: Gemma's four norms, values normed too, other heads in the layers that see everything; in some an MLP
// beside experts, a second embedding that every layer reads, and last layers that read the keys and values of an
// earlier one.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/factors.h"
#include "core/lm/families/families.h"
#include "core/lm/families/gemmaparts.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace headscope::lm {

namespace {

struct Gemma4Parts {
    Norm inputNorm, postMixerNorm, mlpNorm, postMlpNorm;
    SharedAttention attention;
    Mlp mlp;
    std::shared_ptr<const Experts> experts;                  ///< beside the MLP; null: none
    Norm routerNorm, besideNorm, expertNorm, postExpertNorm; ///< of the router's input, the MLP's output, the experts
    std::optional<PerLayer> perLayer;
    at::Tensor scale; ///< [1], of the stream behind the layer
    std::int64_t hidden = 0;
    bool carries = false; ///< layers follow that read what an attention hands on
};

/// The stream of layers behind one that hands on is wider than D: what those layers' keys and values read follows it.
class Gemma4Block : public Block
{
public:
    explicit Gemma4Block(Gemma4Parts parts) : m_p(std::move(parts)) {}

    [[nodiscard]] at::Tensor forward(const at::Tensor& wide, BlockCall& call) const override
    {
        const auto kept = [&](const at::Tensor& x) { return call.rowsOnly ? gatherRows(x, call.batch.rows) : x; };
        const at::Tensor normed = read(wide);
        at::Tensor out = kept(own(wide));
        if (!call.skips(Site::Attention)) {
            MixerCall mixerCall = call.mixerCall(Site::Attention, [&](const at::Tensor& x) { return read(x); });
            m_p.attention.redirect(mixerCall, wide, m_p.hidden, m_p.hidden);
            const at::Tensor mixed = m_p.attention.mixer->forward(normed, mixerCall, call.rowsOnly);
            out = out + m_p.postMixerNorm(mixed);
        }
        if (!call.skipsMlp())
            out = out + feedForward(out, call);
        if (m_p.perLayer)
            out = out + (*m_p.perLayer)(out, kept(call.embedding));
        out = out * m_p.scale.to(out.scalar_type());
        return m_p.carries ? at::cat({out, kept(carried(wide, normed))}, -1) : out;
    }
    [[nodiscard]] at::Tensor skipped(const at::Tensor& wide) const override
    {
        return m_p.attention.handsOn ? at::cat({wide, read(wide)}, -1) : wide;
    }
    [[nodiscard]] std::int64_t columnsBehind(std::int64_t before) const override
    {
        return m_p.carries ? before + (m_p.attention.handsOn ? m_p.hidden : 0) : m_p.hidden;
    }
    [[nodiscard]] HeadsAlong headsAlong(const HeadOutputs&, const at::Tensor& direction) const override
    {
        HeadsAlong seen;
        seen.constant = at::zeros({direction.size(0)}, direction.options());
        return seen;
    }
    [[nodiscard]] SiteReader reader(Site site) const override
    {
        return site == Site::Attention && m_p.attention.readsFrom < 0 && !m_p.carries && !m_p.perLayer
                   ? SiteReader{m_p.attention.mixer.get(), &m_p.inputNorm, &m_p.postMixerNorm}
                   : SiteReader{};
    }
    [[nodiscard]] unsigned inputParts(Site site) const override
    {
        return writes(site) ? m_p.attention.mixer->inputParts() : 0;
    }
    [[nodiscard]] bool writes(Site site) const override { return site == Site::Attention; }
    [[nodiscard]] bool addsToStream() const override { return false; }
    [[nodiscard]] bool mlpWrites() const override { return true; }
    [[nodiscard]] const Experts* experts() const override { return m_p.experts.get(); }

private:
    [[nodiscard]] at::Tensor own(const at::Tensor& wide) const { return wide.narrow(-1, 0, m_p.hidden); }
    [[nodiscard]] at::Tensor read(const at::Tensor& wide) const { return m_p.inputNorm(own(wide).contiguous()); }
    [[nodiscard]] at::Tensor carried(const at::Tensor& wide, const at::Tensor& normed) const
    {
        const at::Tensor before = wide.narrow(-1, m_p.hidden, wide.size(-1) - m_p.hidden);
        return m_p.attention.handsOn ? at::cat({before, normed}, -1) : before;
    }
    [[nodiscard]] at::Tensor feedForward(const at::Tensor& stream, const BlockCall& call) const
    {
        at::Tensor out = m_p.mlp(m_p.mlpNorm(stream));
        if (m_p.experts) {
            const at::Tensor routed = m_p.routerNorm(stream);
            if (call.choices)
                *call.choices = m_p.experts->choose(routed);
            const at::Tensor scale = call.edits ? call.edits->expertScale : at::Tensor();
            out = m_p.besideNorm(out) + m_p.postExpertNorm((*m_p.experts)(m_p.expertNorm(stream), scale, routed));
        }
        return m_p.postMlpNorm(out);
    }
    Gemma4Parts m_p;
};

struct Gemma4Config : SharedKeysConfig {
    int perLayerWidth = 0, perLayerVocabulary = 0;
    bool wideShared = false, sparse = false;
    ExpertShape experts;
};

std::vector<bool> readFull(Config& config, int layers)
{
    std::vector<bool> full;
    for (int layer = 0; layer < layers; ++layer)
        full.push_back(layerIs(config, layer, "full_attention", "sliding_attention", (layer + 1) % 6 == 0));
    full.back() = true; // as the reference does
    return full;
}

// The whole head turns with a frequency for each pair, 0 for all but the first share of them.
Rope readProportional(Config& config, int headDim, int maxPositions, const at::Device& device)
{
    Config kinds = config.object("rope_parameters"), own = kinds.object("full_attention");
    const std::string type = own.text("rope_type", "proportional");
    const double share = own.number("partial_rotary_factor", type == "proportional" ? 0.25 : 1.0),
                 theta = own.number("rope_theta", 1e6), factor = own.number("factor", 1.0);
    kinds.adopt(own);
    config.adopt(kinds);
    if (type != "proportional")
        return readRopeOfKind(config, "full_attention", headDim, maxPositions, device, {.theta = 1e6});
    if (!(share > 0 && share <= 1) || theta <= 0 || factor <= 0)
        config.fail("The proportional rotation of 'full_attention' needs a share from 0 to 1 and a positive base.");
    std::vector<float> frequencies(static_cast<std::size_t>(std::max(headDim / 2, 1)), 0.0F);
    const auto turned = static_cast<std::size_t>(std::max(share * headDim / 2, 0.0));
    for (std::size_t i = 0; i < std::min(turned, frequencies.size()); ++i)
        frequencies[i] = static_cast<float>(std::pow(theta, -2.0 * static_cast<double>(i) / headDim) / factor);
    Rope rope;
    rope.inverseFrequencies = at::tensor(frequencies).to(device);
    rope.theta = theta;
    rope.maxPositions = maxPositions;
    return rope;
}

// The heads of layers without a window: in keys of their own, or layer by layer, as transformers 5.23 saves them.
void readFullHeads(Config& config, Gemma4Config& g)
{
    if (!config.has("per_layer_config")) {
        g.far.heads.headDim = config.positive("global_head_dim", 512);
        if (g.sameKeysValues && config.has("num_global_key_value_heads"))
            g.far.heads.kvHeads = config.positive("num_global_key_value_heads");
        return;
    }
    const nlohmann::json layers = config.value("per_layer_config"), none = nlohmann::json::object();
    nlohmann::json own;
    for (std::size_t i = 0; i < g.full.size(); ++i) {
        const auto found = layers.find(std::to_string(i));
        const nlohmann::json& layer = found == layers.end() ? none : *found;
        if (g.full[i] && own.is_null())
            own = layer;
        if (layer != (g.full[i] ? own : none))
            config.fail("'per_layer_config' in config.json gives layer " + std::to_string(i)
                        + " other sizes than layers of its kind, which is not supported.");
    }
    for (const auto& [key, value] : own.items())
        if (key != "head_dim" && key != "num_key_value_heads")
            config.fail("'per_layer_config' in config.json gives layers a '" + key
                        + "' of their own; expected "
                          "head_dim and num_key_value_heads.");
    Config full(own.is_object() ? own : none, "'per_layer_config' of config.json");
    g.far.heads.headDim = full.positive("head_dim", g.near.heads.headDim);
    g.far.heads.kvHeads = full.positive("num_key_value_heads", g.near.heads.kvHeads);
    config.adopt(full);
}

Gemma4Config readGemma4(Config& config, const at::Device& device)
{
    Gemma4Config g;
    g.near = readDecoder(config, {.vocabulary = 262144,
                                  .hidden = 2304,
                                  .inner = 9216,
                                  .layers = 30,
                                  .maxPositions = 131072,
                                  .heads = {.kvHeads = 4, .headDim = 256, .heads = 8},
                                  .eps = 1e-6,
                                  .tied = true,
                                  .activation = "gelu_pytorch_tanh",
                                  .activationKey = "hidden_activation"});
    g.near.scale = 1.0;
    g.far = g.near;
    g.full = readFull(config, g.near.layers);
    g.sameKeysValues = config.boolean("attention_k_eq_v", false);
    readFullHeads(config, g);
    if (g.far.heads.heads % g.far.heads.kvHeads != 0)
        config.fail(std::to_string(g.far.heads.heads) + " heads cannot share " + std::to_string(g.far.heads.kvHeads)
                    + " key/value heads; expected a divisor.");
    g.near.rope = readRopeOfKind(config, "sliding_attention", g.near.heads.headDim, g.near.maxPositions, device, {});
    g.far.rope = readProportional(config, g.far.heads.headDim, g.far.maxPositions, device);
    if (config.text("use_bidirectional_attention", "") == "all")
        config.fail(
            "This Gemma 4 model reads in both directions; only models that read from left to right can be run.");
    g.window = config.positive("sliding_window", 512);
    g.firstShared = readFirstShared(config, g.near.layers, 0);
    g.perLayerWidth = config.integer("hidden_size_per_layer_input", 256);
    g.perLayerVocabulary = config.positive("vocab_size_per_layer_input", 262144);
    g.wideShared = config.boolean("use_double_wide_mlp", false);
    g.bias = config.boolean("attention_bias", false);
    g.sparse = config.boolean("enable_moe_block", false);
    if (g.sparse) {
        Config named = config.with("num_experts_per_tok", config.positive("top_k_experts", 8));
        g.experts = readExperts(named, "num_experts", 128, 8, "moe_intermediate_size", 704);
        config.adopt(named);
    }
    return g;
}

class LayerBuilder
{
public:
    LayerBuilder(const Gemma4Config& config, Weights& weights)
        : m_g(config), m_weights(weights), m_keys(config, weights)
    {
    }

    [[nodiscard]] std::shared_ptr<const Block> layer(const std::string& prefix, int index, MixerSpec& spec)
    {
        const DecoderConfig& c = m_g.layer(index);
        const auto norm = [&](const char* name) { return takeNorm(m_weights, prefix + name, c); };
        Gemma4Parts parts;
        parts.hidden = c.hidden;
        parts.inputNorm = norm("input_layernorm");
        parts.postMixerNorm = norm("post_attention_layernorm");
        parts.mlpNorm = norm("pre_feedforward_layernorm");
        parts.postMlpNorm = norm("post_feedforward_layernorm");
        spec = attentionSpec(c);
        parts.attention = m_keys.take(prefix + "self_attn.", index);
        DecoderConfig mlp = c;
        mlp.inner *= m_g.wideShared && index >= m_g.firstShared ? 2 : 1;
        parts.mlp = takeGatedMlp(m_weights, prefix + "mlp.", c.hidden, mlp.inner, c.activation, false);
        if (m_g.sparse) {
            parts.routerNorm = {NormKind::Rms, {}, {}, c.eps};
            parts.besideNorm = norm("post_feedforward_layernorm_1");
            parts.expertNorm = norm("pre_feedforward_layernorm_2");
            parts.postExpertNorm = norm("post_feedforward_layernorm_2");
            parts.experts = experts(prefix, c);
        }
        if (m_g.perLayerWidth > 0)
            parts.perLayer = takePerLayer(m_weights, prefix, c, index, m_g.perLayerWidth);
        parts.scale = m_weights.take(prefix + "layer_scalar", {1});
        parts.carries = m_g.carries(index);
        return std::make_shared<Gemma4Block>(std::move(parts));
    }

private:
    [[nodiscard]] std::shared_ptr<const Experts> experts(const std::string& prefix, const DecoderConfig& c)
    {
        ExpertParts parts{.router = takeDense(m_weights, prefix + "router.proj", m_g.experts.count, c.hidden),
                          .routing = {.chosen = m_g.experts.chosen, .normalised = true, .epsilon = 0.0}};
        const at::Tensor scale = m_weights.take(prefix + "router.scale", {c.hidden});
        parts.router.weight = parts.router.weight * (scale / std::sqrt(static_cast<double>(c.hidden)));
        parts.routing.factors = m_weights.take(prefix + "router.per_expert_scale", {m_g.experts.count});
        parts.experts = takeStackedExperts(m_weights, prefix + "experts.gate_up_proj", prefix + "experts.down_proj", c,
                                           m_g.experts);
        return std::make_shared<Experts>(std::move(parts));
    }

    const Gemma4Config& m_g;
    Weights& m_weights;
    SharedKeys m_keys;
};

} // namespace

ModelParts buildGemma4(Config& config, Weights& weights, int layerLimit)
{
    const Gemma4Config g = readGemma4(config, weights.target().device);
    const double cap = readCap(config, "final_logit_softcapping", 0.0);
    LayerBuilder builder(g, weights);
    const auto layer = [&](const std::string& prefix, int index, MixerSpec& spec) {
        return builder.layer(prefix, index, spec);
    };
    if (g.perLayerWidth < 1
        && weights.rowsOf("model.embed_tokens_per_layer.weight") > 0) // has() is yes to shapes alone
        config.fail("'hidden_size_per_layer_input' in config.json says that layers read no embedding of their own, but "
                    "the file contains one.");
    ModelParts parts = buildDecoder(config, weights, layerLimit, g.near, DecoderLayer(layer));
    parts.embeddingMultiplier = std::sqrt(static_cast<double>(g.near.hidden));
    parts.logitSoftCap = cap;
    if (g.perLayerWidth > 0 && !config.error())
        parts.perLayer = takePerLayerTable(weights, g.near, g.perLayerWidth, g.perLayerVocabulary);
    return parts;
}

} // namespace headscope::lm

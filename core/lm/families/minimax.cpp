// SPDX-License-Identifier: GPL-3.0-or-later
// MiniMax-Text-01 and MiniMax-M1 (arXiv 2501.08313): lightning attention, every few layers softmax attention, experts
// in each; what a norm makes of the stream, and not the stream itself, is what goes on beside the mixer.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/factors.h"
#include "core/lm/families/families.h"
#include "core/lm/mixers/lightningattention.h"

#include <cmath>

namespace headscope::lm {

namespace {

struct MiniMaxParts {
    Norm inputNorm, mlpNorm;
    std::shared_ptr<const Mixer> mixer;
    std::shared_ptr<const Experts> experts;
    double keptOfMixer = 1, mixed = 1, keptOfMlp = 1, fed = 1; ///< factors of what stays and of what is added
};

class MiniMaxBlock : public Block
{
public:
    explicit MiniMaxBlock(MiniMaxParts parts) : m_p(std::move(parts)) {}
    [[nodiscard]] at::Tensor forward(const at::Tensor& stream, BlockCall& call) const override
    {
        const at::Tensor normed = m_p.inputNorm(stream);
        at::Tensor out = (call.rowsOnly ? gatherRows(normed, call.batch.rows) : normed) * m_p.keptOfMixer;
        const Site site = m_p.mixer->spec().site();
        if (!call.skips(site)) {
            MixerCall mixerCall = call.mixerCall(site, [&](const at::Tensor& x) { return m_p.inputNorm(x); });
            const at::Tensor heads = m_p.mixer->forward(normed, mixerCall, call.rowsOnly);
            out = out + heads * m_p.mixed;
        }
        const at::Tensor x = m_p.mlpNorm(out);
        if (call.skipsMlp())
            return x * m_p.keptOfMlp;
        if (call.choices)
            *call.choices = m_p.experts->choose(x);
        return x * m_p.keptOfMlp + (*m_p.experts)(x, call.edits ? call.edits->expertScale : at::Tensor()) * m_p.fed;
    }
    [[nodiscard]] HeadsAlong headsAlong(const HeadOutputs&, const at::Tensor& direction) const override
    {
        HeadsAlong seen; // the norm behind the mixer acts on what stays of the stream besides
        seen.constant = at::zeros({direction.size(0)}, direction.options());
        return seen;
    }
    [[nodiscard]] bool addsToStream() const override { return false; }
    [[nodiscard]] SiteReader reader(Site) const override { return {}; }
    [[nodiscard]] unsigned inputParts(Site site) const override { return writes(site) ? m_p.mixer->inputParts() : 0; }
    [[nodiscard]] bool writes(Site site) const override { return site == m_p.mixer->spec().site(); }
    [[nodiscard]] bool mlpWrites() const override { return true; }
    [[nodiscard]] const Experts* experts() const override { return m_p.experts.get(); }

private:
    MiniMaxParts m_p;
};

// Slopes of a layer: powers of one base by head, less steep towards the last layer. Files hold them too, and the decays
// that follow, rounded to their type; transformers reads these, the model was trained with exact ones.
at::Tensor slopesOf(int heads, int layer, int layers, const at::Device& device)
{
    const double base = std::pow(2.0, -8.0 / heads), factor = 1 - layer / (layers - 1 + 1e-5) + 1e-5;
    std::vector<float> slopes;
    for (int head = 0; head < heads; ++head)
        slopes.push_back(static_cast<float>(std::pow(base, head + 1) * factor));
    return at::tensor(slopes).to(device);
}

std::shared_ptr<const Mixer> takeLightning(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                           int layer)
{
    const std::int64_t width = std::int64_t{c.heads.heads} * c.heads.headDim;
    LightningAttentionWeights w;
    w.queryKeyValue = takeLinear(weights, prefix + "qkv_proj", 3 * width, c.hidden);
    w.activation = c.activation;
    w.gate = takeLinear(weights, prefix + "output_gate", width, c.hidden);
    w.norm = takeRmsNorm(weights, prefix + "norm", width, 1e-6); // fixed in the reference
    w.output = takeLinear(weights, prefix + "out_proj", c.hidden, width);
    w.slopes = slopesOf(c.heads.heads, layer, c.layers, weights.target().device);
    const MixerSpec spec{.kind = MixerKind::LightningAttention,
                         .heads = c.heads.heads,
                         .kvHeads = c.heads.heads,
                         .headDim = c.heads.headDim,
                         .state = c.heads.headDim};
    return std::make_shared<LightningAttention>(spec, std::move(w));
}

} // namespace

ModelParts buildMiniMax(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.maxPositions = 131072, .heads = {.kvHeads = 8}});
    // The whole head turns in the reference, whatever the config says of a share.
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device, 1e6);
    const ExpertShape shape = readExperts(config, "num_local_experts", 8, 2, "intermediate_size", 14336);
    config.ignore({"block_size", "partial_rotary_factor"});
    const int window = config.has("sliding_window") ? config.positive("sliding_window") : 0;
    const double linearKept = readFactor(config, "linear_attn_alpha_factor", 1),
                 linear = readFactor(config, "linear_attn_beta_factor", 1),
                 fullKept = readFactor(config, "full_attn_alpha_factor", 1),
                 full = readFactor(config, "full_attn_beta_factor", 1),
                 mlpKept = readFactor(config, "mlp_alpha_factor", 1), mlp = readFactor(config, "mlp_beta_factor", 1);
    weights.ignore([](const std::string& name) { return name.ends_with(".slope_rate") || name.ends_with("_decay"); });
    const auto layer = [&](const std::string& prefix, int index, MixerSpec& spec) {
        const bool lightning = layerIs(config, index, "linear_attention", "full_attention", index % 2 == 1);
        MiniMaxParts parts{.inputNorm = takeNorm(weights, prefix + "input_layernorm", c),
                           .mlpNorm = takeNorm(weights, prefix + "post_attention_layernorm", c),
                           .keptOfMixer = lightning ? linearKept : fullKept,
                           .mixed = lightning ? linear : full,
                           .keptOfMlp = mlpKept,
                           .fed = mlp};
        if (lightning) {
            parts.mixer = takeLightning(weights, prefix + "self_attn.", c, index);
        } else {
            AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, false);
            attention.window = window;
            parts.mixer = std::make_shared<Attention>(attentionSpec(c), attention);
        }
        const std::string moe = prefix + "block_sparse_moe.";
        parts.experts =
            std::make_shared<Experts>(ExpertParts{.router = takeDense(weights, moe + "gate", shape.count, c.hidden),
                                                  .routing = {.chosen = shape.chosen, .normalised = true},
                                                  .experts = takeExperts(weights, moe, c, shape, {"w1", "w3", "w2"})});
        spec = parts.mixer->spec();
        return std::make_shared<MiniMaxBlock>(std::move(parts));
    };
    return buildDecoder(config, weights, layerLimit, c, DecoderLayer(layer));
}

} // namespace headscope::lm

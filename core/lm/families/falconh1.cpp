// SPDX-License-Identifier: GPL-3.0-or-later
// Falcon-H1: attention and Mamba-2 side by side in every layer, with a multiplier on every branch.
#include "core/lm/along.h"
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

namespace {

struct Multipliers {
    double attentionIn = 1, attentionOut = 1, ssmIn = 1, ssmOut = 1, mlpGate = 1, mlpDown = 1;
};

struct FalconH1Parts {
    Norm inputNorm, mlpNorm;
    std::shared_ptr<const Mixer> attention, mamba;
    Mlp mlp;
    Multipliers m;
};

class FalconH1Block : public Block
{
public:
    explicit FalconH1Block(FalconH1Parts parts) : m_p(std::move(parts)) {}
    [[nodiscard]] at::Tensor forward(const at::Tensor& stream, BlockCall& call) const override
    {
        at::Tensor out = call.rowsOnly ? gatherRows(stream, call.batch.rows) : stream;
        const at::Tensor normed = m_p.inputNorm(stream);
        at::Tensor mixed;
        if (!call.skips(Site::Ssm)) {
            MixerCall mamba =
                call.mixerCall(Site::Ssm, [&](const at::Tensor& x) { return m_p.inputNorm(x) * m_p.m.ssmIn; });
            mixed = m_p.mamba->forward(normed * m_p.m.ssmIn, mamba, call.rowsOnly) * m_p.m.ssmOut;
        }
        if (!call.skips(Site::Attention)) {
            MixerCall attention = call.mixerCall(
                Site::Attention, [&](const at::Tensor& x) { return m_p.inputNorm(x) * m_p.m.attentionIn; });
            const at::Tensor heads =
                m_p.attention->forward(normed * m_p.m.attentionIn, attention, call.rowsOnly) * m_p.m.attentionOut;
            mixed = mixed.defined() ? mixed + heads : heads;
        }
        if (mixed.defined())
            out = out + mixed;
        if (call.skipsMlp())
            return out;
        const at::Tensor x = m_p.mlpNorm(out);
        return out
               + m_p.mlp.down(m_p.mlp.up(x) * activate(m_p.mlp.activation, m_p.mlp.gate(x) * m_p.m.mlpGate))
                     * m_p.m.mlpDown;
    }
    [[nodiscard]] HeadsAlong headsAlong(const HeadOutputs& z, const at::Tensor& direction) const override
    {
        HeadsAlong seen;
        seen.constant = at::zeros({direction.size(0)}, direction.options());
        for (const Site site : interventions::kMixerSites) {
            if (!z.site(site).defined())
                continue;
            const double factor = site == Site::Attention ? m_p.m.attentionOut : m_p.m.ssmOut;
            const Along before = alongLinear(reader(site).mixer->output(), direction * factor);
            seen.along.site(site) = before.direction;
            seen.constant = seen.constant + before.constant;
        }
        return seen;
    }
    [[nodiscard]] SiteReader reader(Site site) const override
    {
        return {(site == Site::Attention ? m_p.attention : m_p.mamba).get(), &m_p.inputNorm};
    }
    [[nodiscard]] bool mlpWrites() const override { return true; }

private:
    FalconH1Parts m_p;
};

// One factor for each row of in_proj: z, x, B, C, dt.
at::Tensor inputScale(const Mamba2Shape& s, const std::vector<double>& factors, const Weights::Target& target)
{
    const std::int64_t inner = std::int64_t{s.heads} * s.headDim, group = std::int64_t{s.groups} * s.states;
    std::vector<at::Tensor> parts;
    const std::int64_t widths[] = {inner, inner, group, group, s.heads};
    for (std::size_t i = 0; i < 5; ++i)
        parts.push_back(at::full({widths[i]}, factors[i], at::TensorOptions(target.dtype).device(target.device)));
    return at::cat(parts);
}

} // namespace

ModelParts buildFalconH1(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 128000, .maxPositions = 8192, .heads = {.kvHeads = 8}});
    c.names.finalNorm = "model.final_layernorm";
    Mamba2Shape mamba = readBambaShape(config, c.hidden, c.eps);
    mamba.norm = config.boolean("mamba_rms_norm", false);
    mamba.outputBias = config.boolean("projectors_bias", false);
    const bool normFirst = config.boolean("mamba_norm_before_gate", true);
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device);
    const bool bias = config.boolean("attention_bias", false), mlpBias = config.boolean("mlp_bias", false);
    const std::vector<double> mlp = config.numbers("mlp_multipliers", 2), ssm = config.numbers("ssm_multipliers", 5);
    const Multipliers m{config.number("attention_in_multiplier", 1.0),
                        config.number("attention_out_multiplier", 1.0),
                        config.number("ssm_in_multiplier", 1.0),
                        config.number("ssm_out_multiplier", 1.0),
                        mlp[0],
                        mlp[1]};
    const double key = config.number("key_multiplier", 1.0), embedding = config.number("embedding_multiplier", 1.0);
    const double logits = config.number("lm_head_multiplier", 1.0);
    const auto layer = [&](const std::string& prefix, int, MixerSpec& spec) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, bias);
        attention.keyMultiplier = key;
        Mamba2Weights w = takeMamba2(weights, prefix + "mamba.", mamba);
        w.normBeforeGate = normFirst;
        w.inputScale = inputScale(mamba, ssm, weights.target());
        spec = attentionSpec(c);
        return std::make_shared<FalconH1Block>(FalconH1Parts{
            takeRmsNorm(weights, prefix + "input_layernorm", c.hidden, c.eps),
            takeRmsNorm(weights, prefix + "pre_ff_layernorm", c.hidden, c.eps),
            std::make_shared<Attention>(attentionSpec(c), attention),
            std::make_shared<Mamba2>(mixerSpec(mamba), w),
            takeGatedMlp(weights, prefix + "feed_forward.", c.hidden, c.inner, c.activation, mlpBias),
            m,
        });
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, DecoderLayer(layer));
    for (LayerSpec& spec : parts.spec.layers)
        spec.mixers.push_back(mixerSpec(mamba));
    parts.embeddingMultiplier = embedding;
    parts.logitMultiplier = logits;
    return parts;
}

} // namespace headscope::lm

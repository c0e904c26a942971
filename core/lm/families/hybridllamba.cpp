// SPDX-License-Identifier: GPL-3.0-or-later
// Hybrid-Llamba (distilled with MOHAWK, Bick et al. 2024, arXiv 2408.10189): every layer has a complete discrete
// Mamba-2, some a few attention heads beside it.
#include "core/lm/along.h"
#include "core/lm/families/families.h"
#include "core/lm/families/ssmparts.h"
#include "core/lm/mixers/attention.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace headscope::lm {

namespace {

constexpr double kLayerEps = 1e-5; // fixed in the reference

struct DoubleParts {
    Norm inputNorm;
    std::shared_ptr<const Mixer> ssm;
    std::shared_ptr<const Mixer> attention; ///< null in layers that keep no head
    Linear adapter;                         ///< weight undefined: the two are added as they are
    Norm mlpNorm;
    Mlp mlp;
};

at::Tensor spread(const at::Tensor& x)
{
    return x.to(at::kFloat).std(-1, true, true) + 1e-5;
}

// a with the mean and spread over the width that s has.
at::Tensor matchStatistics(const at::Tensor& a, const at::Tensor& s)
{
    const at::Tensor a32 = a.to(at::kFloat), s32 = s.to(at::kFloat);
    return ((a32 - a32.mean(-1, true)) / spread(a32) * spread(s32) + s32.mean(-1, true)).to(a.scalar_type());
}

class DoubleBlock : public Block
{
public:
    explicit DoubleBlock(DoubleParts parts) : m_p(std::move(parts)) {}
    [[nodiscard]] at::Tensor forward(const at::Tensor& stream, BlockCall& call) const override
    {
        at::Tensor out = call.rowsOnly ? gatherRows(stream, call.batch.rows) : stream;
        if (const at::Tensor mixed = mix(m_p.inputNorm(stream), call); mixed.defined())
            out = out + mixed;
        return call.skipsMlp() ? out : out + m_p.mlp(m_p.mlpNorm(out));
    }
    [[nodiscard]] HeadsAlong headsAlong(const HeadOutputs& z, const at::Tensor& direction) const override
    {
        HeadsAlong seen;
        seen.constant = at::zeros({direction.size(0)}, direction.options());
        const bool adapted = m_p.attention && m_p.adapter.weight.defined();
        const at::Tensor half = adapted ? direction * 0.5 : direction;
        at::Tensor ssmDirection = z.ssm.defined() ? half : at::Tensor();
        const auto add = [&](const Linear& map, const at::Tensor& along, at::Tensor& site) {
            const Along before = alongLinear(map, along);
            site = before.direction;
            seen.constant = seen.constant + before.constant;
        };
        if (z.attention.defined() && adapted && z.ssm.defined()) {
            // a' = (a - mean a) spread(s) / spread(a) + mean s, the spreads held
            const Along behind = alongLinear(m_p.adapter, half);
            seen.constant = seen.constant + behind.constant;
            const at::Tensor ratio = spread(m_p.ssm->output()(z.ssm)) / spread(m_p.attention->output()(z.attention));
            const at::Tensor mean = behind.direction.mean(-1, true);
            add(m_p.attention->output(), (behind.direction - mean) * ratio, seen.along.attention);
            ssmDirection = ssmDirection + mean;
        } else if (z.attention.defined()) {
            add(m_p.attention->output(), half, seen.along.attention);
        }
        if (ssmDirection.defined())
            add(m_p.ssm->output(), ssmDirection, seen.along.ssm);
        return seen;
    }
    [[nodiscard]] SiteReader reader(Site site) const override
    {
        const Mixer* mixer = (site == Site::Attention ? m_p.attention : m_p.ssm).get();
        return mixer ? SiteReader{mixer, &m_p.inputNorm} : SiteReader{};
    }
    [[nodiscard]] bool mlpWrites() const override { return true; }

private:
    // With one of the two skipped, the other contributes as in a layer that has both (its half).
    at::Tensor mix(const at::Tensor& normed, BlockCall& call) const
    {
        const bool useAttention = m_p.attention && !call.skips(Site::Attention), useSsm = !call.skips(Site::Ssm);
        at::Tensor s, a;
        if (useSsm || (useAttention && m_p.adapter.weight.defined())) { // the adapter needs the statistics of s
            MixerCall ssm = call.mixerCall(Site::Ssm, m_p.inputNorm);
            s = m_p.ssm->forward(normed, ssm, call.rowsOnly);
        }
        if (useAttention) {
            MixerCall attention = call.mixerCall(Site::Attention, m_p.inputNorm);
            a = m_p.attention->forward(normed, attention, call.rowsOnly);
            if (m_p.adapter.weight.defined())
                a = m_p.adapter(matchStatistics(a, s));
        }
        const double share = m_p.attention && m_p.adapter.weight.defined() ? 0.5 : 1.0;
        if (useSsm && useAttention)
            return (s + a) * share;
        return useSsm ? s * share : useAttention ? a * share : at::Tensor();
    }
    DoubleParts m_p;
};

/// One entry of MixerModel.Blocks.
struct BlockPlan {
    std::string name;
    int inner = 1;
    Activation activation = Activation::Silu;
    bool hasSsm = false, hasAttention = false;
    DiscreteShape ssm;
    HeadCounts heads;
    bool inputBias = false, outputBias = false;
};

DiscreteShape readSsm(Config& config, int hidden)
{
    DiscreteShape s;
    s.hidden = hidden;
    s.heads = config.positive("n_v_heads", 32);
    s.groups = config.positive("n_qk_heads", 32);
    s.headDim = config.positive("headdim", std::max(1, hidden / s.heads));
    s.states = config.positive("d_state", 64);
    s.taps = config.positive("d_conv", 4);
    s.chunk = config.positive("chunk_size", 128);
    s.bias = config.boolean("bias", false);
    s.convBias = config.boolean("conv_bias", true);
    s.activation = readActivation(config, "activation", "identity");
    Config start = config.object("initializer");
    start.ignore({"a_log"}); // of training
    config.ignore({"expand", "use_ref_impl"});
    s.zBias = start.text("z", "default") == "identity";
    config.adopt(start);
    if (const std::string norm = config.text("norm_cls", "none"); norm != "none")
        config.fail("The SSM has 'norm_cls' '" + norm + "'; only 'none' is supported.");
    checkGroups(config, s.heads, s.groups);
    return s;
}

void readBlockAttention(Config& config, const std::string& kind, int hidden, int ropeDim, BlockPlan& plan)
{
    plan.heads.heads = config.integer("num_attention_heads");
    if (plan.heads.heads == 0)
        return;
    plan.hasAttention = true;
    config.ignore({"rope_theta"}); // the backbone's rotation serves all layers
    plan.heads.heads = config.positive("num_attention_heads");
    plan.heads.kvHeads = config.positive("num_key_value_heads", plan.heads.heads);
    plan.heads.headDim = config.positive("head_dim", std::max(1, hidden / plan.heads.heads));
    const bool qwen = kind == "Qwen2Attention";
    plan.inputBias = config.boolean("attention_bias", qwen);
    plan.outputBias = plan.inputBias && !qwen;
    if (kind != "LlamaAttention" && !qwen)
        config.fail("The attention layer '" + kind + "' is not supported; expected LlamaAttention or Qwen2Attention.");
    if (plan.heads.heads % plan.heads.kvHeads != 0)
        config.fail(std::to_string(plan.heads.heads) + " heads cannot share " + std::to_string(plan.heads.kvHeads)
                    + " key/value heads; expected a divisor.");
    if (plan.heads.headDim != ropeDim)
        config.fail("The attention heads have " + std::to_string(plan.heads.headDim)
                    + " dimensions; the backbone's rotary embedding has " + std::to_string(ropeDim) + ".");
}

// One mixer of a block: {name, input}.
void readLayer(Config& layer, int hidden, int ropeDim, BlockPlan& plan)
{
    const std::string kind = layer.text("name");
    Config input = layer.object("input");
    if (kind == "DiscreteMamba2") {
        plan.hasSsm = true;
        plan.ssm = readSsm(input, hidden);
    } else if (kind.ends_with("Attention")) {
        readBlockAttention(input, kind, hidden, ropeDim, plan);
    } else {
        layer.fail("The mixer '" + kind
                   + "' is not supported; expected DiscreteMamba2, LlamaAttention or Qwen2Attention.");
    }
    layer.adopt(input);
}

BlockPlan readBlock(Config& block, int hidden, int ropeDim)
{
    BlockPlan plan;
    plan.name = block.text("name");
    Config input = block.object("input");
    plan.inner = input.positive("mlp_intermediate_size");
    plan.activation = readActivation(input, "mlp_act_fn", "silu");
    const bool twoMixers = plan.name == "DoubleBlockAdapter" || plan.name == "DoubleBlockVanilla";
    if (!twoMixers && plan.name != "LlamaBlock" && plan.name != "Qwen2Block")
        block.fail("The block '" + plan.name
                   + "' is not supported; expected DoubleBlockAdapter, DoubleBlockVanilla, LlamaBlock or Qwen2Block.");
    for (const char* key : {"ssm_layer", "attn_layer", "Layer"}) {
        if (!input.has(key))
            continue;
        Config layer = input.object(key);
        readLayer(layer, hidden, ropeDim, plan);
        input.adopt(layer);
    }
    if (!plan.hasSsm && (twoMixers || !plan.hasAttention))
        input.fail("A block '" + plan.name + "' in config.json has no mixer that is supported.");
    block.adopt(input);
    return plan;
}

std::vector<BlockPlan> readBlocks(Config& model, int hidden, int ropeDim, int layers)
{
    std::vector<BlockPlan> plans;
    for (Config& block : model.objects("Blocks")) {
        const BlockPlan plan = readBlock(block, hidden, ropeDim);
        const int count = block.positive("n_layers", 1);
        model.adopt(block);
        if (model.error())
            return plans;
        for (int i = 0; i < count && static_cast<int>(plans.size()) <= layers; ++i)
            plans.push_back(plan);
    }
    if (static_cast<int>(plans.size()) != layers)
        model.fail("The blocks of config.json make " + std::to_string(plans.size())
                   + (static_cast<int>(plans.size()) > layers ? " or more" : "") + " layers; 'n_layer' says "
                   + std::to_string(layers) + ".");
    return plans;
}

AttentionWeights takeBlockAttention(Weights& weights, const std::string& prefix, const BlockPlan& plan,
                                    std::int64_t hidden, const Rope& rope)
{
    const std::int64_t width = std::int64_t{plan.heads.heads} * plan.heads.headDim,
                       kv = std::int64_t{plan.heads.kvHeads} * plan.heads.headDim;
    AttentionWeights w;
    w.query = takeLinear(weights, prefix + "q_proj", width, hidden, plan.inputBias);
    w.key = takeLinear(weights, prefix + "k_proj", kv, hidden, plan.inputBias);
    w.value = takeLinear(weights, prefix + "v_proj", kv, hidden, plan.inputBias);
    w.output = takeLinear(weights, prefix + "o_proj", hidden, width, plan.outputBias);
    w.rope = rope;
    w.scale = 1.0 / std::sqrt(static_cast<double>(plan.heads.headDim));
    return w;
}

void addLayer(ModelParts& parts, Weights& weights, const std::string& prefix, const BlockPlan& plan, const Rope& rope)
{
    const std::int64_t hidden = parts.spec.hidden;
    const bool twoMixers = plan.name.starts_with("Double");
    const MixerSpec attention{.kind = MixerKind::Attention,
                              .heads = plan.heads.heads,
                              .kvHeads = plan.heads.kvHeads,
                              .headDim = plan.heads.headDim};
    const Norm inputNorm = takeRmsNorm(weights, prefix + "input_layernorm", hidden, kLayerEps);
    const Norm mlpNorm = takeRmsNorm(weights, prefix + "post_attention_layernorm", hidden, kLayerEps);
    const Mlp mlp = takeGatedMlp(weights, prefix + "mlp.", hidden, plan.inner, plan.activation, false);
    std::shared_ptr<const Mixer> ssm, heads;
    if (plan.hasSsm)
        ssm = std::make_shared<DiscreteMamba2>(
            mixerSpec(plan.ssm), takeDiscreteMamba2(weights, prefix + (twoMixers ? "mixer1." : "mixer."), plan.ssm));
    if (plan.hasAttention)
        heads = std::make_shared<Attention>(
            attention, takeBlockAttention(weights, prefix + (twoMixers ? "mixer2.self_attn." : "mixer.self_attn."),
                                          plan, hidden, rope));
    LayerSpec layer;
    if (heads)
        layer.mixers.push_back(attention);
    if (ssm)
        layer.mixers.push_back(mixerSpec(plan.ssm));
    parts.spec.layers.push_back(layer);
    if (!twoMixers) {
        parts.blocks.push_back(std::make_shared<DecoderBlock>(
            DecoderBlockParts{.inputNorm = inputNorm, .mixer = ssm ? ssm : heads, .mlpNorm = mlpNorm, .mlp = mlp}));
        return;
    }
    DoubleParts block{inputNorm, ssm, heads, {}, mlpNorm, mlp};
    if (heads && plan.name == "DoubleBlockAdapter")
        block.adapter = takeLinear(weights, prefix + "adapter.out_proj", hidden, hidden, true);
    parts.blocks.push_back(std::make_shared<DoubleBlock>(std::move(block)));
}

} // namespace

ModelParts buildHybridLlamba(Config& whole, Weights& weights, int layerLimit)
{
    ModelParts parts;
    ModelSpec& spec = parts.spec;
    Config config = whole.has("ComponentsConfig") ? whole.object("ComponentsConfig") : whole;
    Config outer = config.object("input"), model = config.object("MixerModel"), inner = model.object("input");
    spec.vocabulary =
        paddedVocabulary(outer, outer.positive("vocab_size"), outer.positive("pad_vocab_size_multiple", 8));
    config.only("name", "\"LayeredMambaLM\"");
    model.ignore({"name"});
    inner.only("lm_head_prenorm", "\"rms\"");
    const bool tied = outer.boolean("tie_embeddings", false), headBias = outer.boolean("lm_head_bias", false);
    spec.hidden = inner.positive("d_model");
    spec.maxPositions = inner.positive("max_position_embeddings", 131072);
    const int all = readLayerCount(inner, "n_layer", {}, 0);
    const double eps = inner.number("norm_epsilon", 1e-5);
    const int ropeDim = inner.positive("head_dim", std::max(2, spec.hidden / 32));
    const Rope rope = readRope(inner, ropeDim, spec.maxPositions, weights.target().device);
    const std::vector<BlockPlan> plans = readBlocks(model, spec.hidden, ropeDim, all);
    for (Config* part : {&inner, &model, &outer, &config})
        whole.adopt(*part);
    readTokenIds(whole, spec);
    if (whole.error())
        return parts;

    const std::int64_t hidden = spec.hidden;
    const TiedTables tables{"backbone.embedding.weight", "lm_head.weight", tied};
    parts.embedding = takeEmbedding(weights, tables, {spec.vocabulary, hidden});
    const int layers = layerLimit > 0 ? std::min(all, layerLimit) : all;
    for (int layer = 0; layer < layers; ++layer)
        addLayer(parts, weights, "backbone.layers." + std::to_string(layer) + ".",
                 plans[static_cast<std::size_t>(layer)], rope);
    parts.finalNorm = takeRmsNorm(weights, "backbone.final_layernorm", hidden, eps);
    parts.head = takeHead(parts, weights, tables);
    if (headBias)
        parts.head.bias = weights.take("lm_head.bias", {spec.vocabulary});
    return parts;
}

} // namespace headscope::lm

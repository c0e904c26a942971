// SPDX-License-Identifier: GPL-3.0-or-later
// Zamba2: Mamba-2 layers, some of which first run a shared Transformer block over the stream and the embedding
// (arXiv 2411.15242).
#include "core/lm/families/families.h"
#include "core/lm/families/ssmparts.h"
#include "core/lm/families/zambaparts.h"
#include "core/lm/mixers/attention.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace headscope::lm {

namespace {

struct Zamba2Config {
    Mamba2Shape mamba;
    std::vector<int> hybrids; ///< layers with a Transformer, in order
    int hidden = 1, layers = 1, blocks = 1, rank = 128, inner = 1, heads = 1, kvHeads = 1;
    bool attentionAdapters = false, linearBias = false;
    double eps = 1e-5;
    Activation activation = Activation::Gelu;
    Rope rope;

    [[nodiscard]] int headDim() const { return 2 * hidden / heads; }
};

/// The shared block as one of its layers runs it, with the layer's adapters.
class AdaptedBlock : public SharedBlock
{
public:
    AdaptedBlock(const Zamba2Config& config, Weights& weights, int hybrid)
        : SharedBlock(weights, sharedPrefixes(config.hybrids, config.blocks, hybrid, "shared_transformer.")),
          m_c(config), m_hybrid(hybrid)
    {
    }
    [[nodiscard]] Linear linear(const std::string& name, std::int64_t out, std::int64_t in,
                                const std::string& adapter = {}) const
    {
        return pack(dense(name, out, in, adapter), name);
    }
    [[nodiscard]] Linear dense(const std::string& name, std::int64_t out, std::int64_t in,
                               const std::string& adapter) const
    {
        Linear map{take(name + ".weight", {out, in}), {}};
        if (!adapter.empty()) {
            map.adapterIn = take(adapter + "." + std::to_string(m_hybrid) + ".0.weight", {m_c.rank, in});
            map.adapterOut = take(adapter + "." + std::to_string(m_hybrid) + ".1.weight", {out, m_c.rank});
        }
        return map;
    }
    [[nodiscard]] AttentionWeights attention() const
    {
        const std::int64_t in = std::int64_t{2} * m_c.hidden, width = std::int64_t{m_c.heads} * m_c.headDim(),
                           kv = std::int64_t{m_c.kvHeads} * m_c.headDim();
        const auto adapter = [&](const char* name) {
            return m_c.attentionAdapters ? std::string(name) : std::string();
        };
        AttentionWeights w;
        w.query = linear("self_attn.q_proj", width, in, adapter("self_attn.linear_q_adapter_list"));
        w.key = linear("self_attn.k_proj", kv, in, adapter("self_attn.linear_k_adapter_list"));
        w.value = linear("self_attn.v_proj", kv, in, adapter("self_attn.linear_v_adapter_list"));
        w.output = linear("self_attn.o_proj", m_c.hidden, width);
        w.rope = m_c.rope;
        w.scale = 1.0 / std::sqrt(m_c.headDim() / 2.0);
        return w;
    }
    [[nodiscard]] Mlp mlp() const
    {
        Linear both = dense("feed_forward.gate_up_proj", std::int64_t{2} * m_c.inner, m_c.hidden,
                            "feed_forward.gate_up_proj_adapter_list");
        Linear down = linear("feed_forward.down_proj", m_c.hidden, m_c.inner);
        if (m_c.linearBias) {
            both.bias = take("feed_forward.gate_up_proj.bias", {std::int64_t{2} * m_c.inner});
            down.bias = take("feed_forward.down_proj.bias", {m_c.hidden});
        }
        const auto half = [&](int which) {
            const auto part = [&](const at::Tensor& t) {
                return t.defined() ? t.narrow(0, which * m_c.inner, m_c.inner) : t;
            };
            return pack({part(both.weight), part(both.bias), both.adapterIn, part(both.adapterOut)},
                        "gate_up_proj." + std::to_string(which));
        };
        return {half(0), half(1), down, m_c.activation};
    }

private:
    const Zamba2Config& m_c;
    int m_hybrid;
};

Rope readMemRope(Config& config, const Zamba2Config& c, int maxPositions, const at::Device& device)
{
    if (!config.boolean("use_mem_rope", false))
        return {};
    if (!config.boolean("use_long_context", false))
        return readRope(config, c.headDim(), maxPositions, device);
    // Long context raises the base by 8^(P/(P-2)).
    const double dims = c.headDim();
    Config copy = config.with("rope_theta", config.number("rope_theta", 10000.0) * std::pow(8.0, dims / (dims - 2)));
    Rope rope = readRope(copy, c.headDim(), maxPositions, device);
    config.adopt(copy);
    return rope;
}

Zamba2Config readZamba2(Config& config, ModelSpec& spec, const at::Device& device)
{
    Zamba2Config c;
    c.hidden = spec.hidden = config.positive("hidden_size", 2560);
    spec.vocabulary = config.positive("vocab_size", 32000);
    spec.maxPositions =
        config.boolean("use_long_context", false) ? 16384 : config.positive("max_position_embeddings", 4096);
    readTokenIds(config, spec);
    c.layers = config.positive("num_hidden_layers", 54);
    config.alias({{"layers_block_type", "layer_types"}});
    config.ignore({"attention_head_dim", "attention_hidden_size", "rope_parameters", "rope_scaling", "rope_theta"});
    c.hybrids = readHybrids(config);
    const std::vector<int> ids = config.integers("hybrid_layer_ids");
    if (c.hybrids.empty())
        c.hybrids = ids;
    // Adapters are counted in the order of the ids.
    if (!std::is_sorted(ids.begin(), ids.end()) || (!ids.empty() && ids != c.hybrids))
        config.fail("'hybrid_layer_ids' in config.json does not contain the hybrid layers in their order.");
    if (c.hybrids.empty())
        config.fail("Neither 'layers_block_type' nor 'hybrid_layer_ids' in config.json says which layers are hybrid.");
    c.blocks = config.positive("num_mem_blocks", 1);
    c.rank = config.positive("adapter_rank", 128);
    c.inner = config.positive("intermediate_size", 4 * c.hidden);
    c.heads = config.positive("num_attention_heads", 32);
    c.kvHeads = config.positive("num_key_value_heads", c.heads);
    c.attentionAdapters = config.boolean("use_shared_attention_adapter", false);
    c.linearBias = config.boolean("add_bias_linear", false);
    c.eps = config.number("rms_norm_eps", 1e-5);
    c.activation = readActivation(config, "hidden_act", "gelu");
    if (2 * c.hidden % c.heads != 0 || c.heads % c.kvHeads != 0)
        config.fail("Twice the width " + std::to_string(c.hidden) + " cannot be divided into " + std::to_string(c.heads)
                    + " heads with " + std::to_string(c.kvHeads) + " key/value heads.");
    c.rope = readMemRope(config, c, spec.maxPositions, device);

    Mamba2Shape& m = c.mamba;
    m.hidden = c.hidden;
    m.heads = config.positive("n_mamba_heads");
    const int inner = config.positive("mamba_expand", 2) * c.hidden;
    m.headDim = std::max(1, inner / m.heads);
    m.groups = m.normGroups = config.positive("mamba_ngroups", 1);
    m.states = config.positive("mamba_d_state", 64);
    m.taps = config.positive("mamba_d_conv", 4);
    m.chunk = config.positive("chunk_size", 256);
    m.bias = c.linearBias;
    m.convBias = config.boolean("use_conv_bias", true);
    m.normEps = 1e-5; // fixed in the reference
    // Sources disagree on a lower limit of the step size; the kernels of the paper's runs had none.
    m.dtLow = config.number("zamba2_dt_min", 0.0);
    readStepLimit(config, m);
    if (m.headDim * m.heads != inner)
        config.fail("The Mamba width " + std::to_string(inner) + " cannot be divided into " + std::to_string(m.heads)
                    + " heads.");
    checkGroups(config, m.heads, m.groups);
    return c;
}

} // namespace

ModelParts buildZamba2(Config& config, Weights& weights, int layerLimit)
{
    ModelParts parts;
    ModelSpec& spec = parts.spec;
    Zamba2Config c = readZamba2(config, spec, weights.target().device);
    const bool tied = config.boolean("tie_word_embeddings", true);
    const bool atLeast = config.number("time_step_min", 0.001) > 0; // read whatever the limit says
    if (c.mamba.dtLow <= 0 && atLeast)
        weights.warn("Time steps have no lower limit, as in the kernels that the model was trained with; transformers "
                     "limits them to 'time_step_min' or more.");
    if (config.boolean("use_mem_rope", false) && config.boolean("use_long_context", false))
        weights.warn("'use_long_context' raises the base of the rotation as in the model's own code; transformers 5.23 "
                     "leaves it as it is.");
    // The config's keys do not tell: files that were converted keep those of the fork.
    if (!weights.has("model.layers.0.mamba.in_proj.weight")
        && !weights.has("model.layers.0.mamba_decoder.mamba.in_proj.weight"))
        config.fail("The tensors have the names of the old Zyphra fork of Zamba2; use the checkpoint in the format of "
                    "transformers.");
    const int layers = readLayerCount(config, "num_hidden_layers", 54, layerLimit);
    if (config.error())
        return parts;
    // The reference ignores use_conv_bias: its convolutions always have one.
    c.mamba.convBias = c.mamba.convBias || weights.has("model.layers.0.mamba.conv1d.bias")
                       || weights.has("model.layers.0.mamba_decoder.mamba.conv1d.bias");

    const std::int64_t hidden = c.hidden;
    const TiedTables tables{"model.embed_tokens.weight", "lm_head.weight", tied};
    parts.embedding = takeEmbedding(weights, tables, {spec.vocabulary, hidden});
    int hybrid = 0;
    for (int layer = 0; layer < layers; ++layer) {
        const std::string prefix = "model.layers." + std::to_string(layer) + ".";
        const bool isHybrid =
            hybrid < static_cast<int>(c.hybrids.size()) && c.hybrids[static_cast<std::size_t>(hybrid)] == layer;
        const std::string mambaPrefix = isHybrid ? prefix + "mamba_decoder." : prefix;
        const Norm norm = takeRmsNorm(weights, mambaPrefix + "input_layernorm", hidden, c.eps);
        const auto mamba =
            std::make_shared<Mamba2>(mixerSpec(c.mamba), takeMamba2(weights, mambaPrefix + "mamba.", c.mamba));
        if (!isHybrid) {
            parts.blocks.push_back(
                std::make_shared<DecoderBlock>(DecoderBlockParts{.inputNorm = norm, .mixer = mamba}));
            spec.layers.push_back({{mamba->spec()}, false});
            continue;
        }
        const AdaptedBlock shared(c, weights, hybrid);
        const MixerSpec attention{.kind = MixerKind::Attention,
                                  .heads = c.heads,
                                  .kvHeads = c.kvHeads,
                                  .headDim = c.headDim(),
                                  .sharedBlock = hybrid % c.blocks};
        parts.blocks.push_back(hybridBlock(HybridParts{
            .concatNorm = shared.norm("input_layernorm", 2 * hidden, c.eps),
            .attention = std::make_shared<Attention>(attention, shared.attention()),
            .mlpNorm = shared.norm("pre_ff_layernorm", hidden, c.eps),
            .mlp = shared.mlp(),
            .linear = takeLinear(weights, prefix + "linear", hidden, hidden),
            .mambaNorm = norm,
            .mamba = mamba,
        }));
        spec.layers.push_back({{attention, mamba->spec()}, true});
        ++hybrid;
    }
    parts.finalNorm = takeRmsNorm(weights, "model.final_layernorm", hidden, c.eps);
    parts.head = takeHead(parts, weights, tables);
    return parts;
}

} // namespace headscope::lm

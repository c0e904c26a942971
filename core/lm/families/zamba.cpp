// SPDX-License-Identifier: GPL-3.0-or-later
// Zamba (Glorioso et al. 2024, arXiv 2405.16712): Mamba layers whose channels have B, C and dt by groups, some of which
// first run one shared Transformer block over the stream and the embedding.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"
#include "core/lm/families/zambaparts.h"

#include <algorithm>
#include <cmath>

namespace headscope::lm {

ModelParts buildZamba(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.hidden = 3712,
                                           .inner = 14848,
                                           .layers = 76,
                                           .maxPositions = 4096,
                                           .heads = {.kvHeads = 16, .heads = 16},
                                           .tied = true,
                                           .activation = "gelu"});
    c.names.finalNorm = "model.final_layernorm";
    const std::int64_t hidden = c.hidden, both = 2 * hidden;
    c.heads.headDim = config.positive("attention_head_dim", std::max(2 * c.hidden / c.heads.heads, 1));
    if (config.integer("attention_hidden_size", 2 * c.hidden) != 2 * c.hidden)
        config.fail(
            "'attention_hidden_size' in config.json is not twice the width: attention reads stream and embedding.");
    config.alias({{"layers_block_type", "layer_types"}});
    std::vector<int> hybrids = readHybrids(config);
    const int period = config.positive("attn_layer_period", 6), offset = config.integer("attn_layer_offset", 4);
    if (!config.has("layers_block_type"))
        for (int i = 2; i < c.layers; ++i) // the third layer, and of those behind it by turns
            if (i == 2 || (i - 3) % period == offset)
                hybrids.push_back(i);
    Mamba1Shape mamba = readJambaShape(config, c.hidden, readActivation(config, "hidden_mamba_act", "silu"));
    config.ignore({"time_step_min"});
    mamba.groups = config.positive("n_mamba_heads", 2);
    checkGroups(config, mamba.inner, mamba.groups);
    const SharedBlock shared(weights, sharedPrefixes(hybrids, 1, 0, "shared_transf."));
    const auto isHybrid = [&](int index) { return std::find(hybrids.begin(), hybrids.end(), index) != hybrids.end(); };
    const auto layer = [&](const std::string& prefix, int index, MixerSpec& spec) -> std::shared_ptr<const Block> {
        const std::string own = isHybrid(index) ? prefix + "mamba_decoder." : prefix;
        const Norm norm = takeNorm(weights, own + "input_layernorm", c);
        const auto mixer = std::make_shared<Mamba1>(mixerSpec(mamba), takeMamba1(weights, own + "mamba.", mamba));
        if (!isHybrid(index)) {
            spec = mixer->spec();
            return std::make_shared<DecoderBlock>(DecoderBlockParts{.inputNorm = norm, .mixer = mixer});
        }
        const std::int64_t width = std::int64_t{c.heads.heads} * c.heads.headDim,
                           kv = std::int64_t{c.heads.kvHeads} * c.heads.headDim;
        AttentionWeights attention;
        attention.query = shared.linear("self_attn.q_proj", width, both);
        attention.key = shared.linear("self_attn.k_proj", kv, both);
        attention.value = shared.linear("self_attn.v_proj", kv, both);
        attention.output = shared.linear("self_attn.o_proj", hidden, width);
        attention.scale = 1.0 / std::sqrt(c.heads.headDim / 2.0);
        spec = attentionSpec(c);
        spec.sharedBlock = 0;
        return hybridBlock(HybridParts{
            .concatNorm = shared.norm("input_layernorm", both, c.eps),
            .attention = std::make_shared<Attention>(spec, attention),
            .mlpNorm = shared.norm("pre_ff_layernorm", hidden, c.eps),
            .mlp = Mlp{shared.linear("feed_forward.gate_proj", c.inner, hidden),
                       shared.linear("feed_forward.up_proj", c.inner, hidden),
                       shared.linear("feed_forward.down_proj", hidden, c.inner), c.activation},
            .linear = takeLinear(weights, prefix + "linear", hidden, hidden),
            .mambaNorm = norm,
            .mamba = mixer,
        });
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, DecoderLayer(layer));
    for (std::size_t i = 0; i < parts.spec.layers.size(); ++i)
        if (isHybrid(static_cast<int>(i))) {
            parts.spec.layers[i].mixers.push_back(mixerSpec(mamba));
            parts.spec.layers[i].mlp = true;
        }
    return parts;
}

} // namespace headscope::lm

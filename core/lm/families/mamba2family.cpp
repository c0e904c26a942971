// SPDX-License-Identifier: GPL-3.0-or-later
// Mamba-2 (Dao and Gu 2024, arXiv 2405.21060). Also configs of the original repository.
#include "core/lm/families/families.h"
#include "core/lm/families/ssmparts.h"

#include <algorithm>

namespace headscope::lm {

namespace {

struct Mamba2Config {
    Mamba2Shape shape;
    int layers = 1;
    double eps = 1e-5;
    bool tied = false, fp32Stream = true;
};

ModelParts mamba2Parts(Config& config, Weights& weights, const Mamba2Config& c, ModelParts parts)
{
    const std::int64_t hidden = c.shape.hidden;
    parts.spec.hidden = c.shape.hidden;
    parts.streamInFp32 = c.fp32Stream;
    checkGroups(config, c.shape.heads, c.shape.groups);
    if (config.error())
        return parts;
    const TiedTables tables{weights.has("backbone.embeddings.weight") ? "backbone.embeddings.weight"
                                                                      : "backbone.embedding.weight",
                            "lm_head.weight", c.tied};
    parts.embedding = takeEmbedding(weights, tables, {parts.spec.vocabulary, hidden});
    for (int layer = 0; layer < c.layers; ++layer) {
        const std::string prefix = "backbone.layers." + std::to_string(layer) + ".";
        parts.blocks.push_back(std::make_shared<DecoderBlock>(DecoderBlockParts{
            .inputNorm = takeRmsNorm(weights, prefix + "norm", hidden, c.eps),
            .mixer = std::make_shared<Mamba2>(mixerSpec(c.shape), takeMamba2(weights, prefix + "mixer.", c.shape)),
        }));
        parts.spec.layers.push_back({{mixerSpec(c.shape)}, false});
    }
    parts.finalNorm = takeRmsNorm(weights, "backbone.norm_f", hidden, c.eps);
    parts.head = takeHead(parts, weights, tables);
    return parts;
}

} // namespace

ModelParts buildMamba2(Config& config, Weights& weights, int layerLimit)
{
    ModelParts parts;
    Mamba2Config c;
    Mamba2Shape& s = c.shape;
    parts.spec.vocabulary = config.positive("vocab_size", 32768);
    readTokenIds(config, parts.spec);
    s.hidden = config.positive("hidden_size", 4096);
    s.heads = config.positive("num_heads", 128);
    s.headDim = config.positive("head_dim", 64);
    s.groups = s.normGroups = config.positive("n_groups", 8);
    s.states = config.positive("state_size", 128);
    s.taps = config.positive("conv_kernel", 4);
    s.chunk = config.positive("chunk_size", 256);
    s.bias = config.boolean("use_bias", false);
    s.convBias = config.boolean("use_conv_bias", true);
    // The reference norms whatever this key says; a file without the norm's weights is one of the original
    // repository's.
    s.norm = config.boolean("rms_norm", true) || weights.has("backbone.layers.0.mixer.norm.weight");
    s.normEps = c.eps = config.number("layer_norm_epsilon", 1e-5);
    s.activation = readActivation(config, "hidden_act", "silu");
    readStepLimit(config, s);
    config.ignore({"time_step_min", "time_step_rank"});
    c.layers = readLayerCount(config, "num_hidden_layers", 64, layerLimit);
    c.tied = config.boolean("tie_word_embeddings", false);
    c.fp32Stream = config.boolean("residual_in_fp32", true);
    const double inner = config.multiple("expand", 2.0, s.hidden);
    if (inner != static_cast<double>(s.heads) * s.headDim)
        config.fail("The Mamba width is " + std::to_string(static_cast<std::int64_t>(inner)) + " by 'expand', but "
                    + std::to_string(s.heads) + " heads of " + std::to_string(s.headDim) + " make "
                    + std::to_string(std::int64_t{s.heads} * s.headDim) + ".");
    return mamba2Parts(config, weights, c, std::move(parts));
}

ModelParts buildMamba2Original(Config& config, Weights& weights, int layerLimit)
{
    ModelParts parts;
    Mamba2Config c;
    Mamba2Shape& s = c.shape;
    Config ssm = config.object("ssm_cfg");
    ssm.ignore({"layer"}); // by which the family was found
    config.ignore({"fused_add_norm"});
    if (!config.boolean("rms_norm", true))
        config.fail("This Mamba-2 model has LayerNorm layers ('rms_norm' is false); only RMSNorm is supported.");
    s.hidden = config.positive("d_model", 2560);
    s.headDim = ssm.positive("headdim", 64);
    const int inner = static_cast<int>(ssm.multiple("expand", 2.0, s.hidden));
    s.heads = std::max(1, inner / s.headDim);
    s.groups = s.normGroups = ssm.positive("ngroups", 1);
    s.states = ssm.positive("d_state", 128);
    s.taps = ssm.positive("d_conv", 4);
    s.chunk = ssm.positive("chunk_size", 256);
    c.layers = readLayerCount(config, "n_layer", 64, layerLimit);
    c.tied = config.boolean("tie_embeddings", true);
    c.fp32Stream = config.boolean("residual_in_fp32", true);
    parts.spec.vocabulary =
        paddedVocabulary(config, config.positive("vocab_size", 50277), config.positive("pad_vocab_size_multiple", 16));
    if (config.has("d_intermediate") && config.integer("d_intermediate") != 0)
        config.fail("This Mamba-2 model has MLP layers ('d_intermediate' is not 0); that variant is not supported.");
    if (!config.integers("attn_layer_idx").empty())
        config.fail(
            "This Mamba-2 model has attention layers ('attn_layer_idx' is not empty); that variant is not supported.");
    config.adopt(ssm);
    return mamba2Parts(config, weights, c, std::move(parts));
}

} // namespace headscope::lm

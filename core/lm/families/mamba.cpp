// SPDX-License-Identifier: GPL-3.0-or-later
// Mamba-1 (Gu and Dao 2023, arXiv 2312.00752) and Falcon-Mamba (arXiv 2410.05355). Also configs of the original
// repository.
#include "core/lm/families/families.h"
#include "core/lm/families/ssmparts.h"

namespace headscope::lm {

namespace {

struct MambaConfig {
    Mamba1Shape shape;
    int layers = 1;
    double eps = 1e-5;
    bool tied = true, fp32Stream = true;
    std::optional<double> parameterEps; ///< Falcon-Mamba: dt, B and C are normed
};

ModelParts mambaParts(Config& config, Weights& weights, const MambaConfig& c, ModelParts parts)
{
    const std::int64_t hidden = c.shape.hidden;
    parts.spec.hidden = c.shape.hidden;
    parts.streamInFp32 = c.fp32Stream;
    if (config.error())
        return parts;
    const TiedTables tables{weights.has("backbone.embeddings.weight") ? "backbone.embeddings.weight"
                                                                      : "backbone.embedding.weight",
                            "lm_head.weight", c.tied};
    parts.embedding = takeEmbedding(weights, tables, {parts.spec.vocabulary, hidden});
    for (int layer = 0; layer < c.layers; ++layer) {
        const std::string prefix = "backbone.layers." + std::to_string(layer) + ".";
        Mamba1Weights mixer = takeMamba1(weights, prefix + "mixer.", c.shape);
        if (c.parameterEps)
            mixer.stepNorm = mixer.bNorm = mixer.cNorm = Norm{NormKind::Rms, {}, {}, *c.parameterEps};
        parts.blocks.push_back(std::make_shared<DecoderBlock>(DecoderBlockParts{
            .inputNorm = takeRmsNorm(weights, prefix + "norm", hidden, c.eps),
            .mixer = std::make_shared<Mamba1>(mixerSpec(c.shape), std::move(mixer)),
        }));
        parts.spec.layers.push_back({{mixerSpec(c.shape)}, false});
    }
    parts.finalNorm = takeRmsNorm(weights, "backbone.norm_f", hidden, c.eps);
    parts.head = takeHead(parts, weights, tables);
    return parts;
}

int readRank(Config& config, const char* key, int hidden)
{
    const bool automatic = !config.has(key) || config.value(key) == "auto";
    return automatic ? (hidden + 15) / 16 : config.positive(key);
}

MambaConfig readHub(Config& config, ModelSpec& spec, int layerLimit)
{
    MambaConfig c;
    spec.vocabulary = config.positive("vocab_size", 50280);
    readTokenIds(config, spec);
    c.shape.hidden = config.positive("hidden_size", 768);
    // A width that is named wins over the factor: Falcon-Mamba's says 16 and means 2.
    c.shape.inner =
        config.positive("intermediate_size", static_cast<int>(config.multiple("expand", 2.0, c.shape.hidden)));
    config.ignore({"time_step_min"});
    c.shape.states = config.positive("state_size", 16);
    c.shape.taps = config.positive("conv_kernel", 4);
    c.shape.rank = readRank(config, "time_step_rank", c.shape.hidden);
    c.shape.bias = config.boolean("use_bias", false);
    c.shape.convBias = config.boolean("use_conv_bias", true);
    c.shape.activation = readActivation(config, "hidden_act", "silu");
    c.layers = readLayerCount(config, "num_hidden_layers", 32, layerLimit);
    c.eps = config.number("layer_norm_epsilon", 1e-5);
    c.tied = config.boolean("tie_word_embeddings", true);
    c.fp32Stream = config.boolean("residual_in_fp32", true);
    return c;
}

} // namespace

ModelParts buildMamba(Config& config, Weights& weights, int layerLimit)
{
    ModelParts parts;
    const MambaConfig c = readHub(config, parts.spec, layerLimit);
    return mambaParts(config, weights, c, std::move(parts));
}

ModelParts buildFalconMamba(Config& config, Weights& weights, int layerLimit)
{
    ModelParts parts;
    MambaConfig c = readHub(config, parts.spec, layerLimit);
    c.parameterEps = config.number("mixer_rms_eps", 1e-6);
    return mambaParts(config, weights, c, std::move(parts));
}

ModelParts buildMambaOriginal(Config& config, Weights& weights, int layerLimit)
{
    ModelParts parts;
    MambaConfig c;
    Config ssm = config.object("ssm_cfg");
    ssm.ignore({"layer"}); // by which the family was found
    config.ignore({"fused_add_norm"});
    c.shape.hidden = config.positive("d_model", 2560);
    c.shape.inner = static_cast<int>(ssm.multiple("expand", 2.0, c.shape.hidden));
    c.shape.states = ssm.positive("d_state", 16);
    c.shape.taps = ssm.positive("d_conv", 4);
    c.shape.rank = readRank(ssm, "dt_rank", c.shape.hidden);
    c.layers = readLayerCount(config, "n_layer", 64, layerLimit);
    c.fp32Stream = config.boolean("residual_in_fp32", true);
    c.tied = config.boolean("tie_embeddings", true);
    parts.spec.vocabulary =
        paddedVocabulary(config, config.positive("vocab_size", 50277), config.positive("pad_vocab_size_multiple", 8));
    if (!config.boolean("rms_norm", true))
        config.fail("This Mamba model has LayerNorm layers ('rms_norm' is false); only RMSNorm is supported.");
    config.adopt(ssm);
    return mambaParts(config, weights, c, std::move(parts));
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
// Llamba: Llama's blocks with discrete Mamba-2 in place of attention (Bick et al. 2025, arXiv 2502.14458).
#include "core/lm/families/families.h"
#include "core/lm/families/ssmparts.h"

#include <algorithm>

namespace headscope::lm {

ModelParts buildLlamba(Config& config, Weights& weights, int layerLimit)
{
    constexpr double kLayerEps = 1e-5; // fixed in the reference
    ModelParts parts;
    ModelSpec& spec = parts.spec;
    spec.hidden = config.positive("d_model");
    spec.vocabulary =
        paddedVocabulary(config, config.positive("vocab_size"), config.positive("pad_vocab_size_multiple", 8));
    readTokenIds(config, spec);
    const int layers = readLayerCount(config, "n_layer", 32, layerLimit);
    const bool tied = config.boolean("tie_embeddings", false);
    const bool headBias = config.boolean("lm_head_bias", false);
    const double eps = config.number("norm_epsilon", 1e-5);
    Config mlp = config.object("mlp_cfg");
    const int inner = mlp.positive("intermediate_size", 14336);
    const bool mlpBias = mlp.boolean("bias", false);
    const Activation activation = readActivation(mlp, "act_fn", "silu");
    config.adopt(mlp);
    Config ssm = config.object("ssm_cfg");
    DiscreteShape shape;
    shape.hidden = spec.hidden;
    shape.heads = ssm.positive("n_v_heads", 32);
    shape.groups = ssm.positive("n_qk_heads", 32);
    shape.states = ssm.positive("d_state", 64);
    shape.taps = ssm.positive("d_conv", 4);
    shape.chunk = ssm.positive("chunk_size", 128);
    shape.bias = ssm.boolean("bias", false);
    shape.convBias = ssm.boolean("conv_bias", true);
    shape.zBias = !shape.bias;
    shape.activation = readActivation(ssm, "activation", "identity");
    const int width = static_cast<int>(ssm.multiple("expand", 1.0, spec.hidden));
    shape.headDim = std::max(1, width / shape.heads);
    config.adopt(ssm);
    checkGroups(config, shape.heads, shape.groups);
    if (shape.headDim * shape.heads != width)
        config.fail("The mixer's width " + std::to_string(width) + " cannot be divided into "
                    + std::to_string(shape.heads) + " heads.");
    if (config.error())
        return parts;

    const std::int64_t hidden = spec.hidden;
    const TiedTables tables{"backbone.embedding.weight", "lm_head.weight", tied};
    parts.embedding = takeEmbedding(weights, tables, {spec.vocabulary, hidden});
    for (int layer = 0; layer < layers; ++layer) {
        const std::string prefix = "backbone.layers." + std::to_string(layer) + ".";
        parts.blocks.push_back(std::make_shared<DecoderBlock>(DecoderBlockParts{
            .inputNorm = takeRmsNorm(weights, prefix + "input_layernorm", hidden, kLayerEps),
            .mixer = std::make_shared<DiscreteMamba2>(mixerSpec(shape),
                                                      takeDiscreteMamba2(weights, prefix + "mixer.", shape)),
            .mlpNorm = takeRmsNorm(weights, prefix + "post_attention_layernorm", hidden, kLayerEps),
            .mlp = takeGatedMlp(weights, prefix + "mlp.", hidden, inner, activation, mlpBias),
        }));
        spec.layers.push_back({{mixerSpec(shape)}, true});
    }
    parts.finalNorm = takeRmsNorm(weights, "backbone.final_layernorm", hidden, eps);
    parts.head = takeHead(parts, weights, tables);
    if (headBias)
        parts.head.bias = weights.take("lm_head.bias", {spec.vocabulary});
    return parts;
}

} // namespace headscope::lm

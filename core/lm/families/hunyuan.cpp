// SPDX-License-Identifier: GPL-3.0-or-later
// Hunyuan, dense: a Llama with norms over the heads of q and k behind their rotation.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace headscope::lm {

namespace {

// With an `alpha`, "dynamic" scaling is a larger base, whatever the length of the text.
Config withoutAlpha(Config& config, int headDim)
{
    for (const char* key : {"rope_scaling", "rope_parameters"}) {
        const Config settings = config.object(key);
        const nlohmann::json& rope = settings.json();
        const double alpha = rope.contains("alpha") && rope["alpha"].is_number() ? rope["alpha"].get<double>() : 0.0;
        const auto is = [&rope](const char* name) { return rope.contains(name) && rope[name] == "dynamic"; };
        if (alpha == 0 || !(is("rope_type") || (is("type") && !rope.contains("rope_type"))))
            continue;
        if (alpha < 0 || headDim < 4)
            config.fail("'" + std::string(key) + "' in config.json scales the base of the rotation by "
                        + rope["alpha"].dump() + "; expected a positive number and heads of at least 4 dimensions.");
        Config inner = config.object(key);
        const double theta = inner.number("rope_theta", config.number("rope_theta", 10000.0));
        config.ignore({key});
        return config.with(key, {{"rope_type", "default"},
                                 {"rope_theta", theta * std::pow(std::abs(alpha), headDim / (headDim - 2.0))}});
    }
    return config;
}

} // namespace

ModelParts buildHunyuanDense(Config& config, Weights& weights, int layerLimit)
{
    config.ignore({"attention_head_dim"}); // the class reads head_dim
    DecoderConfig c =
        readDecoder(config, {.vocabulary = 290943, .inner = 11008, .maxPositions = 2048, .heads = {.heads = 32}});
    config = withoutAlpha(config, c.heads.headDim);
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device);
    const double eps = epsBehindRotation(c);
    const bool bias = config.boolean("attention_bias", false);
    config.assume("use_qk_norm", "true");
    config.assume("use_cla", "false");
    const auto layer = [&](const std::string& prefix, int) {
        const std::string own = prefix + "self_attn.";
        AttentionWeights attention = takeAttentionWeights(weights, own, c, bias);
        attention.queryNorm = attention.keyNorm = Norm{NormKind::Rms, {}, {}, eps};
        attention.queryFactor = weights.take(own + "query_layernorm.weight", {c.heads.headDim})
                                * weights.take(own + "key_layernorm.weight", {c.heads.headDim});
        DecoderBlockParts block = takePreNormBlock(weights, prefix, c, attention);
        block.mlp = takeGatedMlp(weights, prefix + "mlp.", c.hidden, c.inner, c.activation, false);
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-J (Wang and Komatsuzaki 2021) and CodeGen (Nijkamp et al. 2022, arXiv 2203.13474): one LayerNorm feeds attention
// and MLP side by side; a part of each head rotates, in pairs that lie next to each other; the head has a bias.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

#include <nlohmann/json.hpp>

namespace headscope::lm {

namespace {

// CodeGen stores four parts of query, value and key each, as its training was spread over four devices.
void takeInFour(Weights& weights, const std::string& name, const DecoderConfig& c, AttentionWeights& attention)
{
    const std::int64_t width = c.hidden;
    const at::Tensor parts = weights.take(name + ".weight", {3 * width, width}).unflatten(0, {4, 3, width / 4});
    const auto part = [&](std::int64_t which) { return Linear{parts.select(1, which).flatten(0, 1), {}, {}, {}}; };
    attention.query = part(0);
    attention.value = packed(weights, part(1));
    attention.key = part(2);
}

ModelParts gptjParts(Config& config, Weights& weights, int layerLimit, bool inFour)
{
    config.alias({{"hidden_size", "n_embd"},
                  {"num_hidden_layers", "n_layer"},
                  {"num_attention_heads", "n_head"},
                  {"max_position_embeddings", "n_positions"},
                  {"intermediate_size", "n_inner"}});
    DecoderConfig c = readDecoder(config, {.vocabulary = 50400,
                                           .inner = 0,
                                           .layers = 28,
                                           .maxPositions = 2048,
                                           .heads = {.heads = 16},
                                           .activation = "gelu_new",
                                           .epsKey = "layer_norm_epsilon",
                                           .activationKey = "activation_function"});
    takeGpt2Names(config, weights, c);
    const int rotated = config.positive("rotary_dim", config.contains("rotary_dim") ? c.heads.headDim : 64);
    if (rotated > c.heads.headDim)
        config.fail("'rotary_dim' in config.json is " + std::to_string(rotated) + "; expected at most the "
                    + std::to_string(c.heads.headDim) + " dimensions of a head.");
    if (inFour && c.heads.heads % 4 != 0)
        config.fail(std::to_string(c.heads.heads) + " heads cannot be divided into the four parts of a CodeGen model.");
    Config fixed(nlohmann::json::object()); // no key changes the rotation
    c.rope = readRope(fixed, rotated, c.maxPositions, weights.target().device);
    if (fixed.error())
        config.fail(fixed.error()->message);
    c.interleaved = true;
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention;
        attention.rope = c.rope;
        attention.scale = c.scale;
        const std::string own = prefix + "attn.";
        if (inFour) {
            takeInFour(weights, own + "qkv_proj", c, attention);
        } else {
            attention.query = takeDense(weights, own + "q_proj", c.hidden, c.hidden);
            attention.key = takeDense(weights, own + "k_proj", c.hidden, c.hidden);
            attention.value = takeLinear(weights, own + "v_proj", c.hidden, c.hidden);
        }
        attention.output = takeLinear(weights, own + "out_proj", c.hidden, c.hidden);
        interleavedToHalves(weights, attention, c);
        return DecoderBlockParts{
            .inputNorm = takeNorm(weights, prefix + "ln_1", c),
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .mlp = takePlainMlp(weights, prefix + "mlp.fc_in", prefix + "mlp.fc_out", c, true),
            .parallel = true,
        };
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    if (!config.error())
        parts.head.bias = weights.take("lm_head.bias", {c.vocabulary});
    return parts;
}

} // namespace

ModelParts buildGptj(Config& config, Weights& weights, int layerLimit)
{
    config.ignore({"rotary", "scale_attn_weights"}); // the class reads neither
    return gptjParts(config, weights, layerLimit, false);
}

ModelParts buildCodeGen(Config& config, Weights& weights, int layerLimit)
{
    config.ignore({"n_ctx", "scale_attn_weights"}); // the class reads neither
    return gptjParts(config, weights, layerLimit, true);
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-Neo (Black et al. 2021): a GPT-2 without a factor of the scores, whose layers see a window and everything in
// turn.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

#include <nlohmann/json.hpp>

namespace headscope::lm {

namespace {

// "global" or "local" of each layer: listed, or as groups that are repeated, [[["global", "local"], 12]].
std::vector<std::string> readAttentionTypes(Config& config)
{
    const nlohmann::json groups = config.value("attention_types");
    if (config.has("attention_layers"))
        return config.texts("attention_layers");
    std::vector<std::string> kinds;
    const nlohmann::json usual = nlohmann::json::parse(R"([[["global", "local"], 12]])");
    const auto isGroup = [](const nlohmann::json& group) {
        return group.is_array() && group.size() == 2 && group[0].is_array() && group[1].is_number_integer();
    };
    constexpr std::size_t kMost = 10000;
    for (const nlohmann::json& group : groups.is_null() ? usual : groups) {
        if (!isGroup(group)) {
            config.fail("'attention_types' in config.json must be a list such as [[[\"global\", \"local\"], 12]].");
            return {};
        }
        for (std::int64_t i = 0; i < group[1].get<std::int64_t>() && kinds.size() < kMost; ++i)
            for (const nlohmann::json& kind : group[0])
                kinds.push_back(kind.is_string() ? kind.get<std::string>() : kind.dump());
    }
    return kinds;
}

} // namespace

ModelParts buildGptNeo(Config& config, Weights& weights, int layerLimit)
{
    config.alias({{"num_hidden_layers", "num_layers"}, {"num_attention_heads", "num_heads"}});
    DecoderConfig c = readDecoder(config, {.vocabulary = 50257,
                                           .hidden = 2048,
                                           .inner = 0,
                                           .layers = 24,
                                           .maxPositions = 2048,
                                           .heads = {.heads = 16},
                                           .tied = true,
                                           .activation = "gelu_new",
                                           .epsKey = "layer_norm_epsilon",
                                           .activationKey = "activation_function"});
    const std::string base = takeGpt2Names(config, weights, c);
    const std::vector<std::string> kinds = readAttentionTypes(config);
    const int window = config.positive("window_size", 256);
    if (static_cast<int>(kinds.size()) != c.layers)
        config.fail("'attention_types' in config.json describes " + std::to_string(kinds.size())
                    + " layers; expected one entry for each of the " + std::to_string(c.layers) + ".");
    for (const std::string& kind : kinds)
        if (kind != "global" && kind != "local")
            config.fail("'attention_types' in config.json contains '" + kind + "'; expected global or local.");
    const auto layer = [&](const std::string& prefix, int index) {
        AttentionWeights attention;
        const std::string own = prefix + "attn.attention.";
        attention.query = takeLinear(weights, own + "q_proj", c.hidden, c.hidden);
        attention.key = takeLinear(weights, own + "k_proj", c.hidden, c.hidden);
        attention.value = takeLinear(weights, own + "v_proj", c.hidden, c.hidden);
        attention.output = takeLinear(weights, own + "out_proj", c.hidden, c.hidden, true);
        attention.window = kinds[static_cast<std::size_t>(index)] == "local" ? window : 0;
        return DecoderBlockParts{
            .inputNorm = takeNorm(weights, prefix + "ln_1", c),
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .mlpNorm = takeNorm(weights, prefix + "ln_2", c),
            .mlp = takePlainMlp(weights, prefix + "mlp.c_fc", prefix + "mlp.c_proj", c, true),
        };
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    if (!config.error())
        parts.positionEmbedding = weights.take(base + "wpe.weight", {c.maxPositions, c.hidden});
    return parts;
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
// translateGgufGemma4(): its layers with a window and those without have heads of their own sizes.
#include "core/io/gguf/ggufnames.h"
#include "core/io/gguf/gguftranslator.h"

#include <algorithm>

namespace headscope::io {

namespace {

using nlohmann::json;

/// By layer: whether it has full attention. Empty if the file does not say so, which is a problem then.
std::vector<bool> fullLayers(GgufTranslator& to)
{
    const std::string key = "attention.sliding_window_pattern";
    if (to.header().integers(to.architecture() + "." + key)) // a number is not enough here
        translateGgufWindows(to, 0);
    to.demand(key);
    std::vector<bool> full;
    for (const json& type : to.config.value("layer_types", json::array()))
        full.push_back(type == "full_attention");
    return full;
}

const GgufTensor* ofLayer(GgufTranslator& to, std::size_t layer, const char* name)
{
    return to.header().find("blk." + std::to_string(layer) + "." + name);
}

/// The number of key heads in layers of one kind, from their maps, with which the metadata must agree; 0: no such
/// layer.
std::int64_t keyHeads(GgufTranslator& to, const std::vector<bool>& full, bool kind, std::int64_t width)
{
    const std::string key = "attention.head_count_kv", whole = to.architecture() + "." + key;
    const auto* list = to.header().integers(whole);
    const auto all = list ? std::nullopt : to.integer(key);
    std::int64_t heads = 0;
    for (std::size_t layer = 0; layer < full.size(); ++layer) {
        const GgufTensor* map = full[layer] == kind ? ofLayer(to, layer, "attn_k.weight") : nullptr;
        if (!map || map->shape.size() != 2 || width < 1)
            continue;
        const std::int64_t own = map->shape.front() / width;
        const std::int64_t stated = list && list->size() == full.size() ? (*list)[layer] : all.value_or(list ? 0 : own);
        if (own < 1 || stated != own || (heads > 0 && own != heads)) {
            to.refuse(key, "the number of heads in the layers' maps of keys");
            break;
        }
        heads = own;
    }
    return heads;
}

/// Sizes of the layers without a window, as transformers saves them.
void translateGemma4Heads(GgufTranslator& to, const std::vector<bool>& full)
{
    to.integer("attention.head_count", "num_attention_heads");
    to.integer("attention.key_length_swa", "head_dim");
    const std::int64_t far = to.integer("attention.key_length").value_or(0),
                       near = to.integer("attention.key_length_swa").value_or(0);
    for (const char* key : {"attention.head_count", "attention.key_length", "attention.key_length_swa"})
        to.demand(key);
    to.expect("attention.value_length", static_cast<double>(far));
    to.expect("attention.value_length_swa", static_cast<double>(near));
    to.expect("rope.dimension_count", static_cast<double>(far));
    to.expect("rope.dimension_count_swa", static_cast<double>(near));
    to.expect("attention.scale", 1);
    if (to.header().integers(to.architecture() + ".attention.head_count_kv"))
        to.ignore("attention.head_count_kv");
    const std::int64_t nearHeads = keyHeads(to, full, false, near), farHeads = keyHeads(to, full, true, far);
    to.config["num_key_value_heads"] = std::max<std::int64_t>(nearHeads > 0 ? nearHeads : farHeads, 1);
    json own = json::object();
    bool same = false; // values are the keys
    for (std::size_t layer = 0; layer < full.size(); ++layer)
        if (full[layer]) {
            own[std::to_string(layer)] = {{"head_dim", far},
                                          {"num_key_value_heads", std::max<std::int64_t>(farHeads, 1)}};
            same = same || (ofLayer(to, layer, "attn_k.weight") && !ofLayer(to, layer, "attn_v.weight"));
        }
    if (!own.empty())
        to.config["per_layer_config"] = std::move(own);
    to.config["attention_k_eq_v"] = same;
}

/// MLPs of the layers that read earlier keys may be twice as wide.
void translateGemma4Mlps(GgufTranslator& to, std::size_t layers)
{
    const std::int64_t shared = to.integer("attention.shared_kv_layers").value_or(0);
    to.config["num_kv_shared_layers"] = shared;
    const std::string key = "feed_forward_length";
    const auto* list = to.header().integers(to.architecture() + "." + key);
    if (!list)
        return to.integer(key, "intermediate_size");
    to.ignore(key);
    constexpr std::int64_t kMostWidth = 1 << 24; // as for every number of config.json
    if (list->size() != layers || list->empty() || shared < 0 || shared >= std::ssize(*list) || list->front() < 1
        || list->front() > kMostWidth)
        return to.refuse(key, "a width for each layer");
    const std::int64_t width = list->front();
    const bool wide = list->back() != width;
    for (std::int64_t layer = 0; layer < std::ssize(*list); ++layer)
        if (const bool late = layer >= std::ssize(*list) - shared;
            (*list)[static_cast<std::size_t>(layer)] != (wide && late ? 2 * width : width))
            return to.refuse(key, "one width, or twice as much in the layers that share keys");
    to.config["intermediate_size"] = width;
    to.config["use_double_wide_mlp"] = wide;
}

void translateGemma4Experts(GgufTranslator& to)
{
    if (to.integer("expert_count").value_or(0) < 1)
        return;
    to.config["enable_moe_block"] = true;
    to.demandIntegers({{"expert_count", "num_experts"},
                       {"expert_used_count", "top_k_experts"},
                       {"expert_feed_forward_length", "moe_intermediate_size"}});
    for (const char* key : {"expert_gating_func", "expert_group_count", "expert_group_used_count"})
        to.expect(key, 1); // softmax over all experts
    to.expect("expert_weights_norm", 1);
    to.expect("expert_shared_count", 0);
}

/// Layers without a window turn a share of each head; the file has 1 for the frequencies that do, and 1e30 for the
/// rest.
Result<void> translateGemma4Rotation(GgufTranslator& to, const GgufFile& file)
{
    if (to.text("rope.scaling.type", "none") != "none")
        to.refuse("rope.scaling.type", "none");
    for (const char* key : {"rope.scaling.factor", "rope.scale_linear", "rope.scaling.attn_factor"})
        to.expect(key, 1);
    double share = 1;
    if (to.header().find(kRopeFactors)) {
        const auto factors = ggufFactors(to, file, kRopeFactors);
        if (!factors.has_value())
            return factors.error();
        const auto still = std::ranges::find_if(*factors, [](float factor) { return factor != 1.0F; });
        if (std::any_of(still, factors->end(), [](float factor) { return factor < 1e29F; }))
            return inputError("its rope_freqs do not say which of the dimensions rotate");
        share = static_cast<double>(still - factors->begin()) / static_cast<double>(factors->size());
    }
    to.config["rope_parameters"] = {
        {"full_attention",
         {{"rope_type", "proportional"},
          {"partial_rotary_factor", share},
          {"rope_theta", ggufShortest(to.number("rope.freq_base").value_or(10000))}}},
        {"sliding_attention",
         {{"rope_type", "default"}, {"rope_theta", ggufShortest(to.number("rope.freq_base_swa").value_or(10000))}}}};
    return {};
}

} // namespace

Result<void> translateGgufGemma4(GgufTranslator& to, const GgufFile& file)
{
    to.config["model_type"] = "gemma4_text";
    to.integer("embedding_length", "hidden_size");
    to.integer("block_count", "num_hidden_layers");
    to.integer("context_length", "max_position_embeddings");
    to.number("attention.layer_norm_rms_epsilon", "rms_norm_eps");
    to.demand("attention.layer_norm_rms_epsilon");
    // As llama.cpp, where the file does not say it.
    to.config["final_logit_softcapping"] = ggufShortest(to.number("final_logit_softcapping").value_or(30));
    to.config["hidden_size_per_layer_input"] = to.integer("embedding_length_per_layer_input").value_or(0);
    if (const GgufTensor* table = to.header().find("per_layer_token_embd.weight"); table && !table->shape.empty())
        to.config["vocab_size_per_layer_input"] = table->shape.front();
    to.config["attention_bias"] = to.layersHaveTensor("attn_q.bias");
    const std::vector<bool> full = fullLayers(to);
    to.demand("attention.sliding_window");
    translateGemma4Heads(to, full);
    translateGemma4Mlps(to, full.size());
    translateGemma4Experts(to);
    return translateGemma4Rotation(to, file);
}

} // namespace headscope::io

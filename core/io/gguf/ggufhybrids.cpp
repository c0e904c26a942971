// SPDX-License-Identifier: GPL-3.0-or-later
// Architectures with layers of attention between layers of convolutions or state-space mixers.
#include "core/io/gguf/gguftranslator.h"

#include <algorithm>

namespace headscope::io {

namespace {

using nlohmann::json;

/// Which layers have what a number counts, which is 0 in the others.
std::vector<bool> layersWith(GgufTranslator& to, const std::string& key)
{
    constexpr std::int64_t kMost = 100'000; // a file may say anything
    const std::int64_t layers = std::clamp<std::int64_t>(to.integer("block_count").value_or(0), 0, kMost);
    std::vector<bool> with(static_cast<std::size_t>(layers), to.integer(key) != 0);
    if (const auto* list = to.header().integers(to.architecture() + "." + key); list && std::ssize(*list) == layers)
        std::transform(list->begin(), list->end(), with.begin(), [](std::int64_t number) { return number != 0; });
    else if (list)
        to.refuse(key, "a number for each layer");
    return with;
}

constexpr const char* kKeyHeads = "attention.head_count_kv";

void translateLayerTypes(GgufTranslator& to, const char* attention, const char* other)
{
    json types = json::array();
    for (const bool attends : layersWith(to, kKeyHeads))
        types.push_back(attends ? attention : other);
    to.config["layer_types"] = std::move(types);
}

/// Divides the inner size by the heads that share it.
void translateHeadWidth(GgufTranslator& to, const char* ours)
{
    const std::int64_t heads = to.integer("ssm.time_step_rank").value_or(0),
                       inner = to.integer("ssm.inner_size").value_or(0);
    if (heads > 0 && inner % heads != 0)
        to.refuse("ssm.inner_size", "a multiple of its heads, " + std::to_string(heads));
    if (heads > 0)
        to.config[ours] = inner / heads;
}

/// The sizes of Mamba-2, by the names of Bamba's config.
void translateMamba2Sizes(GgufTranslator& to)
{
    to.demandIntegers({{"ssm.inner_size", "mamba_d_ssm"},
                       {"ssm.time_step_rank", "mamba_n_heads"},
                       {"ssm.state_size", "mamba_d_state"},
                       {"ssm.conv_kernel", "mamba_d_conv"},
                       {"ssm.group_count", "mamba_n_groups"}});
    translateHeadWidth(to, "mamba_d_head");
    to.config["mamba_conv_bias"] = to.layersHaveTensor("ssm_conv1d.bias");
    to.config["mamba_proj_bias"] = to.layersHaveTensor("ssm_in.bias");
}

/// Sets a period and an offset that say which layers these are.
void translatePeriod(GgufTranslator& to, const std::vector<bool>& layers, const std::string& key, const char* what)
{
    const auto first = std::ranges::find(layers, true);
    const auto second = first == layers.end() ? first : std::find(first + 1, layers.end(), true);
    const std::int64_t offset = first - layers.begin(), size = std::ssize(layers);
    const std::int64_t period = second == layers.end() ? size + 1 : second - first;
    bool regular = true;
    for (std::int64_t layer = 0; layer < size; ++layer)
        regular = regular && layers[static_cast<std::size_t>(layer)] == (layer % period == offset);
    if (!regular)
        to.fail("its layers with " + std::string(what) + " do not follow at equal distances");
    to.config[key + "_layer_offset"] = offset;
    to.config[key + "_layer_period"] = period;
}

/// Softmax over all, without groups; `sum`: whether the weights of those chosen add up to 1.
void expectPlainExperts(GgufTranslator& to, bool sum)
{
    for (const char* key : {"expert_gating_func", "expert_group_count", "expert_group_used_count"})
        to.expect(key, 1);
    to.expect("expert_weights_norm", sum ? 1 : 0);
}

} // namespace

void translateGgufLfm2(GgufTranslator& to)
{
    translateLayerTypes(to, "full_attention", "conv");
    to.number("attention.layer_norm_rms_epsilon", "norm_eps");
    to.config.erase("rms_norm_eps");
    to.integer("shortconv.l_cache", "conv_L_cache");
    to.demand("shortconv.l_cache");
    to.expect("attention.sliding_window", 0);
    if (to.architecture() == "lfm2") {
        to.config["block_auto_adjust_ff_dim"] = false; // as wide as the file says
        return;
    }
    to.demandIntegers({{"expert_count", "num_experts"},
                       {"expert_used_count", "num_experts_per_tok"},
                       {"expert_feed_forward_length", "moe_intermediate_size"}});
    to.config["num_dense_layers"] = to.integer("leading_dense_block_count").value_or(0);
    for (const auto& [key, value] :
         {std::pair("expert_gating_func", 2), {"expert_weights_norm", 1}, {"expert_group_count", 1}})
        to.expect(key, value);
}

/// The converter multiplies the weights by the model's multipliers.
void translateGgufFalconH1(GgufTranslator& to)
{
    translateMamba2Sizes(to);
    to.config["mamba_rms_norm"] = to.layersHaveTensor("ssm_norm.weight");
    to.config["mamba_norm_before_gate"] = false; // as llama.cpp computes it
    to.config["projectors_bias"] = to.layersHaveTensor("ssm_out.bias");
    if (!to.header().find("output.weight"))
        to.notes.emplace_back(
            "The file has no output matrix of its own: logits are computed with the embedding table, as "
            "llama.cpp does, without a multiplier that the original may have for them.");
}

void translateGgufDeltaNet(GgufTranslator& to)
{
    to.demandIntegers({{"ssm.group_count", "linear_num_key_heads"},
                       {"ssm.time_step_rank", "linear_num_value_heads"},
                       {"ssm.state_size", "linear_key_head_dim"},
                       {"ssm.inner_size", "linear_value_head_dim"},
                       {"ssm.conv_kernel", "linear_conv_kernel_dim"}});
    translateHeadWidth(to, "linear_value_head_dim");
    to.ignore("rope.dimension_sections"); // of pictures: a text's three positions are the same
    const auto layers = to.config.value("num_hidden_layers", std::int64_t{0});
    const std::int64_t usual = to.integer("full_attention_interval").value_or(4);
    const std::string key = "attention.recurrent_layers";
    if (const auto* list = to.header().integers(to.architecture() + "." + key)) {
        to.ignore(key);
        if (std::ssize(*list) < layers)
            return to.refuse(key, "an entry for each layer");
        json types = json::array();
        for (std::int64_t layer = 0; layer < layers; ++layer)
            types.push_back((*list)[static_cast<std::size_t>(layer)] != 0 ? "linear_attention" : "full_attention");
        to.config["layer_types"] = std::move(types);
    } else
        to.config["full_attention_interval"] = usual;
}

void translateGgufGraniteScales(GgufTranslator& to)
{
    to.number("attention.scale", "attention_multiplier");
    to.number("embedding_scale", "embedding_multiplier");
    to.number("residual_scale", "residual_multiplier");
    to.number("logit_scale", "logits_scaling");
}

void translateGgufGraniteMoe(GgufTranslator& to)
{
    translateGgufGraniteScales(to);
    to.integer("expert_count", "num_local_experts");
    to.integer("expert_used_count", "num_experts_per_tok");
    for (const char* key : {"expert_count", "expert_used_count"})
        to.demand(key);
    to.expect("expert_shared_feed_forward_length", 0);
    expectPlainExperts(to, true);
}

void translateGgufGraniteHybrid(GgufTranslator& to)
{
    translateLayerTypes(to, "attention", "mamba");
    translateMamba2Sizes(to);
    translateGgufGraniteScales(to);
    to.config["position_embedding_type"] = to.rotates() ? "rope" : "nope";
    to.config["num_local_experts"] = to.integer("expert_count").value_or(0);
    to.integer("expert_used_count", "num_experts_per_tok");
    if (to.integer("expert_count").value_or(0) > 0)
        to.demand("expert_used_count");
    to.integer("feed_forward_length", "shared_intermediate_size");
    to.integer("expert_shared_feed_forward_length", "shared_intermediate_size");
    expectPlainExperts(to, true);
}

/// Each layer is one of attention, an MLP or experts, and Mamba-2.
void translateGgufNemotronH(GgufTranslator& to)
{
    translateMamba2Sizes(to);
    for (const auto& [bamba, ours] : {std::pair("mamba_n_heads", "mamba_num_heads"),
                                      {"mamba_d_head", "mamba_head_dim"},
                                      {"mamba_d_state", "ssm_state_size"},
                                      {"mamba_proj_bias", "use_bias"}})
        to.config[ours] = to.config[bamba];
    for (const char* key : {"mamba_n_heads", "mamba_d_head", "mamba_d_state", "mamba_proj_bias", "mamba_d_ssm"})
        to.config.erase(key);
    to.config["time_step_min"] = 0.0;                                    // llama.cpp does not bound steps of time
    to.number("attention.layer_norm_rms_epsilon", "layer_norm_epsilon"); // counts where both are there
    const bool sparse = to.architecture() == "nemotron_h_moe";
    if (sparse) {
        translateGgufGroupedExperts(to);
        to.config.erase("first_k_dense_replace");
        to.expect("leading_dense_block_count", 0);
        to.expect("expert_gating_func", 2);
        to.integer("expert_shared_feed_forward_length", "moe_shared_expert_intermediate_size");
        to.integer("moe_latent_size", "moe_latent_size");
        for (const char* key : {"expert_count", "expert_feed_forward_length", "expert_shared_feed_forward_length"})
            to.demand(key);
    }
    const std::vector<bool> attend = layersWith(to, kKeyHeads), forward = layersWith(to, "feed_forward_length");
    const auto layers = to.config.value("num_hidden_layers", std::size_t{0});
    json types = json::array();
    for (std::size_t layer = 0; layer < std::min(layers, attend.size()); ++layer)
        types.push_back(attend[layer] ? "attention" : !forward[layer] ? "mamba" : sparse ? "moe" : "mlp");
    to.config["layers_block_type"] = std::move(types);
}

void translateGgufJamba(GgufTranslator& to)
{
    const std::vector<bool> attend = layersWith(to, kKeyHeads);
    translatePeriod(to, attend, "attn", "attention");
    std::vector<bool> experts;
    for (std::size_t layer = 0; layer < attend.size(); ++layer)
        experts.push_back(to.header().find("blk." + std::to_string(layer) + ".ffn_gate_inp.weight") != nullptr);
    translatePeriod(to, experts, "expert", "experts");
    to.config["num_experts"] = to.integer("expert_count").value_or(1);
    to.integer("expert_used_count", "num_experts_per_tok");
    if (to.integer("expert_count").value_or(1) > 1)
        to.demand("expert_used_count");
    expectPlainExperts(to, false);
    to.demandIntegers({{"ssm.time_step_rank", "mamba_dt_rank"},
                       {"ssm.state_size", "mamba_d_state"},
                       {"ssm.conv_kernel", "mamba_d_conv"}});
    to.config["mamba_conv_bias"] = to.layersHaveTensor("ssm_conv1d.bias");
    const auto inner = to.integer("ssm.inner_size"), width = to.integer("embedding_length");
    to.demand("ssm.inner_size");
    if (!inner || !width || *width < 1)
        return;
    if (*inner % *width != 0)
        to.refuse("ssm.inner_size", "a multiple of the width, " + std::to_string(*width));
    to.config["mamba_expand"] = *inner / *width;
}

} // namespace headscope::io

// SPDX-License-Identifier: GPL-3.0-or-later
// translateGgufDecoder(): the architectures that are built like Llama.
#include "core/io/gguf/gguftranslator.h"

#include <algorithm>
#include <array>

namespace headscope::io {

namespace {

using nlohmann::json;

/// What llama.cpp computes: Qwen3's weights of experts add up to 1, Qwen2's do not. Which layers have experts is what
/// the tensors say.
void translateExperts(GgufTranslator& to)
{
    const auto count = to.integer("expert_count");
    if (count.value_or(0) < 1)
        return;
    to.integer("expert_used_count", "num_experts_per_tok");
    to.demand("expert_used_count");
    for (const char* key : {"expert_gating_func", "expert_group_count", "expert_group_used_count"})
        to.expect(key, 1); // softmax over all experts
    if (to.architecture() == "llama") {
        to.config["model_type"] = "mixtral";
        to.config["num_local_experts"] = *count;
        return;
    }
    const bool third = to.architecture() != "qwen2moe";
    to.config["num_experts"] = *count;
    to.config["norm_topk_prob"] = third;
    to.expect("expert_weights_norm", third ? 1 : 0);
    to.integer("expert_feed_forward_length", "moe_intermediate_size");
    to.integer("expert_shared_feed_forward_length", "shared_expert_intermediate_size");
    to.expect("expert_shared_count", to.architecture() == "qwen3moe" ? 0 : 1);
    json dense = json::array();
    constexpr std::int64_t kMostLayers = 10'000;
    for (std::int64_t layer = 0; layer < std::min(to.integer("block_count").value_or(0), kMostLayers); ++layer)
        if (!to.header().find("blk." + std::to_string(layer) + ".ffn_gate_inp.weight"))
            dense.push_back(layer);
    to.config["mlp_only_layers"] = std::move(dense);
}

/// Excludes the trailing layers for multi-token prediction.
void withoutGuessingLayers(GgufTranslator& to)
{
    if (const auto layers = to.integer("block_count"), ahead = to.integer("nextn_predict_layers"); layers && ahead)
        to.config["num_hidden_layers"] = *layers - std::min(std::max<std::int64_t>(*ahead, 0), *layers);
}

/// 27B models have a rule of their own for the scale of scores, in llama.cpp; the file does not say it.
void translateScoreScale(GgufTranslator& to, std::int64_t layersOf27B)
{
    const std::int64_t heads = std::max<std::int64_t>(to.integer("attention.head_count").value_or(1), 1);
    const std::int64_t width = to.integer("embedding_length").value_or(0) / heads;
    const std::int64_t scalar =
        to.integer("block_count") == layersOf27B ? width : to.integer("attention.key_length").value_or(256);
    to.config["query_pre_attn_scalar"] = scalar;
    to.expect("attention.scale", 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(scalar, 1))));
}

void translateGemma2(GgufTranslator& to)
{
    translateScoreScale(to, 46);
    translateGgufWindows(to, 2);
    to.number("attn_logit_softcapping", "attn_logit_softcapping");
    to.number("final_logit_softcapping", "final_logit_softcapping");
    to.config["hidden_activation"] = "gelu_pytorch_tanh";
}

void translateGemma3(GgufTranslator& to)
{
    translateScoreScale(to, 62);
    translateGgufWindows(to, 6);
    if (to.config.value("sliding_window", json(0)) == 0)
        to.config["sliding_window"] = json(); // as in llama.cpp: full attention without the key
    to.config["rope_local_base_freq"] = ggufShortest(to.number("rope.freq_base_swa").value_or(10000));
    to.number("final_logit_softcapping", "final_logit_softcapping");
}

/// Converts the file's cutoffs, quantiles of a normal distribution, to shares of closed gates.
void translateSparsity(GgufTranslator& to)
{
    const std::string key = "activation_sparsity_scale";
    const auto* cuts = to.header().numbers(to.architecture() + "." + key);
    if (!cuts)
        return;
    to.ignore(key);
    json shares = json::array();
    for (const double cut : *cuts)
        if (std::isnan(cut))
            return to.refuse(key, "numbers");
        else
            shares.push_back(0.5 * std::erfc(-cut / std::sqrt(2.0)));
    to.config["activation_sparsity_pattern"] = std::move(shares);
}

void translateGemma3n(GgufTranslator& to)
{
    translateGgufWindows(to, 5);
    translateSparsity(to);
    to.config["rope_local_base_freq"] = ggufShortest(to.number("rope.freq_base_swa").value_or(10000));
    to.number("final_logit_softcapping", "final_logit_softcapping");
    to.expect("attention.scale", 1);
    to.demandIntegers({{"altup.active_idx", "altup_active_idx"},
                       {"altup.num_inputs", "altup_num_inputs"},
                       {"embedding_length_per_layer_input", "hidden_size_per_layer_input"},
                       {"attention.shared_kv_layers", "num_kv_shared_layers"}});
    for (const auto& [tensor, ours] : {std::pair("blk.0.laurel_l.weight", "laurel_rank"),
                                       {"per_layer_token_embd.weight", "vocab_size_per_layer_input"}})
        if (const GgufTensor* found = to.header().find(tensor); found && !found->shape.empty())
            to.config[ours] = found->shape.front();
}

void translateGptOss(GgufTranslator& to)
{
    translateGgufWindows(to, 2);
    to.integer("expert_feed_forward_length", "intermediate_size");
    to.integer("expert_count", "num_local_experts");
    to.integer("expert_used_count", "num_experts_per_tok");
    for (const char* key : {"expert_count", "expert_used_count", "expert_feed_forward_length"})
        to.demand(key);
    to.expect("expert_gating_func", 3); // softmax over the chosen
    if (json& scaling = to.config["rope_scaling"]; scaling.is_object())
        scaling["truncate"] = false; // as the model is; llama.cpp rounds the limits of YaRN
}

/// Experts chosen by a sigmoid and a bias.
void translateGlm4Moe(GgufTranslator& to)
{
    translateGgufGroupedExperts(to);
    to.expect("expert_gating_func", 2);
    to.config["use_qk_norm"] = to.header().find("blk.0.attn_q_norm.weight") != nullptr;
}

/// Keys and values from a latent of all heads: the file's heads are those of a model that computes with the latent, or
/// in older files those of the model itself.
void translateLatent(GgufTranslator& to)
{
    const std::int64_t rotated = to.integer("rope.dimension_count").value_or(0),
                       rank = to.integer("attention.kv_lora_rank").value_or(0);
    const bool latent = to.integer("attention.key_length_mla").has_value();
    const std::string end = latent ? "_mla" : "";
    const std::int64_t keys = to.integer("attention.key_length" + end).value_or(0);
    to.integer("attention.value_length" + end, "v_head_dim");
    for (const std::string& key : {std::string("rope.dimension_count"), std::string("attention.kv_lora_rank"),
                                   "attention.key_length" + end, "attention.value_length" + end})
        to.demand(key);
    if (rotated < 2 || rotated % 2 != 0 || rotated >= keys) {
        if (to.wasRead("rope.dimension_count"))
            to.refuse("rope.dimension_count", "an even number below the width of a key, " + std::to_string(keys));
        return;
    }
    if (latent) {
        to.expect("attention.key_length", static_cast<double>(rank) + static_cast<double>(rotated));
        to.expect("attention.value_length", static_cast<double>(rank));
    }
    const std::int64_t heads = to.integer("attention.head_count").value_or(0);
    const std::int64_t shared = latent ? 1 : heads;
    if (const auto found = to.integer("attention.head_count_kv"); found && *found != shared)
        to.refuse("attention.head_count_kv", std::to_string(shared));
    to.config["num_key_value_heads"] = heads;
    to.config.erase("head_dim");
    to.config["qk_rope_head_dim"] = rotated;
    to.config["qk_nope_head_dim"] = keys - rotated;
    to.config["kv_lora_rank"] = rank;
    to.config["q_lora_rank"] = json();
    if (to.layersHaveTensor("attn_q_a.weight"))
        to.integer("attention.q_lora_rank", "q_lora_rank");
}

/// DeepSeek-V2, whose experts are chosen by softmax, and V3, whose are chosen by a sigmoid and a bias.
void translateDeepseek2(GgufTranslator& to)
{
    translateLatent(to);
    translateGgufGroupedExperts(to);
    for (const char* key : {"expert_count", "expert_shared_count", "expert_feed_forward_length"})
        to.demand(key);
    const bool third = to.integer("expert_gating_func").value_or(to.layersHaveTensor("exp_probs_b.bias") ? 2 : 1) == 2;
    to.expect("expert_gating_func", third ? 2 : 1);
    if (!third) {
        to.expect("expert_weights_norm", 0);
        if (to.config.value("n_group", std::int64_t{1}) > 1)
            to.config["topk_method"] = "group_limited_greedy";
        else
            to.expect("expert_group_used_count", 1);
    }
    to.config["model_type"] = third ? "deepseek_v3" : "deepseek_v2";
    to.expect("attention.temperature_scale", 0);
}

/// Gated DeltaNet, and every few layers attention; one MLP or experts.
void translateQwen3Next(GgufTranslator& to)
{
    withoutGuessingLayers(to);
    translateExperts(to);
    translateGgufDeltaNet(to);
}

void translateCohere2(GgufTranslator& to)
{
    translateGgufWindows(to, 4);
    to.number("logit_scale", "logit_scale");
}

void translateOlmo2(GgufTranslator& to)
{
    if (!to.integer("attention.sliding_window"))
        return;
    to.config["model_type"] = "olmo3";
    translateGgufWindows(to, 4);
}

void translateStarcoder2(GgufTranslator& to)
{
    to.config["sliding_window"] = json(); // llama.cpp reads none
}

void translateWindowAlone(GgufTranslator& to)
{
    to.integer("attention.sliding_window", "sliding_window");
}

void translateExaone4(GgufTranslator& to)
{
    translateGgufWindows(to, 4);
    constexpr std::int64_t kLayersOfTheLarger = 64; // only this one has windows, as in llama.cpp
    if (!to.config.contains("sliding_window") && to.integer("block_count") != kLayersOfTheLarger)
        to.config["sliding_window"] = json();
}

// Multimodal files store the halves of rotary pairs apart, for positions in three sections, which are equal for text.
void translateGlm4(GgufTranslator& to)
{
    const std::string key = "rope.dimension_sections";
    const auto* parts = to.header().integers(to.architecture() + "." + key);
    if (!parts)
        return;
    to.ignore(key);
    to.config["rope_interleave"] = std::ranges::all_of(*parts, [](std::int64_t part) { return part == 0; });
}

/// Which dimensions of a head rotate; keys from a latent have a part of their own for it.
enum class Rotation { Whole, Partly, Latent };

/// A decoder that our config has under another name, or with keys of its own.
struct Decoder {
    const char *architecture, *modelType;
    void (*translate)(GgufTranslator& to) = nullptr;
    const char* bias = nullptr;      ///< our config's key for biases of attention
    const char* layerNorm = nullptr; ///< our config's key for the eps of LayerNorm; null: its norms are RMSNorms
    Rotation rotation = Rotation::Whole;
    bool mixed = false; ///< layers without heads of keys are of another kind, which translate() says
};

constexpr std::array kDecoders = {
    Decoder{"llama", "llama", translateExperts, "attention_bias"},
    Decoder{"qwen2", "qwen2"},
    Decoder{"qwen3", "qwen3"},
    Decoder{"qwen2moe", "qwen2_moe", translateExperts},
    Decoder{"qwen3moe", "qwen3_moe", translateExperts},
    Decoder{"gemma2", "gemma2", translateGemma2},
    Decoder{"gemma3", "gemma3_text", translateGemma3},
    Decoder{"gemma3n", "gemma3n_text", translateGemma3n, "attention_bias"},
    Decoder{"gpt-oss", "gpt_oss", translateGptOss, "attention_bias"},
    Decoder{"granite", "granite", translateGgufGraniteScales, "attention_bias"},
    Decoder{"granitemoe", "granitemoe", translateGgufGraniteMoe, "attention_bias"},
    Decoder{"smollm3", "smollm3", nullptr, "attention_bias"},
    Decoder{"arcee", "arcee", nullptr, "attention_bias"},
    Decoder{"olmo2", "olmo2", translateOlmo2, "attention_bias"},
    Decoder{"exaone4", "exaone4", translateExaone4},
    Decoder{"seed_oss", "seed_oss", nullptr, "attention_bias"},
    Decoder{"ernie4_5", "ernie4_5", nullptr, "use_bias"},
    Decoder{"cohere2", "cohere2", translateCohere2, "attention_bias", "layer_norm_eps"},
    Decoder{"starcoder2", "starcoder2", translateStarcoder2, "use_bias", "norm_epsilon"},
    Decoder{"phi3", "phi3", translateWindowAlone, nullptr, nullptr, Rotation::Partly},
    Decoder{"glm4", "glm4", translateGlm4, "attention_bias", nullptr, Rotation::Partly},
    Decoder{"glm4moe", "glm4_moe", translateGlm4Moe, "attention_bias", nullptr, Rotation::Partly},
    Decoder{"deepseek2", "deepseek_v2", translateDeepseek2, nullptr, nullptr, Rotation::Latent},
    Decoder{"lfm2", "lfm2", translateGgufLfm2, nullptr, nullptr, Rotation::Whole, true},
    Decoder{"lfm2moe", "lfm2_moe", translateGgufLfm2, nullptr, nullptr, Rotation::Whole, true},
    Decoder{"falcon-h1", "falcon_h1", translateGgufFalconH1, "attention_bias"},
    Decoder{"granitehybrid", "granitemoehybrid", translateGgufGraniteHybrid, "attention_bias", nullptr, Rotation::Whole,
            true},
    Decoder{"nemotron_h", "nemotron_h", translateGgufNemotronH, "attention_bias", "layer_norm_epsilon", Rotation::Whole,
            true},
    Decoder{"nemotron_h_moe", "nemotron_h", translateGgufNemotronH, "attention_bias", "layer_norm_epsilon",
            Rotation::Whole, true},
    Decoder{"qwen3next", "qwen3_next", translateQwen3Next, "attention_bias", nullptr, Rotation::Partly},
    Decoder{"qwen35", "qwen3_5_text", translateQwen3Next, "attention_bias", nullptr, Rotation::Partly},
    Decoder{"qwen35moe", "qwen3_5_moe_text", translateQwen3Next, "attention_bias", nullptr, Rotation::Partly},
    Decoder{"jamba", "jamba", translateGgufJamba, nullptr, nullptr, Rotation::Whole, true},
};

void translateWidths(GgufTranslator& to, bool partly)
{
    const auto width = to.headWidth();
    if (!width)
        return;
    for (const char* key : {"attention.value_length", "attention.key_length_swa", "attention.value_length_swa"})
        to.expect(key, static_cast<double>(*width));
    if (const auto rotating = to.integer("rope.dimension_count"); partly && rotating && *width > 0) {
        if (*rotating < 2 || *rotating % 2 != 0 || *rotating > *width)
            return to.refuse("rope.dimension_count",
                             "an even number up to the width of a head, " + std::to_string(*width));
        to.config["partial_rotary_factor"] = static_cast<double>(*rotating) / static_cast<double>(*width);
    } else if (to.rotates())
        for (const char* key : {"rope.dimension_count", "rope.dimension_count_swa"})
            to.expect(key, static_cast<double>(*width));
    if (!to.wasRead("attention.scale"))
        to.expect("attention.scale", 1 / std::sqrt(static_cast<double>(*width)));
}

} // namespace

void translateGgufWindows(GgufTranslator& to, std::int64_t usual)
{
    to.integer("attention.sliding_window", "sliding_window");
    const std::string key = "attention.sliding_window_pattern";
    const auto* list = to.header().integers(to.architecture() + "." + key);
    const auto every = to.header().integer(to.architecture() + "." + key);
    const std::int64_t layers = to.integer("block_count").value_or(0);
    constexpr std::int64_t kMost = 100'000; // a list of the file may say anything
    if ((!list && !every) || layers < 0 || layers > kMost)
        return;
    to.ignore(key);
    if (every == usual)
        return;
    if (list ? std::ssize(*list) != layers : *every < 0)
        return to.refuse(key, "a number, or a list with an entry for each layer");
    json types = json::array();
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        const bool window =
            list ? (*list)[static_cast<std::size_t>(layer)] != 0 : *every == 0 || layer % *every < *every - 1;
        types.push_back(window ? "sliding_attention" : "full_attention");
    }
    to.config["layer_types"] = std::move(types);
}

void translateGgufGroupedExperts(GgufTranslator& to)
{
    for (const char* key : {"n_group", "topk_group"})
        to.config[key] = 1;
    to.config["first_k_dense_replace"] = 0;
    for (const auto& [theirs, ours] : {std::pair("expert_count", "n_routed_experts"),
                                       {"expert_used_count", "num_experts_per_tok"},
                                       {"expert_shared_count", "n_shared_experts"},
                                       {"expert_feed_forward_length", "moe_intermediate_size"},
                                       {"expert_group_count", "n_group"},
                                       {"expert_group_used_count", "topk_group"},
                                       {"leading_dense_block_count", "first_k_dense_replace"}})
        to.integer(theirs, ours);
    to.demand("expert_used_count");
    to.config["routed_scaling_factor"] = 1.0;
    if (to.number("expert_weights_scale").value_or(0) != 0) // 0 is llama.cpp's for none
        to.number("expert_weights_scale", "routed_scaling_factor");
    to.config["norm_topk_prob"] = to.number("expert_weights_norm").value_or(0) != 0;
    withoutGuessingLayers(to);
}

Result<void> translateGgufDecoder(GgufTranslator& to, const GgufFile& file)
{
    const auto found = std::ranges::find(kDecoders, to.architecture(), &Decoder::architecture);
    if (found == kDecoders.end())
        return inputError("its architecture is not known");
    const Decoder& decoder = *found;
    to.config["model_type"] = decoder.modelType;
    to.mixed = decoder.mixed;
    to.integer("embedding_length", "hidden_size");
    to.integer("feed_forward_length", "intermediate_size");
    to.integer("block_count", "num_hidden_layers");
    to.integer("attention.head_count", "num_attention_heads");
    to.config["num_key_value_heads"] = to.config.value("num_attention_heads", json());
    if (decoder.rotation != Rotation::Latent)
        to.integer("attention.head_count_kv", "num_key_value_heads");
    if (to.config["num_key_value_heads"] == 0) // where no layer attends
        to.config["num_key_value_heads"] = to.config["num_attention_heads"];
    to.integer("attention.key_length", "head_dim");
    to.integer("context_length", "max_position_embeddings");
    const char* eps = decoder.layerNorm ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon";
    to.number(eps, decoder.layerNorm ? decoder.layerNorm : "rms_norm_eps");
    to.demand(eps);
    const Result<void> rotated = to.rotates() ? translateGgufRotation(to, file) : Result<void>();
    if (!to.rotates())
        for (const char* key : {"rope.freq_base", "rope.dimension_count"})
            to.ignore(key);
    if (decoder.translate)
        decoder.translate(to);
    const auto hasBias = [&](std::initializer_list<const char*> maps) {
        return std::any_of(maps.begin(), maps.end(),
                           [&](const char* map) { return to.layersHaveTensor(std::string(map) + ".bias"); });
    };
    if (decoder.bias && to.config["model_type"] != "mixtral") {
        const bool apart = to.architecture() == "seed_oss", out = hasBias({"attn_output"});
        to.config[decoder.bias] = hasBias({"attn_q", "attn_k", "attn_v"}) || (!apart && out);
        if (apart)
            to.config["attention_out_bias"] = out;
        if (hasBias({"ffn_gate", "ffn_up", "ffn_down"}) && std::string_view(decoder.bias) == "attention_bias")
            to.config["mlp_bias"] = true;
    }
    if (decoder.rotation != Rotation::Latent)
        translateWidths(to, decoder.rotation == Rotation::Partly);
    return rotated;
}

} // namespace headscope::io

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/gguf/ggufnames.h"

#include <algorithm>
#include <array>
#include <span>

namespace headscope::io {

namespace {

using Change = GgufChange;

/// One name, without "blk.N." and without ".weight" or ".bias" where `suffix`, which stays.
struct Name {
    std::string_view theirs, ours;
    Change change = Change::None;
    Change biasChange = Change::None;
    GgufValueHeads valueHeads = GgufValueHeads::None;
};

/// What the names of an architecture are, outside and inside of its layers; those of `own` in place of `inside`.
struct Table {
    std::string_view architecture, layerPrefix;
    std::span<const Name> outside, inside, own;
};

template <std::size_t A, std::size_t B>
constexpr std::array<Name, A + B> joined(const std::array<Name, A>& first, const std::array<Name, B>& second)
{
    std::array<Name, A + B> all;
    std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), all.begin()));
    return all;
}

constexpr std::array kOutside = {Name{"token_embd", "model.embed_tokens"}, Name{"output_norm", "model.norm"},
                                 Name{"output", "lm_head"}};

/// What most decoders have.
constexpr std::array kDecoder = {
    Name{"ffn_gate_inp", "mlp.gate"},
    Name{"ffn_gate_exps", "mlp.experts.*.gate_proj"},
    Name{"ffn_up_exps", "mlp.experts.*.up_proj"},
    Name{"ffn_down_exps", "mlp.experts.*.down_proj"},
    Name{"ffn_gate_inp_shexp", "mlp.shared_expert_gate", Change::OneRow},
    Name{"ffn_gate_shexp", "mlp.shared_expert.gate_proj"},
    Name{"ffn_up_shexp", "mlp.shared_expert.up_proj"},
    Name{"ffn_down_shexp", "mlp.shared_expert.down_proj"},
    Name{"attn_norm", "input_layernorm"},
    Name{"attn_q", "self_attn.q_proj"},
    Name{"attn_k", "self_attn.k_proj"},
    Name{"attn_v", "self_attn.v_proj"},
    Name{"attn_output", "self_attn.o_proj"},
    Name{"attn_q_norm", "self_attn.q_norm"},
    Name{"attn_k_norm", "self_attn.k_norm"},
    Name{"ffn_norm", "post_attention_layernorm"},
    Name{"ffn_gate", "mlp.gate_proj"},
    Name{"ffn_up", "mlp.up_proj"},
    Name{"ffn_down", "mlp.down_proj"},
};

constexpr std::array kTurned = {Name{"attn_q", "self_attn.q_proj", Change::RotaryRows, Change::RotaryRows},
                                Name{"attn_k", "self_attn.k_proj", Change::RotaryRows, Change::RotaryRows}};
// Mixtral is a llama with experts.
constexpr std::array kLlama = {kTurned[0],
                               kTurned[1],
                               Name{"ffn_gate_inp", "block_sparse_moe.gate"},
                               Name{"ffn_gate_exps", "block_sparse_moe.experts.*.w1"},
                               Name{"ffn_up_exps", "block_sparse_moe.experts.*.w3"},
                               Name{"ffn_down_exps", "block_sparse_moe.experts.*.w2"}};
constexpr std::array kLaterNorms = {Name{"post_attention_norm", "post_attention_layernorm"},
                                    Name{"post_ffw_norm", "post_feedforward_layernorm"}};
constexpr std::array kGptOss = {kLaterNorms[0], Name{"attn_sinks", "self_attn.sinks", Change::NoSuffix},
                                Name{"ffn_gate_inp", "mlp.router"}};
constexpr std::array kGlm4 = {Name{"ffn_up", "mlp.gate_up_proj"}, Name{"post_ffw_norm", "post_mlp_layernorm"},
                              Name{"post_attention_norm", "post_self_attn_layernorm"}};
constexpr std::array kGlm4Moe = {
    kLaterNorms[0], Name{"exp_probs_b", "mlp.gate.e_score_correction_bias", {}, Change::NoSuffix},
    Name{"ffn_gate_shexp", "mlp.shared_experts.gate_proj"}, Name{"ffn_up_shexp", "mlp.shared_experts.up_proj"},
    Name{"ffn_down_shexp", "mlp.shared_experts.down_proj"}};
constexpr std::array kDeepseek2 = joined(
    kGlm4Moe, std::array{Name{"attn_q_a", "self_attn.q_a_proj"}, Name{"attn_q_a_norm", "self_attn.q_a_layernorm"},
                         Name{"attn_q_b", "self_attn.q_b_proj"}, Name{"attn_kv_a_mqa", "self_attn.kv_a_proj_with_mqa"},
                         Name{"attn_kv_a_norm", "self_attn.kv_a_layernorm"}, Name{"attn_kv_b", "self_attn.kv_b_proj"},
                         Name{"attn_k_b", "self_attn.k_b_proj"}, Name{"attn_v_b", "self_attn.v_b_proj"}});
constexpr std::array kPhi3 = {Name{"attn_qkv", "self_attn.qkv_proj"}, Name{"ffn_up", "mlp.gate_up_proj"}};
constexpr std::array kStarcoder2 = {Name{"ffn_up", "mlp.c_fc"}, Name{"ffn_down", "mlp.c_proj"}};

constexpr std::array kGemmaOutside = {Name{"token_embd", "model.embed_tokens"},
                                      Name{"output_norm", "model.norm", Change::OneAdded}, Name{"output", "lm_head"}};
constexpr std::array kGemma = {Name{"attn_norm", "input_layernorm", Change::OneAdded},
                               Name{"post_attention_norm", "post_attention_layernorm", Change::OneAdded},
                               Name{"ffn_norm", "pre_feedforward_layernorm", Change::OneAdded},
                               Name{"post_ffw_norm", "post_feedforward_layernorm", Change::OneAdded},
                               Name{"attn_q_norm", "self_attn.q_norm", Change::OneAdded},
                               Name{"attn_k_norm", "self_attn.k_norm", Change::OneAdded}};

constexpr std::array kGemma3nOutside =
    joined(kOutside, std::array{Name{"per_layer_token_embd", "model.embed_tokens_per_layer"},
                                Name{"per_layer_model_proj", "model.per_layer_model_projection"},
                                Name{"per_layer_proj_norm", "model.per_layer_projection_norm"},
                                Name{"altup_proj", "model.altup_projections.*"},
                                Name{"altup_unembd_proj", "model.altup_unembed_projections.*"}});
constexpr std::array kGemma3n = joined(
    kLaterNorms,
    std::array{Name{"ffn_norm", "pre_feedforward_layernorm"}, Name{"inp_gate", "per_layer_input_gate"},
               Name{"proj", "per_layer_projection"}, Name{"post_norm", "post_per_layer_input_norm"},
               Name{"altup_correct_coef", "altup.correction_coefs"},
               Name{"altup_correct_scale", "altup.correct_output_scale", Change::NoSuffix},
               Name{"altup_predict_coef", "altup.prediction_coefs"}, Name{"altup_router", "altup.modality_router"},
               Name{"altup_router_norm", "altup.router_norm"}, Name{"laurel_l", "laurel.linear_left"},
               Name{"laurel_r", "laurel.linear_right"}, Name{"laurel_post_norm", "laurel.post_laurel_norm"}});

// The maps of all experts are one tensor in the original, too.
constexpr std::array kGemma4 = joined(
    std::array{kGemma3n[0], kGemma3n[1], kGemma3n[2], kGemma3n[3], kGemma3n[4], kGemma3n[5]},
    std::array{Name{"layer_output_scale", "layer_scalar", Change::NoSuffix}, Name{"ffn_gate_inp", "router.proj"},
               Name{"ffn_gate_inp.scale", "router.scale"}, Name{"ffn_down_exps.scale", "router.per_expert_scale"},
               Name{"ffn_gate_up_exps", "experts.gate_up_proj", Change::NoSuffix},
               Name{"ffn_down_exps", "experts.down_proj", Change::NoSuffix},
               Name{"post_ffw_norm_1", "post_feedforward_layernorm_1"},
               Name{"pre_ffw_norm_2", "pre_feedforward_layernorm_2"},
               Name{"post_ffw_norm_2", "post_feedforward_layernorm_2"}});

constexpr std::array kGpt2Outside = {Name{"token_embd", "wte"}, Name{"position_embd", "wpe"},
                                     Name{"output_norm", "ln_f"}, Name{"output", "lm_head"}};
constexpr std::array kGpt2 = {
    Name{"attn_norm", "ln_1"},
    Name{"attn_qkv", "attn.c_attn", Change::Transposed},
    Name{"attn_output", "attn.c_proj", Change::Transposed},
    Name{"ffn_norm", "ln_2"},
    Name{"ffn_up", "mlp.c_fc", Change::Transposed},
    Name{"ffn_down", "mlp.c_proj", Change::Transposed},
};

constexpr std::array kMambaOutside = {Name{"token_embd", "backbone.embeddings"}, Name{"output_norm", "backbone.norm_f"},
                                      Name{"output", "lm_head"}};
constexpr std::array kMamba = {
    Name{"attn_norm", "norm"},
    Name{"ssm_in", "mixer.in_proj"},
    Name{"ssm_conv1d", "mixer.conv1d", Change::MiddleOne},
    Name{"ssm_x", "mixer.x_proj"},
    Name{"ssm_dt", "mixer.dt_proj"},
    Name{"ssm_a", "mixer.A_log", Change::MinusExp},
    Name{"ssm_d", "mixer.D"},
    Name{"ssm_out", "mixer.out_proj"},
};

constexpr std::array kMamba2 = {
    Name{"attn_norm", "norm"},
    Name{"ssm_in", "mixer.in_proj"},
    Name{"ssm_conv1d", "mixer.conv1d", Change::MiddleOne},
    Name{"ssm_dt", "mixer.dt_bias", {}, Change::NoSuffix},
    Name{"ssm_a", "mixer.A_log", Change::MinusExp},
    Name{"ssm_d", "mixer.D", Change::OneDimension},
    Name{"ssm_norm", "mixer.norm", Change::OneDimension},
    Name{"ssm_out", "mixer.out_proj"},
};

constexpr std::array kLfm2Outside = {kOutside[0], Name{"token_embd_norm", "model.embedding_norm"}, kOutside[2]};
constexpr std::array kLfm2 = {
    Name{"attn_norm", "operator_norm"},
    Name{"attn_q", "self_attn.q_proj"},
    Name{"attn_k", "self_attn.k_proj"},
    Name{"attn_v", "self_attn.v_proj"},
    Name{"attn_output", "self_attn.out_proj"},
    Name{"attn_q_norm", "self_attn.q_layernorm"},
    Name{"attn_k_norm", "self_attn.k_layernorm"},
    Name{"shortconv.conv", "conv.conv", Change::MiddleOne},
    Name{"shortconv.in_proj", "conv.in_proj"},
    Name{"shortconv.out_proj", "conv.out_proj"},
    Name{"ffn_norm", "ffn_norm"},
    Name{"ffn_gate", "feed_forward.w1"},
    Name{"ffn_up", "feed_forward.w3"},
    Name{"ffn_down", "feed_forward.w2"},
    Name{"ffn_gate_inp", "feed_forward.gate"},
    Name{"exp_probs_b", "feed_forward.expert_bias", {}, Change::NoSuffix},
    Name{"ffn_gate_exps", "feed_forward.experts.*.w1"},
    Name{"ffn_up_exps", "feed_forward.experts.*.w3"},
    Name{"ffn_down_exps", "feed_forward.experts.*.w2"},
};

constexpr std::array kFinalOutside = {kOutside[0], Name{"output_norm", "model.final_layernorm"}, kOutside[2]};
constexpr std::array kMamba2Part = {
    Name{"ssm_in", "mamba.in_proj"},
    Name{"ssm_conv1d", "mamba.conv1d", Change::MiddleOne},
    Name{"ssm_dt", "mamba.dt_bias", {}, Change::NoSuffix},
    Name{"ssm_a", "mamba.A_log", Change::MinusExp},
    Name{"ssm_d", "mamba.D", Change::OneDimension},
    Name{"ssm_norm", "mamba.norm", Change::OneDimension},
    Name{"ssm_out", "mamba.out_proj"},
};
constexpr std::array kFalconH1 =
    joined(kMamba2Part, std::array{Name{"ffn_norm", "pre_ff_layernorm.weight", Change::NoSuffix}, // the file's has none
                                   Name{"ffn_gate", "feed_forward.gate_proj"}, Name{"ffn_up", "feed_forward.up_proj"},
                                   Name{"ffn_down", "feed_forward.down_proj"}});
constexpr std::array kGraniteMoe = {kTurned[0],
                                    kTurned[1],
                                    Name{"ffn_gate_inp", "block_sparse_moe.router.layer"},
                                    Name{"ffn_gate_exps", "block_sparse_moe.experts.*.gate_proj"},
                                    Name{"ffn_up_exps", "block_sparse_moe.experts.*.up_proj"},
                                    Name{"ffn_down_exps", "block_sparse_moe.experts.*.down_proj"}};
constexpr std::array kGraniteHybrid =
    joined(joined(kGraniteMoe, kMamba2Part),
           std::array{Name{"ffn_gate_shexp", "shared_mlp.gate_proj"}, Name{"ffn_up_shexp", "shared_mlp.up_proj"},
                      Name{"ffn_down_shexp", "shared_mlp.output_linear"}, Name{"ffn_gate", "shared_mlp.gate_proj"},
                      Name{"ffn_up", "shared_mlp.up_proj"}, Name{"ffn_down", "shared_mlp.output_linear"}});
constexpr std::array kJamba = {
    Name{"ffn_norm", "pre_ff_layernorm"},
    Name{"ffn_gate", "feed_forward.gate_proj"},
    Name{"ffn_up", "feed_forward.up_proj"},
    Name{"ffn_down", "feed_forward.down_proj"},
    Name{"ffn_gate_inp", "feed_forward.router"},
    Name{"ffn_gate_exps", "feed_forward.experts.*.gate_proj"},
    Name{"ffn_up_exps", "feed_forward.experts.*.up_proj"},
    Name{"ffn_down_exps", "feed_forward.experts.*.down_proj"},
    Name{"ssm_in", "mamba.in_proj"},
    Name{"ssm_conv1d", "mamba.conv1d", Change::MiddleOne},
    Name{"ssm_x", "mamba.x_proj"},
    Name{"ssm_dt", "mamba.dt_proj"},
    Name{"ssm_dt_norm", "mamba.dt_layernorm"},
    Name{"ssm_b_norm", "mamba.b_layernorm"},
    Name{"ssm_c_norm", "mamba.c_layernorm"},
    Name{"ssm_a", "mamba.A_log", Change::MinusExp},
    Name{"ssm_d", "mamba.D"},
    Name{"ssm_out", "mamba.out_proj"},
};

constexpr std::array kQwen3Next = joined(
    std::array{kGemma[0], kGemma[1], kGemma[4], kGemma[5]},
    std::array{Name{"ssm_in", "linear_attn.in_proj_qkvz"}, // older files
               Name{"attn_qkv", "linear_attn.in_proj_qkv"}, Name{"attn_gate", "linear_attn.in_proj_z"},
               Name{"ssm_ba", "linear_attn.in_proj_ba"}, Name{"ssm_conv1d", "linear_attn.conv1d", Change::MiddleOne},
               Name{"ssm_dt", "linear_attn.dt_bias", {}, Change::NoSuffix},
               Name{"ssm_a", "linear_attn.A_log", Change::MinusExp}, Name{"ssm_norm", "linear_attn.norm"},
               Name{"ssm_out", "linear_attn.out_proj"}});
constexpr auto kValueRows = GgufValueHeads::Rows;
constexpr std::array kQwen35 =
    joined(std::array{kGemma[0], kGemma[1], kGemma[4], kGemma[5]},
           std::array{Name{"attn_qkv", "linear_attn.in_proj_qkv", {}, {}, kValueRows},
                      Name{"attn_gate", "linear_attn.in_proj_z", {}, {}, kValueRows},
                      Name{"ssm_beta", "linear_attn.in_proj_b", {}, {}, kValueRows},
                      Name{"ssm_alpha", "linear_attn.in_proj_a", {}, {}, kValueRows},
                      Name{"ssm_conv1d", "linear_attn.conv1d", Change::MiddleOne, {}, kValueRows},
                      Name{"ssm_dt", "linear_attn.dt_bias", {}, Change::NoSuffix, kValueRows},
                      Name{"ssm_a", "linear_attn.A_log", Change::MinusExp, {}, kValueRows},
                      Name{"ssm_norm", "linear_attn.norm"},
                      Name{"ssm_out", "linear_attn.out_proj", {}, {}, GgufValueHeads::Columns}});

constexpr std::array kNemotronH = {
    Name{"attn_q", "mixer.q_proj", Change::RotaryRows, Change::RotaryRows}, // turned, though nothing rotates
    Name{"attn_k", "mixer.k_proj", Change::RotaryRows, Change::RotaryRows},
    Name{"attn_v", "mixer.v_proj"},
    Name{"attn_output", "mixer.o_proj"},
    Name{"ffn_up", "mixer.up_proj"},
    Name{"ffn_down", "mixer.down_proj"},
    Name{"ffn_gate_inp", "mixer.gate"},
    Name{"exp_probs_b", "mixer.gate.e_score_correction_bias", {}, Change::NoSuffix},
    Name{"ffn_up_exps", "mixer.experts.*.up_proj"},
    Name{"ffn_down_exps", "mixer.experts.*.down_proj"},
    Name{"ffn_up_shexp", "mixer.shared_experts.up_proj"},
    Name{"ffn_down_shexp", "mixer.shared_experts.down_proj"},
    Name{"ffn_latent_down", "mixer.fc1_latent_proj"},
    Name{"ffn_latent_up", "mixer.fc2_latent_proj"},
};

constexpr std::string_view kLayers = "model.layers.";
constexpr std::array kTables = {
    Table{"llama", kLayers, kOutside, kDecoder, kLlama},
    Table{"qwen2", kLayers, kOutside, kDecoder, {}},
    Table{"qwen3", kLayers, kOutside, kDecoder, {}},
    Table{"qwen2moe", kLayers, kOutside, kDecoder, {}},
    Table{"qwen3moe", kLayers, kOutside, kDecoder, {}},
    Table{"gemma2", kLayers, kGemmaOutside, kDecoder, kGemma},
    Table{"gemma3", kLayers, kGemmaOutside, kDecoder, kGemma},
    Table{"gemma3n", kLayers, kGemma3nOutside, kDecoder, kGemma3n},
    Table{"gemma4", kLayers, kGemma3nOutside, kDecoder, kGemma4},
    Table{"gpt-oss", kLayers, kOutside, kDecoder, kGptOss},
    Table{"granite", kLayers, kOutside, kDecoder, kTurned},
    Table{"smollm3", kLayers, kOutside, kDecoder, kTurned},
    Table{"arcee", kLayers, kOutside, kDecoder, kTurned},
    Table{"olmo2", kLayers, kOutside, kDecoder, kLaterNorms},
    Table{"exaone4", kLayers, kOutside, kDecoder, kLaterNorms},
    Table{"seed_oss", kLayers, kOutside, kDecoder, kLaterNorms},
    Table{"ernie4_5", kLayers, kOutside, kDecoder, {}},
    Table{"cohere2", kLayers, kOutside, kDecoder, {}},
    Table{"starcoder2", kLayers, kOutside, kDecoder, kStarcoder2},
    Table{"phi3", kLayers, kOutside, kDecoder, kPhi3},
    Table{"glm4", kLayers, kOutside, kDecoder, kGlm4},
    Table{"glm4moe", kLayers, kOutside, kDecoder, kGlm4Moe},
    Table{"deepseek2", kLayers, kOutside, kDecoder, kDeepseek2},
    Table{"lfm2", kLayers, kLfm2Outside, kLfm2, {}},
    Table{"lfm2moe", kLayers, kLfm2Outside, kLfm2, {}},
    Table{"falcon-h1", kLayers, kFinalOutside, kDecoder, kFalconH1},
    Table{"granitemoe", kLayers, kOutside, kDecoder, kGraniteMoe},
    Table{"granitehybrid", kLayers, kOutside, kDecoder, kGraniteHybrid},
    Table{"jamba", kLayers, kFinalOutside, kDecoder, kJamba},
    Table{"qwen3next", kLayers, kGemmaOutside, kDecoder, kQwen3Next},
    Table{"qwen35", kLayers, kGemmaOutside, kDecoder, kQwen35},
    Table{"qwen35moe", kLayers, kGemmaOutside, kDecoder, kQwen35},
    Table{"nemotron_h", "backbone.layers.", kMambaOutside, kMamba2, kNemotronH},
    Table{"nemotron_h_moe", "backbone.layers.", kMambaOutside, kMamba2, kNemotronH},
    Table{"gpt2", "h.", kGpt2Outside, kGpt2, {}},
    Table{"mamba", "backbone.layers.", kMambaOutside, kMamba, {}},
    Table{"mamba2", "backbone.layers.", kMambaOutside, kMamba2, {}},
};

const Name* findName(std::span<const Name> names, std::string_view theirs)
{
    const auto found = std::ranges::find(names, theirs, &Name::theirs);
    return found == names.end() ? nullptr : &*found;
}

} // namespace

std::vector<std::string> ggufArchitectures()
{
    std::vector<std::string> names;
    for (const Table& table : kTables)
        names.emplace_back(table.architecture);
    return names;
}

std::optional<GgufOriginal> ggufOriginal(std::string_view architecture, std::string_view tensor)
{
    const auto table = std::find_if(kTables.begin(), kTables.end(),
                                    [&](const Table& one) { return one.architecture == architecture; });
    if (table == kTables.end())
        return {};
    std::string prefix;
    std::span<const Name> names = table->outside, own;
    if (tensor.starts_with("blk.")) {
        tensor.remove_prefix(4);
        const std::size_t dot = tensor.find('.');
        if (dot == 0 || dot > 6 || tensor.substr(0, dot).find_first_not_of("0123456789") != std::string_view::npos)
            return {};
        prefix = std::string(table->layerPrefix) + std::string(tensor.substr(0, dot)) + ".";
        tensor.remove_prefix(dot + 1);
        names = table->inside;
        own = table->own;
    }
    const std::string suffix(tensor.ends_with(".weight") ? ".weight" : tensor.ends_with(".bias") ? ".bias" : "");
    tensor.remove_suffix(suffix.size());
    const Name* name = findName(own, tensor);
    name = name ? name : findName(names, tensor);
    if (!name)
        return {};
    const Change change = suffix == ".bias" ? name->biasChange : name->change;
    return GgufOriginal{prefix + std::string(name->ours) + (change == Change::NoSuffix ? "" : suffix), change,
                        name->valueHeads};
}

} // namespace headscope::io

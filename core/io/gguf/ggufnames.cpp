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
};

/// What the names of an architecture are, outside and inside of its layers.
struct Table {
    std::string_view architecture, layerPrefix;
    std::span<const Name> outside, inside;
};

constexpr std::array kDecoder = {Name{"token_embd", "model.embed_tokens"}, Name{"output_norm", "model.norm"},
                                 Name{"output", "lm_head"}};

// Mixtral is a llama with experts.
constexpr std::array kLlama = {
    Name{"ffn_gate_inp", "block_sparse_moe.gate"},
    Name{"ffn_gate_exps", "block_sparse_moe.experts.*.w1"},
    Name{"ffn_up_exps", "block_sparse_moe.experts.*.w3"},
    Name{"ffn_down_exps", "block_sparse_moe.experts.*.w2"},
    Name{"attn_norm", "input_layernorm"},
    Name{"attn_q", "self_attn.q_proj", Change::RotaryRows, Change::RotaryRows},
    Name{"attn_k", "self_attn.k_proj", Change::RotaryRows, Change::RotaryRows},
    Name{"attn_v", "self_attn.v_proj"},
    Name{"attn_output", "self_attn.o_proj"},
    Name{"ffn_norm", "post_attention_layernorm"},
    Name{"ffn_gate", "mlp.gate_proj"},
    Name{"ffn_up", "mlp.up_proj"},
    Name{"ffn_down", "mlp.down_proj"},
};

constexpr std::array kQwen = {
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

constexpr std::array kGemmaOutside = {Name{"token_embd", "model.embed_tokens"},
                                      Name{"output_norm", "model.norm", Change::OneAdded}, Name{"output", "lm_head"}};
constexpr std::array kGemma2 = {
    Name{"attn_norm", "input_layernorm", Change::OneAdded},
    Name{"attn_q", "self_attn.q_proj"},
    Name{"attn_k", "self_attn.k_proj"},
    Name{"attn_v", "self_attn.v_proj"},
    Name{"attn_output", "self_attn.o_proj"},
    Name{"post_attention_norm", "post_attention_layernorm", Change::OneAdded},
    Name{"ffn_norm", "pre_feedforward_layernorm", Change::OneAdded},
    Name{"post_ffw_norm", "post_feedforward_layernorm", Change::OneAdded},
    Name{"ffn_gate", "mlp.gate_proj"},
    Name{"ffn_up", "mlp.up_proj"},
    Name{"ffn_down", "mlp.down_proj"},
};

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
    Name{"ssm_dt", "mixer.dt"},
    Name{"ssm_a", "mixer.A_log", Change::MinusExp},
    Name{"ssm_d", "mixer.D", Change::OneDimension},
    Name{"ssm_norm", "mixer.norm", Change::OneDimension},
    Name{"ssm_out", "mixer.out_proj"},
};

constexpr std::array kTables = {
    Table{"llama", "model.layers.", kDecoder, kLlama},
    Table{"qwen2", "model.layers.", kDecoder, kQwen},
    Table{"qwen3", "model.layers.", kDecoder, kQwen},
    Table{"qwen2moe", "model.layers.", kDecoder, kQwen},
    Table{"qwen3moe", "model.layers.", kDecoder, kQwen},
    Table{"gemma2", "model.layers.", kGemmaOutside, kGemma2},
    Table{"gpt2", "h.", kGpt2Outside, kGpt2},
    Table{"mamba", "backbone.layers.", kMambaOutside, kMamba},
    Table{"mamba2", "backbone.layers.", kMambaOutside, kMamba2},
};

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
    std::span<const Name> names = table->outside;
    if (tensor.starts_with("blk.")) {
        tensor.remove_prefix(4);
        const std::size_t dot = tensor.find('.');
        if (dot == 0 || dot > 6 || tensor.substr(0, dot).find_first_not_of("0123456789") != std::string_view::npos)
            return {};
        prefix = std::string(table->layerPrefix) + std::string(tensor.substr(0, dot)) + ".";
        tensor.remove_prefix(dot + 1);
        names = table->inside;
    }
    const std::size_t dot = tensor.find('.');
    const std::string suffix(dot == std::string_view::npos ? "" : tensor.substr(dot));
    const auto name =
        std::find_if(names.begin(), names.end(), [&](const Name& one) { return one.theirs == tensor.substr(0, dot); });
    if (name == names.end() || (!suffix.empty() && suffix != ".weight" && suffix != ".bias"))
        return {};
    if (name->ours == "mixer.dt" && suffix == ".bias") // Mamba-2 has nothing else of dt
        return GgufOriginal{prefix + "mixer.dt_bias"};
    return GgufOriginal{prefix + std::string(name->ours) + suffix, suffix == ".bias" ? name->biasChange : name->change};
}

} // namespace headscope::io

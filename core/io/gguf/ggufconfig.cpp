// SPDX-License-Identifier: GPL-3.0-or-later
// ggufConfig(): metadata as the keys of config.json that the families of core/lm read.
#include "core/io/gguf/gguftranslator.h"

#include <array>

namespace headscope::io {

namespace {

using nlohmann::json;

/// A key of an architecture that says nothing new with this value (or the other), and asks for what is not computed
/// here with any other.
struct Neutral {
    const char* key;
    double value, other;
};
constexpr std::array kNeutral = {
    Neutral{"attention.causal", 1, 1},
    Neutral{"attention.clamp_kqv", 0, 0},
    Neutral{"attention.max_alibi_bias", 0, 0},
    Neutral{"attention.output_scale", 0, 1},
    Neutral{"attention.value_scale", 0, 1},
    Neutral{"attn_logit_softcapping", 0, 0},
    Neutral{"final_logit_softcapping", 0, 0},
    Neutral{"logit_scale", 0, 1},
    Neutral{"residual_scale", 0, 1},
    Neutral{"embedding_scale", 0, 1},
    Neutral{"expert_weights_scale", 0, 1},
    Neutral{"use_parallel_residual", 0, 0},
    Neutral{"expert_count", 0, 0},
    Neutral{"nextn_predict_layers", 0, 0},
    Neutral{"rope.scaling.yarn_ext_factor", 1, 1},
};

/// Keys of an architecture that change nothing: the sizes of the tensors are what is used, and a note.
constexpr std::array kHarmless = {"vocab_size", "rope.scaling.finetuned", "tensor_data_layout"};

void translateGpt2(GgufTranslator& to)
{
    to.integer("embedding_length", "n_embd");
    to.integer("feed_forward_length", "n_inner");
    to.integer("block_count", "n_layer");
    to.integer("attention.head_count", "n_head");
    to.integer("context_length", "n_positions");
    to.number("attention.layer_norm_epsilon", "layer_norm_epsilon");
    to.demand("attention.layer_norm_epsilon");
    if (const auto heads = to.integer("attention.head_count"), width = to.integer("embedding_length");
        heads && width && *heads > 0) {
        to.expect("attention.head_count_kv", static_cast<double>(*heads));
        for (const char* key : {"attention.key_length", "attention.value_length"})
            to.expect(key, static_cast<double>(*width / *heads));
    }
}

void translateMamba(GgufTranslator& to)
{
    to.integer("embedding_length", "hidden_size");
    to.integer("block_count", "num_hidden_layers");
    to.integer("ssm.inner_size", "intermediate_size");
    to.integer("ssm.state_size", "state_size");
    to.integer("ssm.conv_kernel", "conv_kernel");
    for (const char* key : {"ssm.inner_size", "ssm.state_size", "ssm.conv_kernel", "embedding_length"})
        to.demand(key);
    to.number("attention.layer_norm_rms_epsilon", "layer_norm_epsilon");
    to.demand("attention.layer_norm_rms_epsilon");
    to.ignore("context_length"); // a state has no length
    for (const char* key : {"feed_forward_length", "attention.head_count"})
        to.expect(key, 0); // as the converter writes them
    if (to.architecture() == "mamba") {
        to.integer("ssm.time_step_rank", "time_step_rank");
        if (to.number("ssm.dt_b_c_rms").value_or(0) != 0)
            to.config["model_type"] = "falcon_mamba";
        return;
    }
    to.config.erase("intermediate_size"); // Mamba-2 has 'expand' in its place
    to.integer("ssm.time_step_rank", "num_heads");
    to.integer("ssm.group_count", "n_groups");
    to.demand("ssm.group_count");
    const std::int64_t inner = to.integer("ssm.inner_size").value_or(0),
                       hidden = to.integer("embedding_length").value_or(0),
                       heads = to.integer("ssm.time_step_rank").value_or(0);
    if (heads > 0 && hidden > 0) {
        to.config["head_dim"] = inner / heads;
        to.config["expand"] = static_cast<double>(inner) / static_cast<double>(hidden);
    }
}

} // namespace

Result<GgufConfig> ggufConfig(const GgufFile& file)
{
    const GgufHeader& header = file.header();
    GgufTranslator to(header);
    const std::string architecture = to.architecture();
    to.config["model_type"] = architecture;
    Result<void> done;
    if (architecture == "gpt2")
        translateGpt2(to);
    else if (architecture.starts_with("mamba"))
        translateMamba(to);
    else
        done = architecture == "gemma4" ? translateGgufGemma4(to, file) : translateGgufDecoder(to, file);
    if (!done.has_value())
        return file.refused(done.error());
    for (const char* key : kHarmless)
        to.ignore(key);
    for (const auto& [key, value, other] : kNeutral) // of those that the architecture has no use for
        if (!to.wasRead(key))
            if (const auto found = to.number(key); found && *found != value && *found != other)
                to.refuse(key, std::string_view(key) == "attention.causal" ? "true" : ggufDigits(value));
    if (to.problem())
        return file.refused(*to.problem());
    // What the tensors say is true; the metadata can be of the model before its vocabulary was padded.
    if (const GgufTensor* table = header.find("token_embd.weight"); table && table->shape.size() == 2)
        to.config["vocab_size"] = table->shape[0];
    to.config["tie_word_embeddings"] = header.find("output.weight") == nullptr;
    for (const auto& [theirs, ours] : {std::pair("tokenizer.ggml.bos_token_id", "bos_token_id"),
                                       std::pair("tokenizer.ggml.eos_token_id", "eos_token_id")})
        if (const auto id = header.integer(theirs))
            to.config[ours] = *id;
    return GgufConfig{to.config.dump(-1, ' ', false, json::error_handler_t::replace), to.warnings()};
}

} // namespace headscope::io

// SPDX-License-Identifier: GPL-3.0-or-later
// ggufConfig(): metadata as the keys of config.json that the families of core/lm read.
#include "core/io/gguf/gguffile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace headscope::io {

namespace {

using nlohmann::json;

/// Copies metadata of one architecture into config keys, where it is there.
class Translator
{
public:
    explicit Translator(const GgufHeader& header)
        : m_header(header), m_prefix(*header.text("general.architecture") + ".")
    {
    }

    [[nodiscard]] const std::string architecture() const { return m_prefix.substr(0, m_prefix.size() - 1); }
    [[nodiscard]] std::optional<std::int64_t> integer(const std::string& key) const
    {
        return m_header.integer(m_prefix + key);
    }
    [[nodiscard]] std::optional<double> number(const std::string& key) const { return m_header.number(m_prefix + key); }
    [[nodiscard]] const GgufHeader& header() const { return m_header; }

    void integer(const std::string& theirs, const char* ours)
    {
        if (const auto value = integer(theirs))
            config[ours] = *value;
    }
    void number(const std::string& theirs, const char* ours)
    {
        if (const auto value = number(theirs))
            config[ours] = shortest(*value);
    }

    json config = json::object();

private:
    /// A float of the file as people write it: 1e-05, not 9.999999747378752e-06, which is what the float is.
    static double shortest(double value)
    {
        char text[32];
        std::snprintf(text, sizeof text, "%.7g", value);
        return std::strtod(text, nullptr);
    }

    const GgufHeader& m_header;
    std::string m_prefix;
};

/// What Llama 3's rule makes of the wavelengths (rope type llama3 of transformers), for one factor.
std::vector<double> llama3Factors(std::size_t count, double theta, double factor)
{
    constexpr double kOriginal = 8192, kLow = 1, kHigh = 4;
    std::vector<double> factors;
    for (std::size_t i = 0; i < count; ++i) {
        const double wave = 2 * std::numbers::pi * std::pow(theta, static_cast<double>(i) / static_cast<double>(count));
        const double smooth = (kOriginal / wave - kLow) / (kHigh - kLow);
        factors.push_back(wave < kOriginal / kHigh  ? 1
                          : wave > kOriginal / kLow ? factor
                                                    : 1 / ((1 - smooth) / factor + smooth));
    }
    return factors;
}

/// The file has the factors of the frequencies and not the rule they were made by; only the known rule is accepted.
Result<void> translateFrequencies(Translator& to, std::span<const std::byte> bytes)
{
    std::vector<float> stored(bytes.size() / sizeof(float));
    std::memcpy(stored.data(), bytes.data(), stored.size() * sizeof(float));
    const double factor = stored.empty() ? 0 : static_cast<double>(*std::max_element(stored.begin(), stored.end()));
    const auto expected = llama3Factors(stored.size(), to.number("rope.freq_base").value_or(10000), factor);
    for (std::size_t i = 0; i < stored.size(); ++i)
        if (!(std::abs(static_cast<double>(stored[i]) - expected[i]) < 1e-3 * expected[i]))
            return inputError("its rope_freqs follow no rule that is known; expected those of Llama 3.1 and 3.2");
    to.config["rope_scaling"] = {{"rope_type", "llama3"},
                                 {"factor", factor},
                                 {"low_freq_factor", 1.0},
                                 {"high_freq_factor", 4.0},
                                 {"original_max_position_embeddings", 8192}};
    return {};
}

Result<void> translateRotation(Translator& to, const GgufFile& file)
{
    to.number("rope.freq_base", "rope_theta");
    const std::string* type = to.header().text(to.architecture() + ".rope.scaling.type");
    if (type && *type != "none") {
        json scaling = {{"rope_type", *type}};
        if (const auto factor = to.number("rope.scaling.factor"))
            scaling["factor"] = *factor;
        if (const auto original = to.integer("rope.scaling.original_context_length"))
            scaling["original_max_position_embeddings"] = *original;
        to.config["rope_scaling"] = scaling;
    }
    const GgufTensor* frequencies = to.header().find("rope_freqs.weight");
    if (!frequencies)
        return {};
    if (frequencies->type != GgmlType::F32)
        return inputError("its rope_freqs are no F32 numbers");
    return translateFrequencies(
        to, file.mapping().subspan(static_cast<std::size_t>(frequencies->begin),
                                   static_cast<std::size_t>(frequencies->end - frequencies->begin)));
}

Result<void> translateDecoder(Translator& to, const GgufFile& file)
{
    if (to.integer("expert_count").value_or(0) > 0)
        return inputError("it is a mixture of experts; expected a model whose layers have one MLP");
    if (to.header().integers(to.architecture() + ".attention.head_count")
        || to.header().integers(to.architecture() + ".attention.head_count_kv"))
        return inputError("its layers have different numbers of heads; expected the same in all");
    to.integer("embedding_length", "hidden_size");
    to.integer("feed_forward_length", "intermediate_size");
    to.integer("block_count", "num_hidden_layers");
    to.integer("attention.head_count", "num_attention_heads");
    to.config["num_key_value_heads"] = to.config.value("num_attention_heads", json());
    to.integer("attention.head_count_kv", "num_key_value_heads");
    to.integer("attention.key_length", "head_dim");
    to.integer("context_length", "max_position_embeddings");
    to.number("attention.layer_norm_rms_epsilon", "rms_norm_eps");
    if (to.architecture() == "llama")
        to.config["attention_bias"] = to.header().find("blk.0.attn_output.bias") != nullptr;
    return translateRotation(to, file);
}

void translateGemma2(Translator& to)
{
    // llama.cpp has a rule for the scale of scores; the file does not say it.
    constexpr int kLayersOf27B = 46;
    const std::int64_t heads = std::max<std::int64_t>(to.integer("attention.head_count").value_or(1), 1);
    to.config["query_pre_attn_scalar"] = to.integer("block_count") == kLayersOf27B
                                             ? to.integer("embedding_length").value_or(0) / heads
                                             : to.integer("attention.key_length").value_or(256);
    to.integer("attention.sliding_window", "sliding_window");
    to.number("attn_logit_softcapping", "attn_logit_softcapping");
    to.number("final_logit_softcapping", "final_logit_softcapping");
    to.config["hidden_activation"] = "gelu_pytorch_tanh";
}

void translateGpt2(Translator& to)
{
    to.integer("embedding_length", "n_embd");
    to.integer("feed_forward_length", "n_inner");
    to.integer("block_count", "n_layer");
    to.integer("attention.head_count", "n_head");
    to.integer("context_length", "n_positions");
    to.number("attention.layer_norm_epsilon", "layer_norm_epsilon");
}

void translateMamba(Translator& to)
{
    to.integer("embedding_length", "hidden_size");
    to.integer("block_count", "num_hidden_layers");
    to.integer("ssm.inner_size", "intermediate_size");
    to.integer("ssm.state_size", "state_size");
    to.integer("ssm.conv_kernel", "conv_kernel");
    to.number("attention.layer_norm_rms_epsilon", "layer_norm_epsilon");
    if (to.architecture() == "mamba") {
        to.integer("ssm.time_step_rank", "time_step_rank");
        if (to.header().flag("mamba.ssm.dt_b_c_rms").value_or(false))
            to.config["model_type"] = "falcon_mamba";
        return;
    }
    to.integer("ssm.time_step_rank", "num_heads");
    to.integer("ssm.group_count", "n_groups");
    const std::int64_t inner = to.integer("ssm.inner_size").value_or(0),
                       hidden = to.integer("embedding_length").value_or(0),
                       heads = to.integer("ssm.time_step_rank").value_or(0);
    if (heads > 0 && hidden > 0) {
        to.config["head_dim"] = inner / heads;
        to.config["expand"] = static_cast<double>(inner) / static_cast<double>(hidden);
    }
}

} // namespace

Result<std::string> ggufConfig(const GgufFile& file)
{
    const GgufHeader& header = file.header();
    Translator to(header);
    const std::string architecture = to.architecture();
    to.config["model_type"] = architecture;
    Result<void> done;
    if (architecture == "gpt2")
        translateGpt2(to);
    else if (architecture.starts_with("mamba"))
        translateMamba(to);
    else
        done = translateDecoder(to, file);
    if (!done.has_value())
        return file.refused(done.error());
    if (architecture == "gemma2")
        translateGemma2(to);
    // What the tensors say is true; the metadata can be of the model before its vocabulary was padded.
    if (const GgufTensor* table = header.find("token_embd.weight"); table && table->shape.size() == 2)
        to.config["vocab_size"] = table->shape[0];
    to.config["tie_word_embeddings"] = header.find("output.weight") == nullptr;
    for (const auto& [theirs, ours] : {std::pair("tokenizer.ggml.bos_token_id", "bos_token_id"),
                                       std::pair("tokenizer.ggml.eos_token_id", "eos_token_id")})
        if (const auto id = header.integer(theirs))
            to.config[ours] = *id;
    return to.config.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace headscope::io

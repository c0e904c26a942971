// SPDX-License-Identifier: GPL-3.0-or-later
// ggufConfig(): metadata as the keys of config.json that the families of core/lm read.
#include "core/io/gguf/gguffile.h"

#include "core/io/gguf/ggufnames.h"
#include "core/io/quote.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <set>
#include <tuple>
#include <type_traits>

namespace headscope::io {

namespace {

using nlohmann::json;

/// A float of the file as people write it: 1e-05, not 9.999999747378752e-06, which is what the float is.
std::string digits(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.7g", value);
    return text;
}

double shortest(double value)
{
    return std::strtod(digits(value).c_str(), nullptr);
}

/// A value as people write it, short.
std::string shown(const GgufValue& value)
{
    const auto one = [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool>)
            return v ? "true" : "false";
        else if constexpr (std::is_same_v<T, std::string>)
            return inQuotes(v);
        else if constexpr (std::is_arithmetic_v<T>)
            return digits(static_cast<double>(v));
        else
            return "a list of " + std::to_string(v.size());
    };
    return std::visit(one, value);
}

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

/// Of the vocabulary: what ggufTokenizer() and core/text read, and tokens that only name themselves.
constexpr std::array kTokenizerKeys = {"model",  "pre",    "tokens",        "token_type",    "token_type_count",
                                       "scores", "merges", "add_bos_token", "add_eos_token", "add_space_prefix"};

bool isOfTokenizer(std::string_view key)
{
    constexpr std::string_view kPrefix = "tokenizer.ggml.";
    if (!key.starts_with(kPrefix))
        return key.starts_with("tokenizer.chat_template") || key == "tokenizer.huggingface.json";
    key.remove_prefix(kPrefix.size());
    return key.ends_with("_token_id")
           || std::find(kTokenizerKeys.begin(), kTokenizerKeys.end(), key) != kTokenizerKeys.end();
}

/// Copies metadata of one architecture into config keys, where it is there, and knows which were read.
class Translator
{
public:
    explicit Translator(const GgufHeader& header)
        : m_header(header), m_prefix(*header.text("general.architecture") + ".")
    {
    }

    [[nodiscard]] const std::string architecture() const { return m_prefix.substr(0, m_prefix.size() - 1); }
    [[nodiscard]] std::optional<std::int64_t> integer(const std::string& key)
    {
        const auto value = m_header.inAllLayers(m_prefix + key);
        if (!value && m_header.integers(m_prefix + key))
            refuse(key, "the same in all layers");
        return read(key, value);
    }
    /// A flag is 0 or 1.
    [[nodiscard]] std::optional<double> number(const std::string& key)
    {
        const auto flag = m_header.flag(m_prefix + key);
        const auto value = flag ? std::optional(*flag ? 1.0 : 0.0) : m_header.number(m_prefix + key);
        if (value && !std::isfinite(*value))
            refuse(key, "a finite number");
        return read(key, value);
    }
    [[nodiscard]] std::string text(const std::string& key, const std::string& fallback)
    {
        const std::string* value = m_header.text(m_prefix + key);
        return read(key, value ? std::optional(*value) : std::nullopt).value_or(fallback);
    }
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
    /// As llama.cpp, which has no default for it. A file without layers is a vocabulary alone.
    void demand(const std::string& key)
    {
        if (!m_problem && wasRead("block_count") && !wasRead(key))
            m_problem = inputError("it has no '" + m_prefix + key + "'");
    }
    void ignore(const std::string& key) { m_read.insert(m_prefix + key); }
    [[nodiscard]] bool wasRead(const std::string& key) const { return m_read.contains(m_prefix + key); }
    /// Keeps the first: the key has another value than the one that is computed with.
    void refuse(const std::string& key, const std::string& expected)
    {
        if (!m_problem)
            m_problem = inputError("its '" + m_prefix + key + "' is "
                                   + shown(m_header.metadata.find(m_prefix + key)->second) + "; expected " + expected);
    }
    /// The key, where it is there, has this value.
    void expect(const std::string& key, double value)
    {
        if (const auto found = number(key); found && !(std::abs(*found - value) <= 1e-6 * std::abs(value)))
            refuse(key, digits(value));
    }
    [[nodiscard]] const std::optional<Error>& problem() const { return m_problem; }
    [[nodiscard]] std::vector<std::string> warnings() const;

    json config = json::object();
    std::vector<std::string> onlyHere; ///< keys that are read, and that llama.cpp ignores for this architecture

private:
    template <typename T> std::optional<T> read(const std::string& key, std::optional<T> value)
    {
        if (value)
            ignore(key);
        return value;
    }

    const GgufHeader& m_header;
    std::string m_prefix;
    std::set<std::string> m_read;
    std::optional<Error> m_problem;
};

std::vector<std::string> Translator::warnings() const
{
    std::vector<std::string> unread, all;
    for (const auto& [key, value] : m_header.metadata) {
        const bool elsewhere = key.starts_with("general.") || key.starts_with("quantize.imatrix.")
                               || key.starts_with("split.") || isOfTokenizer(key)
                               || (key.starts_with("tokenizer.") && value == GgufValue(false));
        if (!elsewhere && !m_read.contains(key))
            unread.push_back(inQuotes(key) + " (" + shown(value) + ")");
    }
    const auto joined = [](const std::vector<std::string>& names) {
        std::string text;
        for (const std::string& name : names)
            text += (text.empty() ? "" : ", ") + name;
        return text;
    };
    if (!unread.empty())
        all.push_back("The file has " + std::to_string(unread.size())
                      + " metadata key(s) that are not read for the architecture " + inQuotes(architecture()) + ": "
                      + joined(unread) + ".");
    if (!onlyHere.empty())
        all.push_back(
            "These metadata keys are read as transformers reads them, and llama.cpp ignores them for the architecture "
            + inQuotes(architecture()) + ": " + joined(onlyHere) + ".");
    return all;
}

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

json rounded(const std::vector<float>& values)
{
    json all = json::array();
    for (const float value : values)
        all.push_back(shortest(static_cast<double>(value)));
    return all;
}

/// The file has the factors of the frequencies and not the rule they were made by. Where that is Llama 3's it is named;
/// else the factors are used as they are, whatever the length of the text.
void translateFrequencies(Translator& to, const std::vector<float>& stored)
{
    const double factor = stored.empty() ? 0 : static_cast<double>(*std::max_element(stored.begin(), stored.end()));
    const auto rule = llama3Factors(stored.size(), to.number("rope.freq_base").value_or(10000), factor);
    if (std::ranges::equal(stored, rule,
                           [](float a, double b) { return std::abs(static_cast<double>(a) - b) < 1e-3 * b; }))
        to.config["rope_scaling"] = {{"rope_type", "llama3"},
                                     {"factor", factor},
                                     {"low_freq_factor", 1.0},
                                     {"high_freq_factor", 4.0},
                                     {"original_max_position_embeddings", 8192}};
    else
        to.config["rope_scaling"] = {{"rope_type", "longrope"},
                                     {"short_factor", rounded(stored)},
                                     {"long_factor", rounded(stored)},
                                     {"attention_factor", 1.0}};
}

/// The part of YaRN beside its frequencies: cos and sin are multiplied by it.
double yarnAttention(Translator& to, double factor)
{
    const auto magnitude = [factor](double weight) {
        return factor <= 1 ? 1.0 : 0.1 * weight * std::log(factor) + 1.0;
    };
    double whole = magnitude(1);
    if (const auto weight = to.number("rope.scaling.yarn_log_multiplier"); weight && *weight != 0) {
        whole /= magnitude(*weight);
        to.onlyHere.emplace_back("'rope.scaling.yarn_log_multiplier'");
    }
    // The usual factor, as a float of the file has it, says nothing.
    if (const auto told = to.number("rope.scaling.yarn_attn_factor");
        told && !(std::abs(*told - magnitude(1)) < 1e-6)) {
        whole = *told;
        to.onlyHere.emplace_back("'rope.scaling.yarn_attn_factor'");
    }
    return whole * to.number("rope.scaling.attn_factor").value_or(1);
}

void translateYarn(Translator& to, json& scaling)
{
    scaling["factor"] = scaling.value("factor", 1.0);
    if (const auto original = to.integer("rope.scaling.original_context_length"))
        scaling["original_max_position_embeddings"] = *original;
    for (const auto& [theirs, ours, usual] : {std::tuple("rope.scaling.yarn_beta_fast", "beta_fast", 32.0),
                                              std::tuple("rope.scaling.yarn_beta_slow", "beta_slow", 1.0)})
        if (const auto value = to.number(theirs); value && *value != usual) {
            scaling[ours] = shortest(*value);
            to.onlyHere.push_back("'" + std::string(theirs) + "'");
        }
    const double factor = scaling["factor"], usual = factor <= 1 ? 1.0 : 0.1 * std::log(factor) + 1.0;
    if (const double whole = yarnAttention(to, factor); whole != usual)
        scaling["attention_factor"] = whole;
}

/// As llama.cpp: a factor without a type is linear, and attn_factor applies whatever the type.
void translateScaling(Translator& to)
{
    const std::string factorKey =
        to.header().number(to.architecture() + ".rope.scaling.factor") ? "rope.scaling.factor" : "rope.scale_linear";
    std::string type = to.text("rope.scaling.type", "");
    if (type == "none")
        type.clear();
    else if (const auto factor = to.number(factorKey); factor || !type.empty()) {
        type = type.empty() ? "linear" : type;
        to.config["rope_scaling"] = {{"rope_type", type}, {"factor", factor.value_or(1)}};
    }
    json& scaling = to.config["rope_scaling"];
    if (type == "yarn")
        return translateYarn(to, scaling);
    if (!type.empty() && type != "linear")
        return to.refuse("rope.scaling.type", "none, linear or yarn");
    if (const double factor = to.number("rope.scaling.attn_factor").value_or(1); factor != 1) {
        if (!type.empty())
            return to.refuse("rope.scaling.attn_factor", "1 beside linear scaling");
        scaling = {{"rope_type", "yarn"}, {"factor", 1.0}, {"attention_factor", shortest(factor)}};
    }
    if (scaling.is_null())
        to.config.erase("rope_scaling");
}

/// Of a head that rotates; nothing where the file does not say it.
std::optional<std::int64_t> headWidth(Translator& to)
{
    const auto heads = to.integer("attention.head_count"), width = to.integer("embedding_length");
    if (const auto own = to.integer("attention.key_length"))
        return own;
    return heads && width && *heads > 0 ? std::optional(*width / *heads) : std::nullopt;
}

/// F32 numbers of a tensor; empty: it is none of these, or not there.
std::vector<float> floatsOf(const GgufFile& file, std::string_view name)
{
    const GgufTensor* tensor = file.header().find(name);
    if (!tensor || tensor->type != GgmlType::F32 || tensor->shape.size() != 1)
        return {};
    std::vector<float> values(static_cast<std::size_t>(tensor->shape[0]));
    std::memcpy(values.data(), file.mapping().data() + tensor->begin, values.size() * sizeof(float));
    return values;
}

/// Phi-3's two lists of factors, for texts up to the original length and for longer ones.
void translateLongRope(Translator& to, const GgufFile& file)
{
    const std::vector<float> longer = floatsOf(file, kLongFactors), shorter = floatsOf(file, kShortFactors);
    json scaling = {{"type", "longrope"}, {"short_factor", rounded(shorter)}, {"long_factor", rounded(longer)}};
    if (const auto factor = to.number("rope.scaling.attn_factor"))
        scaling["attention_factor"] = shortest(*factor);
    to.config["rope_scaling"] = std::move(scaling);
    to.integer("rope.scaling.original_context_length", "original_max_position_embeddings");
}

Result<void> translateRotation(Translator& to, const GgufFile& file)
{
    to.number("rope.freq_base", "rope_theta");
    if (to.architecture() != "gemma3") // its windows have another
        to.expect("rope.freq_base_swa", to.number("rope.freq_base").value_or(10000));
    if (to.header().find(kLongFactors)) {
        translateLongRope(to, file);
        return {};
    }
    translateScaling(to);
    const GgufTensor* frequencies = to.header().find(kRopeFactors);
    if (!frequencies)
        return {};
    if (to.config.contains("rope_scaling"))
        return inputError(
            "it scales the rotary frequencies both by metadata and by its tensor rope_freqs; expected one");
    const auto width = headWidth(to);
    const std::vector<float> factors = floatsOf(file, kRopeFactors);
    if (factors.empty() || (width && 2 * std::ssize(factors) != *width)
        || std::ranges::any_of(factors, [](float factor) { return !(factor > 0) || !std::isfinite(factor); }))
        return inputError("its rope_freqs are not one positive F32 number for each two of a head");
    translateFrequencies(to, factors);
    return {};
}

/// What llama.cpp computes: Qwen3's weights of experts add up to 1, Qwen2's do not. Which layers have experts is what
/// the tensors say.
void translateExperts(Translator& to)
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
    const bool third = to.architecture() == "qwen3moe";
    to.config["num_experts"] = *count;
    to.config["norm_topk_prob"] = third;
    to.expect("expert_weights_norm", third ? 1 : 0);
    to.integer("expert_feed_forward_length", "moe_intermediate_size");
    to.integer("expert_shared_feed_forward_length", "shared_expert_intermediate_size");
    to.expect("expert_shared_count", third ? 0 : 1);
    json dense = json::array();
    constexpr std::int64_t kMostLayers = 10'000;
    for (std::int64_t layer = 0; layer < std::min(to.integer("block_count").value_or(0), kMostLayers); ++layer)
        if (!to.header().find("blk." + std::to_string(layer) + ".ffn_gate_inp.weight"))
            dense.push_back(layer);
    to.config["mlp_only_layers"] = std::move(dense);
}

/// Which layers look back through a window: all but each n-th, or as a list says; `usual`: n where the file is silent.
void translateWindows(Translator& to, std::int64_t usual)
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

/// 27B models have a rule of their own for the scale of scores, in llama.cpp; the file does not say it.
void translateScoreScale(Translator& to, std::int64_t layersOf27B)
{
    const std::int64_t heads = std::max<std::int64_t>(to.integer("attention.head_count").value_or(1), 1);
    const std::int64_t width = to.integer("embedding_length").value_or(0) / heads;
    const std::int64_t scalar =
        to.integer("block_count") == layersOf27B ? width : to.integer("attention.key_length").value_or(256);
    to.config["query_pre_attn_scalar"] = scalar;
    to.expect("attention.scale", 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(scalar, 1))));
}

void translateGemma2(Translator& to)
{
    translateScoreScale(to, 46);
    translateWindows(to, 2);
    to.number("attn_logit_softcapping", "attn_logit_softcapping");
    to.number("final_logit_softcapping", "final_logit_softcapping");
    to.config["hidden_activation"] = "gelu_pytorch_tanh";
}

void translateGemma3(Translator& to)
{
    translateScoreScale(to, 62);
    translateWindows(to, 6);
    to.config["rope_local_base_freq"] = shortest(to.number("rope.freq_base_swa").value_or(10000));
    to.number("final_logit_softcapping", "final_logit_softcapping");
}

void translateGptOss(Translator& to)
{
    translateWindows(to, 2);
    to.integer("expert_feed_forward_length", "intermediate_size");
    to.integer("expert_count", "num_local_experts");
    to.integer("expert_used_count", "num_experts_per_tok");
    for (const char* key : {"expert_count", "expert_used_count", "expert_feed_forward_length"})
        to.demand(key);
    to.expect("expert_gating_func", 3); // softmax over the chosen
    if (json& scaling = to.config["rope_scaling"]; scaling.is_object())
        scaling["truncate"] = false; // as the model is; llama.cpp rounds the limits of YaRN
}

void translateGranite(Translator& to)
{
    to.number("attention.scale", "attention_multiplier");
    to.number("embedding_scale", "embedding_multiplier");
    to.number("residual_scale", "residual_multiplier");
    to.number("logit_scale", "logits_scaling");
}

/// Experts behind the first dense layers, chosen by a sigmoid and a bias, beside one that all tokens take.
void translateGlm4Moe(Translator& to)
{
    for (const auto& [theirs, ours] : {std::pair("expert_count", "n_routed_experts"),
                                       {"expert_used_count", "num_experts_per_tok"},
                                       {"expert_shared_count", "n_shared_experts"},
                                       {"expert_feed_forward_length", "moe_intermediate_size"},
                                       {"expert_group_count", "n_group"},
                                       {"expert_group_used_count", "topk_group"},
                                       {"leading_dense_block_count", "first_k_dense_replace"}})
        to.integer(theirs, ours);
    to.demand("expert_used_count");
    to.expect("expert_gating_func", 2);
    to.number("expert_weights_scale", "routed_scaling_factor");
    to.config["norm_topk_prob"] = to.number("expert_weights_norm").value_or(0) != 0;
    to.config["use_qk_norm"] = to.header().find("blk.0.attn_q_norm.weight") != nullptr;
    if (const auto layers = to.integer("block_count"), ahead = to.integer("nextn_predict_layers"); layers && ahead)
        to.config["num_hidden_layers"] = *layers - std::clamp<std::int64_t>(*ahead, 0, *layers); // those guess ahead
}

void translateCohere2(Translator& to)
{
    translateWindows(to, 4);
    to.number("logit_scale", "logit_scale");
}

void translateOlmo2(Translator& to)
{
    if (!to.integer("attention.sliding_window"))
        return;
    to.config["model_type"] = "olmo3";
    translateWindows(to, 4);
}

void translateStarcoder2(Translator& to)
{
    to.config["sliding_window"] = json(); // llama.cpp reads none
}

void translateWindowAlone(Translator& to)
{
    to.integer("attention.sliding_window", "sliding_window");
}

void translateExaone4(Translator& to)
{
    translateWindows(to, 4);
}

/// A decoder that our config has under another name, or with keys of its own.
struct Decoder {
    const char *architecture, *modelType;
    void (*translate)(Translator& to) = nullptr;
    const char* bias = nullptr;      ///< our config's key for biases of attention
    const char* layerNorm = nullptr; ///< our config's key for the eps of LayerNorm; null: its norms are RMSNorms
    bool partly = false;             ///< some dimensions of a head rotate
};

constexpr std::array kDecoders = {
    Decoder{"llama", "llama", translateExperts, "attention_bias"},
    Decoder{"qwen2", "qwen2"},
    Decoder{"qwen3", "qwen3"},
    Decoder{"qwen2moe", "qwen2_moe", translateExperts},
    Decoder{"qwen3moe", "qwen3_moe", translateExperts},
    Decoder{"gemma2", "gemma2", translateGemma2},
    Decoder{"gemma3", "gemma3_text", translateGemma3},
    Decoder{"gpt-oss", "gpt_oss", translateGptOss, "attention_bias"},
    Decoder{"granite", "granite", translateGranite, "attention_bias"},
    Decoder{"smollm3", "smollm3", nullptr, "attention_bias"},
    Decoder{"arcee", "arcee", nullptr, "attention_bias"},
    Decoder{"olmo2", "olmo2", translateOlmo2, "attention_bias"},
    Decoder{"exaone4", "exaone4", translateExaone4},
    Decoder{"seed_oss", "seed_oss", nullptr, "attention_bias"},
    Decoder{"ernie4_5", "ernie4_5", nullptr, "use_bias"},
    Decoder{"cohere2", "cohere2", translateCohere2, "attention_bias", "layer_norm_eps"},
    Decoder{"starcoder2", "starcoder2", translateStarcoder2, "use_bias", "norm_epsilon"},
    Decoder{"phi3", "phi3", translateWindowAlone, nullptr, nullptr, true},
    Decoder{"glm4", "glm4", nullptr, "attention_bias", nullptr, true},
    Decoder{"glm4moe", "glm4_moe", translateGlm4Moe, "attention_bias", nullptr, true},
};

void translateWidths(Translator& to, bool partly)
{
    const auto width = headWidth(to);
    if (!width)
        return;
    for (const char* key : {"attention.value_length", "attention.key_length_swa", "attention.value_length_swa"})
        to.expect(key, static_cast<double>(*width));
    if (const auto rotating = to.integer("rope.dimension_count"); partly && rotating && *width > 0) {
        if (*rotating < 2 || *rotating % 2 != 0 || *rotating > *width)
            return to.refuse("rope.dimension_count",
                             "an even number up to the width of a head, " + std::to_string(*width));
        to.config["partial_rotary_factor"] = static_cast<double>(*rotating) / static_cast<double>(*width);
    } else
        for (const char* key : {"rope.dimension_count", "rope.dimension_count_swa"})
            to.expect(key, static_cast<double>(*width));
    if (!to.wasRead("attention.scale"))
        to.expect("attention.scale", 1 / std::sqrt(static_cast<double>(*width)));
}

Result<void> translateDecoder(Translator& to, const GgufFile& file)
{
    const Decoder& decoder = *std::ranges::find(kDecoders, to.architecture(), &Decoder::architecture);
    to.config["model_type"] = decoder.modelType;
    to.integer("embedding_length", "hidden_size");
    to.integer("feed_forward_length", "intermediate_size");
    to.integer("block_count", "num_hidden_layers");
    to.integer("attention.head_count", "num_attention_heads");
    to.config["num_key_value_heads"] = to.config.value("num_attention_heads", json());
    to.integer("attention.head_count_kv", "num_key_value_heads");
    to.integer("attention.key_length", "head_dim");
    to.integer("context_length", "max_position_embeddings");
    const char* eps = decoder.layerNorm ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon";
    to.number(eps, decoder.layerNorm ? decoder.layerNorm : "rms_norm_eps");
    to.demand(eps);
    const auto rotated = translateRotation(to, file);
    if (decoder.translate)
        decoder.translate(to);
    const auto hasBias = [&](std::initializer_list<const char*> maps) {
        return std::any_of(maps.begin(), maps.end(), [&](const char* map) {
            return to.header().find("blk.0." + std::string(map) + ".bias") != nullptr;
        });
    };
    if (decoder.bias && to.config["model_type"] != "mixtral") {
        const bool apart = to.architecture() == "seed_oss", out = hasBias({"attn_output"});
        to.config[decoder.bias] = hasBias({"attn_q", "attn_k", "attn_v"}) || (!apart && out);
        if (apart)
            to.config["attention_out_bias"] = out;
        if (hasBias({"ffn_gate", "ffn_up", "ffn_down"}) && std::string_view(decoder.bias) == "attention_bias")
            to.config["mlp_bias"] = true;
    }
    translateWidths(to, decoder.partly);
    return rotated;
}

void translateGpt2(Translator& to)
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

void translateMamba(Translator& to)
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
    for (const char* key : kHarmless)
        to.ignore(key);
    for (const auto& [key, value, other] : kNeutral) // of those that the architecture has no use for
        if (!to.wasRead(key))
            if (const auto found = to.number(key); found && *found != value && *found != other)
                to.refuse(key, std::string_view(key) == "attention.causal" ? "true" : digits(value));
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/config.h"

#include "core/io/gguf/gguffile.h"
#include "core/io/openfile.h"
#include "core/io/safetensors/adapter.h"
#include "core/io/safetensors/lfspointer.h"
#include "core/io/textfiles/pythonjson.h"
#include "core/io/textfiles/quote.h"
#include "core/io/textfiles/textfile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace headscope::lm {

namespace {

constexpr std::uintmax_t kLargestConfig = 16u << 20;
constexpr int kLargestCount = 1 << 24; // no dimension of a model is near it; products of two still fit 64 bits

// Every text of a config is a name of something; it ends up in messages and tables.
bool isName(const std::string& text)
{
    constexpr std::size_t kLongest = 100;
    return text.size() <= kLongest
           && std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

std::string notAName(const std::string& key, const std::string& where, const std::string& text)
{
    return "'" + key + "' in " + where + " is " + io::inQuotes(text) + "; expected a name.";
}

bool isIntegral(const nlohmann::json& value)
{
    return value.is_number_integer()
           || (value.is_number_float() && std::floor(value.get<double>()) == value.get<double>());
}

Result<Config> ofGguf(const std::filesystem::path& path)
{
    const auto file = io::GgufFile::open(path);
    if (!file.has_value())
        return file.error();
    constexpr const char* kTable = "token_embd.weight";
    if (!(*file)->header().find(kTable))
        return (*file)->refused(inputError("it has no tensor '" + std::string(kTable)
                                           + "'; expected a whole model, not a vocabulary alone."));
    const auto config = io::ggufConfig(**file);
    return config.has_value() ? Config::parse(config->json, path.string()) : Result<Config>(config.error());
}

// Keys that change no logits in any family, whatever their values: what a file says of itself, of how weights are
// initialised, of training, generation, caches and kernels, of parts beside the text, and what follows from other keys.
// tst_configkeys holds them to transformers.
constexpr std::array kHarmless = {
    "_attn_implementation",
    "_attn_implementation_autoset",
    "_name_or_path",
    "_sliding_window_pattern",
    "architectures",
    "attention_softmax_in_fp32",
    "attn_implementation",
    "auto_map",
    "aux_loss_alpha",
    "bad_words_ids",
    "batch_size",
    "bias_dropout_fusion",
    "cache_implementation",
    "chunk_size_feed_forward",
    "custom_pipelines",
    "dtype",
    "ep_size",
    "finetuning_task",
    "gradient_checkpointing",
    "id2label",
    "init_device",
    "init_std",
    "is_decoder",
    "is_encoder_decoder",
    "keys_to_ignore_at_inference",
    "kv_channels",
    "label2id",
    "language",
    "layerdrop",
    "license",
    "mamba_headdim",
    "mamba_ssm_cache_dtype",
    "masked_softmax_fusion",
    "max_inference_chunksize",
    "mm_tokens_per_image",
    "model_type",
    "moe_shared_expert_overlap",
    "n_ctx",
    "name_or_path",
    "num_labels",
    "num_logits_to_keep",
    "num_nextn_predict_layers",
    "num_query_groups",
    "num_return_sequences",
    "output_attentions",
    "output_hidden_states",
    "output_router_logits",
    "output_scores",
    "prefix",
    "pretraining_tp",
    "problem_type",
    "qk_head_dim",
    "quantization_config", // load.cpp reads it
    "rescale_prenorm_residual",
    "return_dict",
    "return_dict_in_generate",
    "router_jitter_noise",
    "seq_aux",
    "skip_bias_add",
    "skip_bias_add_qkv",
    "slow_but_exact",
    "task_specific_params",
    "temperature",
    "time_step_floor",
    "time_step_init_scheme",
    "time_step_scale",
    "tokenizer_class",
    "top_k",
    "top_p",
    "torch_dtype",
    "torchscript",
    "transformers.js_config",
    "transformers_version",
    "use_associative_scan",
    "use_bfloat16",
    "use_cache",
    "use_flash_attn",
    "use_mamba_kernels",
    "use_mambapy",
    "use_mem_eff_path",
    "time_step_max",
    "use_return_dict",
    "vision_config",
};
constexpr std::array kHarmlessEndings = {
    "_dropout",   "_dropout_prob",     "_id",    "_ids",   "_init_floor",  "_init_scale",       "_init_variance_scale",
    "_loss_coef", "_loss_coefficient", "_pdrop", "_token", "_xavier_init", "initializer_range",
};
constexpr std::array kHarmlessBeginnings = {"linear_a_log_", "linear_dt_", "mtp_", "summary_"};

// Values of other keys that say what is computed anyway: with these they need no word either.
const nlohmann::json& usualValues()
{
    static const nlohmann::json values = nlohmann::json::parse(R"({
        "add_cross_attention": [false], "add_out_norm": [true], "attention_bias": [false], "attn_output_gate": [true],
        "block_auto_adjust_ff_dim": [false], "block_use_swiglu": [true], "embedding_fraction": [1], "full_attn_mod": [1],
        "hidden_act": ["silu"], "interpolate_factor": [1], "is_causal": [true], "learned_pos_emb": [true],
        "lm_head_bias": [false], "mla_use_nope": [true], "mlp_bias": [false], "mlp_type": ["default"],
        "moe_layer_freq": [1], "moe_router_activation_func": ["sigmoid"], "norm_reduction_force_float32": [true],
        "norm_type": ["layer_norm", "low_precision_layernorm"], "normalization_function": ["rmsnorm"],
        "order_of_interleaved_layers": ["local_attn_first"], "position_embedding_type": ["rope", "rope_gptj"],
        "residual_in_fp32": [false], "rotary_pct": [1], "use_bidirectional_attention": [false],
        "use_embedding_sharing": [true], "use_gated_activation": [true], "use_grouped_topk": [true],
        "use_parallel_block": [true], "use_parallel_embedding": [true], "use_pos_enc": [true]})");
    return values;
}

bool needsNoWord(const std::string& key, const nlohmann::json& value)
{
    const auto is = [&](const auto& names, auto matches) {
        return std::any_of(names.begin(), names.end(),
                           [&](const char* name) { return matches(std::string_view(name)); });
    };
    const auto usual = usualValues().find(key);
    return value.is_null() || key == "dropout" || is(kHarmless, [&](auto name) { return key == name; })
           || is(kHarmlessEndings, [&](auto end) { return key.ends_with(end); })
           || is(kHarmlessBeginnings, [&](auto start) { return key.starts_with(start); })
           || (usual != usualValues().end() && std::find(usual->begin(), usual->end(), value) != usual->end());
}

void collectUnread(const nlohmann::json& object, const std::string& path, const std::set<std::string>& read,
                   std::vector<std::string>& out)
{
    for (const auto& [key, value] : object.items()) {
        const std::string name = path + key;
        if (needsNoWord(key, value) || read.contains(name + ".*"))
            continue;
        if (!read.contains(name)) {
            if (std::find(out.begin(), out.end(), name) == out.end())
                out.push_back(name);
            continue;
        }
        const bool list = value.is_array();
        for (const nlohmann::json& inner : list ? value : nlohmann::json::array({value}))
            if (inner.is_object())
                collectUnread(inner, name + (list ? "[]." : "."), read, out);
    }
}

const nlohmann::json& valueIn(const nlohmann::json& object, const char* key)
{
    static const nlohmann::json none;
    const auto found = object.find(key);
    return found == object.end() ? none : *found;
}

} // namespace

Result<Config> Config::load(const std::filesystem::path& folder)
{
    const auto gguf = io::ggufAt(folder);
    if (!gguf.has_value())
        return gguf.error();
    if (*gguf)
        return ofGguf(**gguf);
    const std::filesystem::path path = folder / "config.json";
    std::error_code code;
    if (const auto adapter = io::adapterIn(folder); adapter && !std::filesystem::exists(path, code))
        return io::adapterAlone(folder, *adapter);
    for (const auto& place : {folder, path})
        if (const std::string link = io::brokenLink(place); !link.empty())
            return inputError("Cannot open " + io::inQuotes(place.string()) + ": " + link + ".");
    if (!std::filesystem::exists(folder, code))
        return inputError("There is no folder '" + folder.string()
                          + "'; expected a model folder with config.json and *.safetensors.");
    if (!std::filesystem::is_regular_file(path, code))
        return inputError("The folder '" + folder.string()
                          + "' has no config.json; expected a model folder in Hugging Face layout.");
    return readFile(path);
}

Result<Config> Config::readFile(const std::filesystem::path& file)
{
    const auto text = io::readTextFile(file, kLargestConfig);
    return text.has_value() ? parse(*text, file.string()) : Result<Config>(text.error());
}

Result<Config> Config::parse(const std::string& text, const std::string& who)
{
    if (io::isLfsPointer(text))
        return inputError("'" + who
                          + "' is a Git LFS pointer, not a configuration; fetch the real file with 'git lfs pull'.");
    auto parsed = io::parsePythonJson(text);
    if (!parsed.has_value())
        return Error{parsed.error().kind, "'" + who + "' " + parsed.error().message + ".", parsed.error().detail};
    nlohmann::json json = std::move(*parsed);
    if (!json.is_object())
        return inputError("'" + who + "' does not contain a JSON object at the top level.");
    if (json.contains("config") && json["config"].is_object() && !json.contains("model_type")) {
        nlohmann::json inner = json["config"];
        json = std::move(inner);
    }
    // Older files (Qwen2.5-VL): the text's keys stand beside those of the picture.
    if (!json.contains("text_config") && json.contains("vision_config") && json.contains("hidden_size")) {
        nlohmann::json own = json;
        for (const char* key : {"model_type", "vision_config"})
            own.erase(key);
        json["text_config"] = std::move(own);
    }
    if (json.contains("text_config") && json["text_config"].is_object())
        return textPart(json, who);
    return Config(std::move(json));
}

// What text_config leaves out is what the whole says: ties and ids.
Result<Config> Config::textPart(const nlohmann::json& whole, const std::string& who)
{
    nlohmann::json text = whole["text_config"];
    std::string type =
        whole.value("model_type", nlohmann::json()).is_string() ? whole["model_type"].get<std::string>() : "";
    if (type.empty() || !isName(type))
        return inputError("'" + who + "' has a 'text_config' but no 'model_type'.");
    for (const char* key : {"tie_word_embeddings", "bos_token_id", "eos_token_id", "quantization_config"})
        if (!text.contains(key) && whole.contains(key))
            text[key] = whole[key];
    if (!text.contains("model_type"))
        text["model_type"] = type + "_text";
    Config config(std::move(text), "'text_config' in " + who);
    config.m_textPartOf = std::move(type);
    return config;
}

Config::Config(nlohmann::json json, std::string where)
    : m_json(std::make_shared<const nlohmann::json>(std::move(json))), m_where(std::move(where)),
      m_read(std::make_shared<Keys>())
{
}

Config Config::child(nlohmann::json json, std::string where, std::string path) const
{
    Config config(std::move(json), std::move(where));
    config.m_path = std::move(path);
    config.m_read = m_read;
    return config;
}

Result<std::string> Config::family() const
{
    if (m_json->contains("model_type")) {
        if (!m_json->at("model_type").is_string())
            return inputError("'model_type' in " + m_where + " is not a string.");
        std::string name = m_json->at("model_type").get<std::string>();
        if (!isName(name))
            return inputError(notAName("model_type", m_where, name));
        return name;
    }
    const auto ssm = m_json->find("ssm_cfg");
    const bool hasSsm = ssm != m_json->end() && ssm->is_object();
    if (hasSsm && (ssm->contains("n_v_heads") || ssm->contains("n_qk_heads")) && m_json->contains("mlp_cfg"))
        return std::string("llamba");
    if (m_json->contains("MixerModel") || m_json->contains("ComponentsConfig"))
        return std::string("hybrid_llamba");
    if (hasSsm && m_json->contains("d_model") && m_json->contains("n_layer"))
        return std::string(ssm->contains("layer") && (*ssm)["layer"] == "Mamba2" ? "mamba2_original"
                                                                                 : "mamba_original");
    return inputError(
        m_where + " has no 'model_type' and none of the keys of a Llamba, Hybrid-Llamba or original Mamba model.");
}

void Config::alias(std::initializer_list<std::pair<const char*, const char*>> names)
{
    nlohmann::json named = *m_json;
    for (const auto& [key, own] : names)
        if (!has(key) && has(own))
            named[key] = named[own];
        else if (valueIn(*m_json, key) == valueIn(*m_json, own))
            read(own); // says the same
    m_json = std::make_shared<const nlohmann::json>(std::move(named));
}

void Config::fail(std::string message)
{
    if (!m_error)
        m_error = inputError(std::move(message));
}

void Config::adopt(const Config& child)
{
    if (!m_error)
        m_error = child.m_error;
}

bool Config::contains(const char* key) const
{
    read(key);
    return m_json->contains(key);
}

bool Config::has(const char* key) const
{
    return contains(key) && !valueIn(*m_json, key).is_null();
}

int Config::integer(const char* key, std::optional<int> fallback)
{
    if (!has(key)) {
        if (!fallback)
            fail(m_where + " has no '" + key + "'; expected a number.");
        return fallback.value_or(1);
    }
    const auto& value = valueIn(*m_json, key);
    if (!isIntegral(value) || value.get<double>() < -1e9 || value.get<double>() > 1e9) {
        fail("'" + std::string(key) + "' in " + m_where + " is " + value.dump().substr(0, 40)
             + "; expected a whole number.");
        return fallback.value_or(1);
    }
    return static_cast<int>(value.get<double>());
}

int Config::positive(const char* key, std::optional<int> fallback)
{
    const int value = integer(key, fallback);
    if (value < 1)
        fail("'" + std::string(key) + "' in " + m_where + " is " + std::to_string(value) + "; expected at least 1.");
    if (value > kLargestCount)
        fail("'" + std::string(key) + "' in " + m_where + " is " + std::to_string(value) + "; expected at most "
             + std::to_string(kLargestCount) + ".");
    return std::clamp(value, 1, kLargestCount);
}

double Config::number(const char* key, std::optional<double> fallback)
{
    if (!has(key)) {
        if (!fallback)
            fail(m_where + " has no '" + key + "'; expected a number.");
        return fallback.value_or(1);
    }
    if (!valueIn(*m_json, key).is_number()) {
        fail("'" + std::string(key) + "' in " + m_where + " is " + valueIn(*m_json, key).dump().substr(0, 40)
             + "; expected a number.");
        return fallback.value_or(1);
    }
    const double value = valueIn(*m_json, key).get<double>();
    if (std::isnan(value))
        fail("'" + std::string(key) + "' in " + m_where + " is NaN; expected a number.");
    return std::isnan(value) ? fallback.value_or(1) : value;
}

double Config::multiple(const char* key, double fallback, int of)
{
    const double value = number(key, fallback) * of;
    if (value >= 1 && value <= kLargestCount)
        return value;
    char shown[32];
    std::snprintf(shown, sizeof shown, "%g", value);
    fail("'" + std::string(key) + "' in " + m_where + " makes " + shown + " of " + std::to_string(of)
         + "; expected 1 to " + std::to_string(kLargestCount) + ".");
    return 1;
}

// null is what it is in Python: false.
bool Config::boolean(const char* key, std::optional<bool> fallback)
{
    if (contains(key) && !has(key))
        return false;
    if (!has(key)) {
        if (!fallback)
            fail(m_where + " has no '" + key + "'; expected true or false.");
        return fallback.value_or(false);
    }
    if (!valueIn(*m_json, key).is_boolean()) {
        fail("'" + std::string(key) + "' in " + m_where + " is " + valueIn(*m_json, key).dump().substr(0, 40)
             + "; expected true or false.");
        return fallback.value_or(false);
    }
    return valueIn(*m_json, key).get<bool>();
}

std::string Config::text(const char* key, std::optional<std::string> fallback)
{
    if (!has(key)) {
        if (!fallback)
            fail(m_where + " has no '" + key + "'; expected a string.");
        return fallback.value_or("");
    }
    if (!valueIn(*m_json, key).is_string()) {
        fail("'" + std::string(key) + "' in " + m_where + " is " + valueIn(*m_json, key).dump().substr(0, 40)
             + "; expected a string.");
        return fallback.value_or("");
    }
    std::string text = valueIn(*m_json, key).get<std::string>();
    if (isName(text))
        return text;
    fail(notAName(key, m_where, text));
    return fallback.value_or("");
}

std::vector<int> Config::integers(const char* key)
{
    if (!has(key))
        return {};
    const auto& value = valueIn(*m_json, key);
    std::vector<int> numbers;
    for (const auto& item : value.is_array() ? value : nlohmann::json::array({value})) {
        if (!isIntegral(item) || std::abs(item.get<double>()) > 1e9) {
            fail("'" + std::string(key) + "' in " + m_where + " contains " + item.dump().substr(0, 40)
                 + "; expected whole numbers.");
            return {};
        }
        numbers.push_back(static_cast<int>(item.get<double>()));
    }
    return numbers;
}

std::vector<double> Config::numbers(const char* key, std::size_t count)
{
    std::vector<double> values(count, 1.0);
    if (!has(key))
        return values;
    const auto& list = valueIn(*m_json, key);
    bool good = list.is_array() && list.size() == count;
    for (std::size_t i = 0; good && i < count; ++i) {
        good = list[i].is_number();
        values[i] = good ? list[i].get<double>() : 1.0;
    }
    if (!good)
        fail("'" + std::string(key) + "' in " + m_where + " must be a list of " + std::to_string(count) + " numbers.");
    return values;
}

std::vector<std::string> Config::texts(const char* key)
{
    if (!has(key))
        return {};
    std::vector<std::string> out;
    if (valueIn(*m_json, key).is_array())
        for (const auto& item : valueIn(*m_json, key)) {
            if (!item.is_string() || !isName(item.get<std::string>()))
                break;
            out.push_back(item.get<std::string>());
        }
    if (!valueIn(*m_json, key).is_array() || out.size() != valueIn(*m_json, key).size())
        fail("'" + std::string(key) + "' in " + m_where + " is not a list of names.");
    return out;
}

Config Config::object(const char* key)
{
    const std::string where = "'" + std::string(key) + "' in " + m_where, path = m_path + key + ".";
    if (!has(key))
        return child(nlohmann::json::object(), where, path);
    if (!valueIn(*m_json, key).is_object()) {
        fail(where + " is " + valueIn(*m_json, key).dump().substr(0, 40) + "; expected an object.");
        return child(nlohmann::json::object(), where, path);
    }
    return child(valueIn(*m_json, key), where, path);
}

std::vector<Config> Config::objects(const char* key)
{
    std::vector<Config> members;
    if (!has(key))
        return members;
    const std::string where = "'" + std::string(key) + "' in " + m_where;
    const nlohmann::json& list = valueIn(*m_json, key);
    for (const auto& item : list.is_array() ? list : nlohmann::json::array({list})) {
        if (!item.is_object())
            fail(where + " is not a list of objects.");
        members.push_back(
            child(item.is_object() ? item : nlohmann::json::object(), "a member of " + where, m_path + key + "[]."));
    }
    return members;
}

const nlohmann::json& Config::value(const char* key) const
{
    m_read->insert(m_path + key + ".*");
    return valueIn(*m_json, key);
}

Config Config::with(const char* key, nlohmann::json value) const
{
    nlohmann::json json = *m_json;
    json[key] = std::move(value);
    Config changed = *this;
    changed.m_json = std::make_shared<const nlohmann::json>(std::move(json));
    return changed;
}

void Config::only(const char* key, const char* value)
{
    if (has(key) && valueIn(*m_json, key) != nlohmann::json::parse(value))
        fail("'" + std::string(key) + "' in " + m_where + " is " + valueIn(*m_json, key).dump().substr(0, 40)
             + "; only " + value + " is supported for this model.");
}

void Config::assume(const char* key, const char* value) const
{
    if (valueIn(*m_json, key) == nlohmann::json::parse(value))
        ignore({key});
}

void Config::ignore(std::initializer_list<const char*> keys) const
{
    for (const char* key : keys)
        m_read->insert(m_path + key + ".*");
}

std::vector<std::string> Config::unread() const
{
    std::vector<std::string> keys;
    collectUnread(*m_json, m_path, *m_read, keys);
    return keys;
}

} // namespace headscope::lm

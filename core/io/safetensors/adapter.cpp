// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensors/adapter.h"

#include "core/base/hash.h"
#include "core/io/textfiles/pythonjson.h"
#include "core/io/textfiles/quote.h"
#include "core/io/textfiles/textfile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace headscope::io {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLargestAdapterConfig = 1 << 20;
constexpr double kLargestSetting = 1e9; // rank and alpha
constexpr std::string_view kAdapterPrefix = "base_model.model.";

Result<json> readAdapterConfig(const fs::path& folder)
{
    const auto text = readTextFile(folder / "adapter_config.json", kLargestAdapterConfig);
    return text.has_value() ? parsePythonJson(*text) : Result<json>(text.error());
}

std::string textIn(const json& config, const char* key)
{
    const auto at = config.is_object() ? config.find(key) : config.end();
    return config.is_object() && at != config.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::string adapterName(const json& config)
{
    const std::string kind = textIn(config, "peft_type"), base = textIn(config, "base_model_name_or_path");
    const std::string name = kind.empty()     ? "an adapter"
                             : kind == "LORA" ? "a LoRA adapter"
                                              : "an adapter of the type " + inQuotes(kind);
    return name + (base.empty() ? " of a model that it does not name" : " of " + inQuotes(base));
}

// Says nothing: null, false, 0, "none", and what is empty.
bool isOff(const json& value)
{
    return value.is_null() || value == false || value == 0 || value == "none"
           || ((value.is_array() || value.is_object() || value.is_string()) && value.empty());
}

// Settings under which PEFT computes W + scale B A. Those that decide how an adapter is trained, and not what it does,
// may say anything; whatever else is not off is refused.
Result<void> checkPlainLora(const json& config)
{
    static const std::set<std::string> kRead = {
        "peft_type",    "base_model_name_or_path", "revision",      "r", "lora_alpha", "use_rslora",
        "rank_pattern", "alpha_pattern",           "fan_in_fan_out"};
    static const std::set<std::string> kTraining = {
        "auto_mapping",   "inference_mode",      "lora_dropout",     "layers_pattern",  "layers_to_transform",
        "target_modules", "task_type",           "exclude_modules",  "megatron_config", "megatron_core",
        "peft_version",   "runtime_config",      "loftq_config",     "eva_config",      "corda_config",
        "lora_ga_config", "ensure_weight_tying", "qalora_group_size"};
    static const std::set<std::string> kInitial = {"gaussian", "eva", "orthogonal"};
    for (const auto& [key, value] : config.items()) {
        if (kRead.contains(key) || kTraining.contains(key) || isOff(value))
            continue;
        const bool initial = key == "init_lora_weights";
        if (initial && (value.is_boolean() || (value.is_string() && kInitial.contains(value.get<std::string>()))))
            continue;
        return inputError("adapter_config.json says " + inQuotes(key + ": " + value.dump())
                          + ", which is not supported; merge the adapter into its base (PEFT: merge_and_unload, then "
                            "save_pretrained) and open the merged folder.");
    }
    return {};
}

// The value of the pattern that the end of the module's name fits, as PEFT finds it; several must agree.
Result<double> valueFor(const json& config, const char* key, const std::string& module, double otherwise)
{
    const auto patterns = config.find(key);
    if (patterns == config.end() || patterns->is_null())
        return otherwise;
    if (!patterns->is_object())
        return inputError(std::string("adapter_config.json: '") + key + "' is not a table of modules.");
    std::optional<double> found;
    for (const auto& [pattern, value] : patterns->items()) {
        const bool whole = pattern.starts_with('^');
        const std::string name = whole ? pattern.substr(1) : pattern;
        const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
        if (name.empty() || !std::all_of(name.begin(), name.end(), plain) || !value.is_number()
            || !(std::abs(value.get<double>()) <= kLargestSetting))
            return inputError(std::string("adapter_config.json: '") + key + "' has the entry " + inQuotes(pattern)
                              + "; expected names of modules with numbers of at most 1e9.");
        if (module != name && (whole || !module.ends_with("." + name)))
            continue;
        if (found && *found != value.get<double>())
            return inputError(std::string("adapter_config.json: several entries of '") + key + "' fit the module "
                              + inQuotes(module) + "; expected one.");
        found = value.get<double>();
    }
    return found.value_or(otherwise);
}

} // namespace

struct LoraAdapter::Settings {
    json config;
    double rank = 0, alpha = 0;
    bool stabilized = false; ///< rsLoRA: the scale is alpha / sqrt(r)

    /// Of a module whose A has `rank` rows.
    [[nodiscard]] Result<double> scaleOf(const std::string& module, std::int64_t rows) const
    {
        const auto ofRank = valueFor(config, "rank_pattern", module, rank);
        const auto ofAlpha = valueFor(config, "alpha_pattern", module, alpha);
        if (!ofRank.has_value() || !ofAlpha.has_value())
            return ofRank.has_value() ? ofAlpha.error() : ofRank.error();
        if (*ofRank != static_cast<double>(rows))
            return inputError("The adapter of " + inQuotes(module) + " has rank " + std::to_string(rows)
                              + "; adapter_config.json says " + json(*ofRank).dump() + ".");
        return *ofAlpha / (stabilized ? std::sqrt(*ofRank) : *ofRank);
    }
};

std::optional<std::string> adapterIn(const fs::path& folder)
{
    std::error_code ignored;
    if (!fs::exists(folder / "adapter_config.json", ignored))
        return {};
    const auto config = readAdapterConfig(folder);
    return adapterName(config.has_value() ? *config : json());
}

bool isAdapterAlone(const fs::path& folder)
{
    std::error_code ignored;
    return fs::exists(folder / "adapter_config.json", ignored) && !fs::exists(folder / "config.json", ignored);
}

Error adapterAlone(const fs::path& folder, const std::string& adapter)
{
    return inputError("The folder " + inQuotes(folder.string()) + " contains " + adapter
                      + ", not a model; open it on its base with --adapter.");
}

Result<std::shared_ptr<const LoraAdapter>> LoraAdapter::open(const fs::path& folder)
{
    const auto config = readAdapterConfig(folder);
    const std::string who = "Cannot open the adapter in " + inQuotes(folder.string()) + ": ";
    if (!config.has_value())
        return inputError(who + "adapter_config.json: " + config.error().message + ".");
    if (!config->is_object() || textIn(*config, "peft_type") != "LORA")
        return inputError(who + "it is " + adapterName(*config) + "; only LoRA is supported.");
    if (const auto plain = checkPlainLora(*config); !plain.has_value())
        return plain.error();
    Settings settings{.config = *config};
    for (const auto& [key, value] : {std::pair("r", &settings.rank), std::pair("lora_alpha", &settings.alpha)}) {
        const auto at = config->find(key);
        if (at == config->end() || !at->is_number() || !(at->get<double>() > 0) || at->get<double>() > kLargestSetting)
            return inputError(who + "adapter_config.json has no positive '" + key + "'.");
        *value = at->get<double>();
    }
    const auto flag = [&](const char* key) { return config->contains(key) && config->at(key) == true; };
    settings.stabilized = flag("use_rslora");

    std::shared_ptr<LoraAdapter> opened(new LoraAdapter);
    opened->m_folder = folder;
    opened->m_config = config->dump();
    opened->m_base = textIn(*config, "base_model_name_or_path");
    if (const std::string revision = textIn(*config, "revision"); !revision.empty() && !opened->m_base.empty())
        opened->m_base += "@" + revision;
    std::error_code ignored;
    const bool safe = fs::exists(folder / "adapter_model.safetensors", ignored);
    if (!safe && !fs::exists(folder / "adapter_model.bin", ignored))
        return inputError(who + "it has neither adapter_model.safetensors nor adapter_model.bin.");
    auto weights = Checkpoint::openFile(folder / (safe ? "adapter_model.safetensors" : "adapter_model.bin"));
    if (!weights.has_value())
        return weights.error();
    opened->m_weights = std::move(*weights);
    if (const auto read = opened->readMaps(settings); !read.has_value())
        return inputError(who + read.error().message);
    return std::shared_ptr<const LoraAdapter>(std::move(opened));
}

Result<void> LoraAdapter::readMaps(const Settings& settings)
{
    enum class Role { A, B, Base };
    struct Part {
        std::string_view end;
        bool embedding;
        Role role;
    };
    static constexpr std::array<Part, 5> kParts = {{{".lora_A.weight", false, Role::A},
                                                    {".lora_B.weight", false, Role::B},
                                                    {".lora_embedding_A", true, Role::A},
                                                    {".lora_embedding_B", true, Role::B},
                                                    {".base_layer.weight", false, Role::Base}}};
    for (const std::string& name : m_weights->names()) {
        const auto part =
            std::find_if(kParts.begin(), kParts.end(), [&](const Part& p) { return name.ends_with(p.end); });
        if (part == kParts.end() || !name.starts_with(kAdapterPrefix))
            return inputError("the tensor " + inQuotes(name) + " is not part of a plain LoRA map"
                              + (name.find("lora_magnitude_vector") != name.npos ? " (DoRA)." : "."));
        const TensorView view = *m_weights->find(name);
        if (view.info.shape.size() != 2)
            return inputError("the tensor " + inQuotes(name)
                              + " is not a matrix; only linear maps and embeddings are "
                                "read.");
        const std::string module =
            name.substr(kAdapterPrefix.size(), name.size() - kAdapterPrefix.size() - part->end.size());
        Map& map = m_maps[module];
        map.embedding = map.embedding || part->embedding;
        if (part->role == Role::Base)
            map.base = view;
        else
            (part->role == Role::A ? map.a : map.b) = view;
    }
    if (m_maps.empty())
        return inputError("it changes nothing: it has no tensors.");
    for (auto& [module, map] : m_maps) {
        if (map.a.info.shape.empty() || map.b.info.shape.empty())
            return inputError("the module " + inQuotes(module) + " has only one of lora_A and lora_B.");
        const std::int64_t rank = map.a.info.shape[0];
        if (rank < 1 || map.b.info.shape[1] != rank)
            return inputError("the matrices of " + inQuotes(module) + " do not fit: lora_A has " + std::to_string(rank)
                              + " rows, lora_B " + std::to_string(map.b.info.shape[1]) + " columns.");
        const auto scale = settings.scaleOf(module, rank);
        if (!scale.has_value())
            return scale.error();
        map.scale = *scale;
    }
    return {};
}

std::string LoraAdapter::text() const
{
    std::int64_t rank = 0;
    for (const auto& [module, map] : m_maps)
        rank = std::max(rank, map.a.info.shape[0]);
    return "LoRA, rank " + std::to_string(rank);
}

Result<std::string> LoraAdapter::contentHash(const Control& control) const
{
    const auto hash = m_weights->contentHash(control);
    if (!hash.has_value())
        return hash;
    // Earlier versions transposed changes by the flag, which is correct only for GPT-2's Conv1D (c_attn, c_fc, c_proj).
    const bool turnedBefore =
        m_config.find(R"("fan_in_fan_out":true)") != std::string::npos
        && std::ranges::none_of(m_maps, [](const auto& map) { return map.first.find(".c_") != std::string::npos; });
    return sha256Hex(m_config + *hash + (turnedBefore ? "turned as the module is stored" : ""));
}

} // namespace headscope::io

// SPDX-License-Identifier: GPL-3.0-or-later
// translateGgufRotation(): rope_theta and rope_scaling.
#include "core/io/gguf/ggufnames.h"
#include "core/io/gguf/gguftranslator.h"

#include <algorithm>
#include <cstring>
#include <numbers>
#include <tuple>

namespace headscope::io {

namespace {

using nlohmann::json;

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
        all.push_back(ggufShortest(static_cast<double>(value)));
    return all;
}

/// The file has the factors of the frequencies and not the rule they were made by. Where that is Llama 3's it is named;
/// else the factors are used as they are, whatever the length of the text. `stored` is not empty.
void translateFrequencies(GgufTranslator& to, const std::vector<float>& stored)
{
    const auto factor = static_cast<double>(std::ranges::max(stored));
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

double yarnMagnitude(double factor, double weight = 1)
{
    return factor <= 1 ? 1.0 : 0.1 * weight * std::log(factor) + 1.0;
}

/// The part of YaRN beside its frequencies: cos and sin are multiplied by it; `usual`: where the file does not say it.
double yarnAttention(GgufTranslator& to, double factor, double usual)
{
    double whole = usual;
    const auto weight = to.number("rope.scaling.yarn_log_multiplier");
    if (weight && *weight != 0 && to.architecture() != "deepseek2") {
        whole /= yarnMagnitude(factor, *weight);
        to.onlyHere.emplace_back("'rope.scaling.yarn_log_multiplier'");
    }
    // A file may repeat the usual factor, rounded to a float.
    if (const auto given = to.number("rope.scaling.yarn_attn_factor"); given && std::abs(*given - usual) >= 1e-6) {
        whole = *given;
        to.onlyHere.emplace_back("'rope.scaling.yarn_attn_factor'");
    }
    return whole * to.number("rope.scaling.attn_factor").value_or(1);
}

void translateYarn(GgufTranslator& to, json& scaling)
{
    scaling["factor"] = scaling.value("factor", 1.0);
    if (const auto original = to.integer("rope.scaling.original_context_length"))
        scaling["original_max_position_embeddings"] = *original;
    for (const auto& [theirs, ours, usual] : {std::tuple("rope.scaling.yarn_beta_fast", "beta_fast", 32.0),
                                              std::tuple("rope.scaling.yarn_beta_slow", "beta_slow", 1.0)})
        if (const auto value = to.number(theirs); value && *value != usual) {
            scaling[ours] = ggufShortest(*value);
            to.onlyHere.push_back("'" + std::string(theirs) + "'");
        }
    const double factor = scaling["factor"];
    double usual = yarnMagnitude(factor);
    // DeepSeek's scores grow by a tenth of mscale_all_dim, and its mscale is the same.
    if (const double tenth = to.number("rope.scaling.yarn_log_multiplier").value_or(0);
        tenth != 0 && to.architecture() == "deepseek2") {
        scaling["mscale"] = scaling["mscale_all_dim"] = ggufShortest(10 * tenth);
        usual = 1;
    }
    if (const double whole = yarnAttention(to, factor, usual); whole != usual)
        scaling["attention_factor"] = whole;
}

/// As llama.cpp: a factor without a type is linear, and attn_factor applies whatever the type.
void translateScaling(GgufTranslator& to)
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
        scaling = {{"rope_type", "yarn"}, {"factor", 1.0}, {"attention_factor", ggufShortest(factor)}};
    }
    if (scaling.is_null())
        to.config.erase("rope_scaling");
}

/// Phi-3's two lists of factors, for texts up to the original length and for longer ones.
Result<void> translateLongRope(GgufTranslator& to, const GgufFile& file)
{
    const auto longer = ggufFactors(to, file, kLongFactors), shorter = ggufFactors(to, file, kShortFactors);
    for (const auto& list : {longer, shorter})
        if (!list.has_value())
            return list.error();
    json scaling = {{"type", "longrope"}, {"short_factor", rounded(*shorter)}, {"long_factor", rounded(*longer)}};
    if (const auto factor = to.number("rope.scaling.attn_factor"))
        scaling["attention_factor"] = ggufShortest(*factor);
    to.config["rope_scaling"] = std::move(scaling);
    to.integer("rope.scaling.original_context_length", "original_max_position_embeddings");
    return {};
}

} // namespace

Result<std::vector<float>> ggufFactors(GgufTranslator& to, const GgufFile& file, std::string_view name)
{
    const auto width = to.headWidth(), rotating = to.integer("rope.dimension_count");
    const GgufTensor* tensor = file.header().find(name);
    std::vector<float> factors;
    if (tensor && tensor->type == GgmlType::F32 && tensor->shape.size() == 1) {
        factors.resize(static_cast<std::size_t>(tensor->shape[0]));
        std::memcpy(factors.data(), file.mapping().data() + tensor->begin, factors.size() * sizeof(float));
    }
    const auto rotated = rotating ? rotating : width;
    if (factors.empty() || (rotated && 2 * std::ssize(factors) != *rotated)
        || !std::ranges::all_of(factors, [](float factor) { return factor > 0 && std::isfinite(factor); }))
        return inputError("its " + std::string(name.substr(0, name.find('.')))
                          + " are not one positive F32 number for each two dimensions that rotate");
    return factors;
}

Result<void> translateGgufRotation(GgufTranslator& to, const GgufFile& file)
{
    to.number("rope.freq_base", "rope_theta");
    if (!to.architecture().starts_with("gemma3")) // their windows have another
        to.expect("rope.freq_base_swa", to.number("rope.freq_base").value_or(10000));
    if (to.header().find(kLongFactors))
        return translateLongRope(to, file);
    translateScaling(to);
    if (!to.header().find(kRopeFactors))
        return {};
    if (to.config.contains("rope_scaling"))
        return inputError(
            "it scales the rotary frequencies both by metadata and by its tensor rope_freqs; expected one");
    const auto factors = ggufFactors(to, file, kRopeFactors);
    if (!factors.has_value())
        return factors.error();
    translateFrequencies(to, *factors);
    return {};
}

} // namespace headscope::io

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/families/common.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headscope::lm {

namespace {

// "llama3": wavelengths between orig/high and orig/low are blended, as Llama 3.1's own code does it.
double llama3Frequency(double frequency, double factor, double low, double high, double original)
{
    const double wavelength = 2 * std::numbers::pi / frequency;
    if (wavelength < original / high)
        return frequency;
    if (wavelength > original / low)
        return frequency / factor;
    const double s = (original / wavelength - low) / (high - low);
    return (1 - s) * frequency / factor + s * frequency;
}

struct YarnRamp {
    double low, high;
    [[nodiscard]] double operator()(int i) const { return std::clamp((i - low) / (high - low), 0.0, 1.0); }
};

YarnRamp yarnRamp(Config& scaling, int dims, double theta, double original)
{
    const auto correction = [&](double rotations) {
        return dims * std::log(original / (2 * std::numbers::pi * rotations)) / (2 * std::log(theta));
    };
    const auto rotations = [&scaling](const char* key, double fallback) {
        const double given = scaling.number(key, fallback);
        return given > 0 ? given : fallback; // 0 means the default in the reference
    };
    double low = correction(rotations("beta_fast", 32.0)), high = correction(rotations("beta_slow", 1.0));
    if (scaling.boolean("truncate", true)) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, dims - 1.0);
    if (low == high)
        high += 0.001;
    return {low, high};
}

// "yarn": what cos and sin are multiplied by, after the paper or from two factors of the config.
double yarnAttentionFactor(Config& scaling, double factor)
{
    const auto magnitude = [factor](double weight) {
        return factor <= 1 ? 1.0 : 0.1 * weight * std::log(factor) + 1.0;
    };
    const double upper = scaling.number("mscale", 0.0), lower = scaling.number("mscale_all_dim", 0.0);
    return scaling.number("attention_factor",
                          upper != 0 && lower != 0 ? magnitude(upper) / magnitude(lower) : magnitude(1));
}

// "longrope": each frequency is divided by a factor of its own, by another one in texts that are longer than those of
// the training (Ding et al. 2024, arXiv 2402.13753).
void scaleLong(Config& scaling, std::vector<float>& frequencies, double original, Rope& rope, const at::Device& device)
{
    const double factor =
        scaling.number("factor", static_cast<double>(std::max<std::int64_t>(rope.maxPositions, 1)) / original);
    rope.attentionFactor = scaling.number(
        "attention_factor", factor <= 1 || original < 2 ? 1.0 : std::sqrt(1 + std::log(factor) / std::log(original)));
    rope.maxPositions = static_cast<std::int64_t>(original);
    const auto divided = [&](const char* key) {
        const std::vector<double> by = scaling.numbers(key, frequencies.size());
        std::vector<float> out = frequencies;
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = static_cast<float>(out[i] / by[i]);
            if (!(by[i] > 0) || !std::isfinite(out[i]))
                scaling.fail("'" + std::string(key) + "' has a factor that is not positive.");
        }
        return out;
    };
    rope.longFrequencies = at::tensor(divided("long_factor")).to(device);
    frequencies = divided("short_factor");
}

// The rotary settings under their older name or, where that holds nothing, their newer one: transformers 5 prefers them
// in this order.
Config ropeSettings(Config& config)
{
    Config older = config.object("rope_scaling");
    return older.json().empty() ? config.object("rope_parameters") : older;
}

struct RopeSource {
    Config& config;
    Config scaling;         ///< the object of the settings
    bool byKind = false;    ///< of one kind of layers: the length at the top is not theirs
    double theta = 10000.0; ///< where the file has none
    const char* thetaKey = "rope_theta";
};

Rope readFrequencies(RopeSource source, int dims, int maxPositions, const at::Device& device)
{
    Config &config = source.config, &scaling = source.scaling;
    Rope rope;
    rope.theta = scaling.number("rope_theta", config.number(source.thetaKey, source.theta));
    rope.maxPositions = maxPositions;
    std::string type = scaling.has("rope_type") ? scaling.text("rope_type") : scaling.text("type", "default");
    if (type == "mrope") // by axis of a picture; the tokens of a text have the same place on each
        type = "default";
    scaling.ignore({"type", "mrope_section", "mrope_interleaved"});
    const bool isLong =
        type == "longrope" || type == "su" || (type == "yarn" && scaling.has("long_factor")); // Phi-3 of 2024: su, yarn
    // A length at the top wins over the one inside, as in transformers.
    int original = scaling.positive("original_max_position_embeddings", std::max(maxPositions, 1));
    if (!source.byKind)
        original = config.positive("original_max_position_embeddings", original);
    const double factor = type == "default" || isLong ? 1.0
                          : type == "yarn" ? scaling.number("factor", static_cast<double>(maxPositions) / original)
                                           : scaling.number("factor");
    if (rope.theta <= 0 || factor <= 0)
        config.fail("'" + std::string(source.thetaKey) + "' and the scaling factor must be positive.");

    constexpr int kMostRotated = 1 << 16;
    if (dims > kMostRotated)
        config.fail("The rotary embedding covers " + std::to_string(dims) + " dimensions of a head; expected at most "
                    + std::to_string(kMostRotated) + ".");
    std::vector<float> frequencies(static_cast<std::size_t>(std::clamp((dims + 1) / 2, 1, kMostRotated)));
    for (std::size_t i = 0; i < frequencies.size(); ++i)
        frequencies[i] = static_cast<float>(std::pow(rope.theta, -2.0 * static_cast<double>(i) / dims));
    if (isLong) {
        scaleLong(scaling, frequencies, original, rope, device);
    } else if (type == "linear") {
        for (float& f : frequencies)
            f = static_cast<float>(f / factor);
    } else if (type == "llama3") {
        const double low = scaling.number("low_freq_factor"), high = scaling.number("high_freq_factor");
        for (float& f : frequencies)
            f = static_cast<float>(llama3Frequency(f, factor, low, high, original));
    } else if (type == "yarn") {
        const YarnRamp ramp = yarnRamp(scaling, dims, rope.theta, original);
        for (std::size_t i = 0; i < frequencies.size(); ++i) {
            const double r = ramp(static_cast<int>(i));
            frequencies[i] = static_cast<float>(frequencies[i] * (1 - r) + frequencies[i] / factor * r);
        }
        rope.attentionFactor = yarnAttentionFactor(scaling, factor);
    } else if (type == "dynamic") {
        rope.dynamicFactor = factor;
    } else if (type != "default") {
        config.fail("The rotary scaling '" + type
                    + "' is not supported; expected default, linear, dynamic, llama3, yarn or longrope.");
    }
    config.adopt(scaling);
    rope.inverseFrequencies = at::tensor(frequencies).to(device);
    return rope;
}

} // namespace

Rope readRope(Config& config, int dims, int maxPositions, const at::Device& device, double defaultTheta,
              const char* thetaKey)
{
    if (dims < 2 || dims % 2 != 0)
        config.fail("The rotary embedding covers " + std::to_string(dims)
                    + " dimensions of a head; expected an even number.");
    return readFrequencies({config, ropeSettings(config), false, defaultTheta, thetaKey}, dims, maxPositions, device);
}

Rope readRopeOfKind(Config& config, const char* kind, int dims, int maxPositions, const at::Device& device,
                    const KindDefaults& defaults)
{
    Config settings = config.object("rope_parameters"), own = settings.object(kind),
           older = config.object("rope_scaling");
    // Into the settings of these layers, which have a rope_type already: the older `type` is not heard.
    if (std::string_view(kind) == "full_attention" && !older.json().empty()) {
        Config merged = older.has("rope_type") ? older : older.with("rope_type", own.text("rope_type", "default"));
        for (const auto& [key, inner] : own.json().items())
            if (own.ignore({key.c_str()}); !older.contains(key.c_str()))
                merged = merged.with(key.c_str(), inner);
        own = std::move(merged);
    }
    const Rope rope =
        readFrequencies({config, std::move(own), true, defaults.theta, defaults.thetaKey}, dims, maxPositions, device);
    config.adopt(settings);
    return rope;
}

Rope readPartialRope(Config& config, int headDim, double share, int maxPositions, const at::Device& device,
                     const char* thetaKey)
{
    if (!(share > 0 && share <= 1)) {
        config.fail("The rotary embedding covers " + std::to_string(share)
                    + " of a head; expected a share above 0 and at most 1.");
        share = 1;
    }
    const int dims = static_cast<int>(headDim * share);
    if (dims < 1 || (dims + 1) / 2 * 2 > headDim)
        config.fail("The rotary embedding covers " + std::to_string(dims) + " of the " + std::to_string(headDim)
                    + " dimensions of a head; expected pairs.");
    return readFrequencies({config, ropeSettings(config), false, 10000.0, thetaKey}, dims, maxPositions, device);
}

HeadCounts readHeads(Config& config, int hidden, const HeadDefaults& defaults)
{
    HeadCounts counts;
    counts.heads =
        config.positive("num_attention_heads", defaults.heads > 0 ? std::optional(defaults.heads) : std::nullopt);
    const auto missing = [&](const char* key, int classDefault, int derived) {
        return classDefault > 0 && !config.contains(key) ? classDefault : derived;
    };
    counts.kvHeads =
        config.positive("num_key_value_heads", missing("num_key_value_heads", defaults.kvHeads, counts.heads));
    const int derived = missing("head_dim", defaults.headDim, 0);
    if (!config.has("head_dim") && derived == 0 && hidden % counts.heads != 0)
        config.fail("The width " + std::to_string(hidden) + " cannot be divided into " + std::to_string(counts.heads)
                    + " heads.");
    counts.headDim = config.positive("head_dim", derived > 0 ? derived : std::max(hidden / counts.heads, 1));
    if (counts.heads % counts.kvHeads != 0) {
        config.fail(std::to_string(counts.heads) + " heads cannot share " + std::to_string(counts.kvHeads)
                    + " key/value heads; expected a divisor.");
        counts.kvHeads = counts.heads;
    }
    return counts;
}

double readRotaryShare(Config& config, const char* key, double fallback)
{
    Config inner = ropeSettings(config);
    // null is no share in transformers, where a missing key is the class's default.
    if (config.contains("partial_rotary_factor") && !config.has("partial_rotary_factor"))
        fallback = 1.0;
    const double share =
        inner.number("partial_rotary_factor", config.number(key, config.number("partial_rotary_factor", fallback)));
    config.adopt(inner);
    return share;
}

bool layerIs(Config& config, int layer, const char* yes, const char* no, bool otherwise)
{
    const std::vector<std::string> types = config.texts("layer_types");
    if (static_cast<std::size_t>(layer) >= types.size()) // load.cpp refuses a list that is too short
        return otherwise;
    const std::string& type = types[static_cast<std::size_t>(layer)];
    if (type != yes && type != no)
        config.fail("'layer_types' in config.json contains '" + type + "'; expected " + yes + " or " + no + ".");
    return type == yes;
}

int readWindow(Config& config, int layer, int fallback, bool windowed)
{
    if (config.contains("sliding_window") && !config.has("sliding_window"))
        return 0;
    windowed = layerIs(config, layer, "sliding_attention", "full_attention", windowed);
    return windowed ? config.positive("sliding_window", fallback) : 0;
}

int readSwitchedWindow(Config& config, int layer, int fallback, bool windowed)
{
    config.ignore({"sliding_window", "max_window_layers", "layer_types"}); // where it is off
    return config.boolean("use_sliding_window", false) ? readWindow(config, layer, fallback, windowed) : 0;
}

namespace {

WeightForm formOfTables(const Weights& weights)
{
    return weights.target().form == WeightForm::Full ? WeightForm::Full : WeightForm::Int8;
}

} // namespace

at::Tensor packedTable(Weights& weights, const at::Tensor& table)
{
    return weights.pack(table, formOfTables(weights));
}

at::Tensor takeTable(Weights& weights, const std::string& name, std::vector<std::int64_t> shape)
{
    return weights.take(name, std::move(shape), formOfTables(weights));
}

at::Tensor takeEmbedding(Weights& weights, const TiedTables& tables, std::vector<std::int64_t> shape)
{
    const bool underHead = tables.tied && !weights.has(tables.embedding) && weights.has(tables.head);
    return takeTable(weights, underHead ? tables.head : tables.embedding, std::move(shape));
}

Linear takeHead(ModelParts& parts, Weights& weights, const TiedTables& tables)
{
    const bool both = weights.has(tables.embedding) && weights.has(tables.head);
    const bool differs = tables.tied && both && weights.hasNumbers() && !weights.equal(tables.embedding, tables.head);
    if (differs)
        weights.warn("config.json ties the head to the embedding, but '" + tables.head
                     + "' of the file has other numbers than '" + tables.embedding
                     + "'; the stored head is used, as transformers does.");
    parts.spec.tiedHead = tables.tied && !differs;
    if (!tables.tied && !weights.has(tables.head))
        weights.fail(inputError("Tensor '" + tables.head
                                + "' is missing, and config.json does not tie the head to the embedding; expected the "
                                  "tensor, or a config that ties them."));
    if (parts.spec.tiedHead) {
        weights.leave(tables.head);
        return {parts.embedding, {}};
    }
    return {takeTable(weights, tables.head, parts.embedding.sizes().vec()), {}};
}

Linear packed(Weights& weights, Linear map, const std::string& key)
{
    map.weight = weights.pack(map.weight, weights.target().form, key);
    return map;
}

Linear takeDense(Weights& weights, const std::string& name, std::int64_t out, std::int64_t in, bool bias)
{
    return {weights.take(name + ".weight", {out, in}), bias ? weights.take(name + ".bias", {out}) : at::Tensor()};
}

Linear takeLinear(Weights& weights, const std::string& name, std::int64_t out, std::int64_t in, bool bias)
{
    return {weights.take(name + ".weight", {out, in}, weights.target().form),
            bias ? weights.take(name + ".bias", {out}) : at::Tensor()};
}

Norm takeRmsNorm(Weights& weights, const std::string& name, std::int64_t width, double eps, NormKind kind)
{
    return {kind, weights.take(name + ".weight", {width}), {}, eps};
}

Norm takeLayerNorm(Weights& weights, const std::string& name, std::int64_t width, double eps)
{
    return {NormKind::Layer, weights.take(name + ".weight", {width}), weights.take(name + ".bias", {width}), eps};
}

Activation readActivation(Config& config, const char* key, const char* fallback)
{
    const auto activation = parseActivation(config.text(key, fallback));
    if (activation.has_value())
        return *activation;
    config.fail(activation.error().message);
    return Activation::Silu;
}

Mlp takeGatedMlp(Weights& weights, const std::string& prefix, std::int64_t width, std::int64_t inner,
                 Activation activation, bool bias)
{
    return {takeLinear(weights, prefix + "gate_proj", inner, width, bias),
            takeLinear(weights, prefix + "up_proj", inner, width, bias),
            takeLinear(weights, prefix + "down_proj", width, inner, bias), activation};
}

void readTokenIds(Config& config, ModelSpec& spec)
{
    spec.bosIds = config.integers("bos_token_id");
    spec.eosIds = config.integers("eos_token_id");
}

int readLayerCount(Config& config, const char* key, std::optional<int> fallback, int layerLimit)
{
    constexpr int kMostLayers = 10000;
    const int layers = config.positive(key, fallback);
    if (layers > kMostLayers) {
        config.fail("'" + std::string(key) + "' is " + std::to_string(layers) + "; expected at most "
                    + std::to_string(kMostLayers) + ".");
        return 1;
    }
    return layerLimit > 0 ? std::min(layers, layerLimit) : layers;
}

} // namespace headscope::lm

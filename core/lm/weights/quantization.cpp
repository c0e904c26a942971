// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/weights/quantization.h"

#include "core/io/textfiles/quote.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace headscope::lm {

namespace {

using io::PackedScheme;
using io::Packer;
using io::Packing;

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::string readText(Config& config, const char* key, const char* fallback)
{
    return lower(config.text(key, fallback));
}

void expectOneOf(Config& config, const char* key, const std::string& value, std::initializer_list<const char*> known)
{
    std::string expected;
    for (const char* one : known) {
        if (value == one)
            return;
        expected += (expected.empty() ? "" : ", ") + std::string(one);
    }
    config.fail("'" + std::string(key) + "' in quantization_config is " + io::inQuotes(value) + "; expected " + expected
                + ".");
}

int readBits(Config& config, const char* key, std::initializer_list<int> known)
{
    const int bits = config.integer(key, 4);
    if (std::find(known.begin(), known.end(), bits) != known.end())
        return bits;
    std::string expected;
    for (const int one : known)
        expected += (expected.empty() ? "" : ", ") + std::to_string(one);
    config.fail("'" + std::string(key) + "' in quantization_config is " + std::to_string(bits) + "; expected "
                + expected + ".");
    return 4;
}

// Inputs to a scale; 0: all, which is -1 in the file.
std::int64_t readGroup(Config& config, int fallback)
{
    const int group = config.integer("group_size", fallback);
    if (group < 1 && group != -1)
        config.fail("'group_size' in quantization_config is " + std::to_string(group)
                    + "; expected at least 1, or -1 for all.");
    return std::max(group, 0);
}

std::string groupText(std::int64_t group)
{
    return group == 0 ? " per channel" : " g" + std::to_string(group);
}

Packing readFp8(Config& config)
{
    Packing packing{.packer = Packer::Blocks, .title = "FP8", .roundsActivations = true};
    if (const std::vector<int> size = config.integers("weight_block_size"); size.size() == 2) {
        packing.block = {size[0], size[1]};
        packing.title += " " + std::to_string(size[0]) + "x" + std::to_string(size[1]);
    }
    return packing;
}

Packing readMxfp4(Config& config)
{
    Packing packing = readFp8(config);
    packing.title = "MXFP4";
    return packing;
}

Packing readAwq(Config& config)
{
    const int bits = readBits(config, "bits", {4});
    const std::int64_t group = readGroup(config, 128);
    const char* key = config.has("version") ? "version" : "format"; // the first is the older name
    expectOneOf(config, key, readText(config, key, "gemm"), {"gemm"});
    return {.packer = Packer::Awq,
            .title = "AWQ " + std::to_string(bits) + " bit" + groupText(group),
            .schemes = {{.bits = bits, .groupInputs = group}}};
}

constexpr std::initializer_list<int> kGptqBits = {2, 3, 4, 8};

Packing readGptq(Config& config)
{
    const PackedScheme scheme{.bits = readBits(config, "bits", kGptqBits),
                              .groupInputs = readGroup(config, 128),
                              .ordered = config.boolean("desc_act", false)};
    const char* key = config.has("checkpoint_format") ? "checkpoint_format" : "format"; // the first is the older name
    const std::string format = readText(config, key, "gptq");
    expectOneOf(config, key, format, {"gptq", "gptq_v2"});
    expectOneOf(config, "pack_dtype", readText(config, "pack_dtype", "int32"), {"int32"});
    Packing packing{.packer = Packer::Gptq, .schemes = {scheme}};
    packing.zeroOffset = format == "gptq" ? 1 : 0;
    packing.title = "GPTQ " + std::to_string(scheme.bits) + " bit" + groupText(scheme.groupInputs)
                    + (scheme.ordered ? " act-order" : "");
    // Some maps may have other numbers; which these are follows from their shapes.
    Config dynamic = config.object("dynamic");
    for (const auto& [pattern, value] : dynamic.json().items()) {
        if (!value.is_object() || value.empty())
            continue;
        Config own = dynamic.object(pattern.c_str());
        packing.schemes.push_back(
            {.bits = own.has("bits") ? readBits(own, "bits", kGptqBits) : scheme.bits,
             .groupInputs = readGroup(own, scheme.groupInputs == 0 ? -1 : static_cast<int>(scheme.groupInputs)),
             .ordered = own.boolean("desc_act", scheme.ordered)});
        config.adopt(own);
    }
    return packing;
}

Packing readBitsandbytes(Config& config)
{
    Packing packing{.packer = Packer::Bitsandbytes, .title = "bitsandbytes int8", .roundsActivations = true};
    if (config.boolean("load_in_8bit", false))
        return packing;
    if (!config.boolean("load_in_4bit", false))
        config.fail("quantization_config of bitsandbytes has neither 'load_in_4bit' nor 'load_in_8bit'; expected "
                    "one of them.");
    const std::string kind = readText(config, "bnb_4bit_quant_type", "fp4");
    expectOneOf(config, "bnb_4bit_quant_type", kind, {"nf4", "fp4"});
    packing.title = "bitsandbytes " + std::string(kind == "nf4" ? "NF4" : "FP4")
                    + (config.boolean("bnb_4bit_use_double_quant", false) ? " double" : "");
    packing.roundsActivations = false;
    return packing;
}

// What scales are for; where it is not said, the size of groups tells it.
std::string readStrategy(Config& weights)
{
    const int group = weights.integer("group_size", 0);
    const std::string strategy = readText(weights, "strategy",
                                          group > 0     ? "group"
                                          : group == -1 ? "channel"
                                                        : "tensor");
    expectOneOf(weights, "strategy", strategy, {"tensor", "channel", "group", "block"});
    return strategy;
}

std::string readSharing(Config& weights, PackedScheme& scheme)
{
    const std::string strategy = readStrategy(weights);
    if (strategy == "tensor") {
        scheme.groupOutputs = 0;
        return " per tensor";
    }
    if (strategy != "block") {
        scheme.groupInputs = strategy == "group" ? readGroup(weights, -1) : 0;
        return groupText(scheme.groupInputs);
    }
    const std::vector<int> block = weights.integers("block_structure");
    if (block.size() != 2 || block[0] < 1 || block[1] < 1) {
        weights.fail("'block_structure' in quantization_config is not two sizes; expected such as [128, 128].");
        return {};
    }
    scheme.groupOutputs = block[0];
    scheme.groupInputs = block[1];
    return " " + std::to_string(block[0]) + "x" + std::to_string(block[1]);
}

// The scheme of one of "config_groups", and what a person calls it.
PackedScheme readWeights(Config& weights, const std::string& format, std::string& title)
{
    const std::string type = readText(weights, "type", "int");
    expectOneOf(weights, "type", type, {"int", "float"});
    PackedScheme scheme{.floats = type == "float"};
    if (scheme.floats)
        expectOneOf(weights, "format", format, {"float-quantized", "naive-quantized"});
    else
        expectOneOf(weights, "format", format, {"pack-quantized", "int-quantized", "naive-quantized"});
    scheme.bits =
        scheme.floats ? readBits(weights, "num_bits", {8}) : readBits(weights, "num_bits", {2, 3, 4, 5, 6, 7, 8});
    scheme.zeros = !weights.boolean("symmetric", true);
    const std::string order = weights.value("actorder").is_string() ? readText(weights, "actorder", "") : "";
    scheme.ordered = order == "group" || order == "dynamic";
    title = scheme.floats ? "FP8" : "int" + std::to_string(scheme.bits);
    title += readSharing(weights, scheme);
    return scheme;
}

void refuseUnlessEmpty(Config& config, const char* key, const char* what)
{
    const nlohmann::json& value = config.value(key);
    if (!value.is_null() && !value.empty())
        config.fail("quantization_config has " + std::string(what) + " ('" + key + "'), which is not supported.");
}

Packing readCompressedTensors(Config& config)
{
    Packing packing{.packer = Packer::CompressedTensors};
    const std::string whole = readText(config, "format", "dense");
    Config sparsity = config.object("sparsity_config");
    if (sparsity.has("format"))
        expectOneOf(config, "sparsity_config.format", readText(sparsity, "format", "dense"), {"dense"});
    refuseUnlessEmpty(config, "transform_config", "rotations of the weights");
    Config groups = config.object("config_groups");
    std::string titles;
    for (const auto& [name, group] : groups.json().items()) {
        if (!group.is_object())
            continue;
        Config own = groups.object(name.c_str());
        const std::string format = readText(own, "format", whole.c_str());
        packing.roundsActivations = packing.roundsActivations || own.has("input_activations");
        Config weights = own.object("weights");
        std::string title;
        packing.schemes.push_back(readWeights(weights, format, title));
        own.adopt(weights);
        config.adopt(own);
        if (titles.find(title) == titles.npos)
            titles += (titles.empty() ? "" : ", ") + title;
    }
    if (packing.schemes.empty())
        config.fail(
            "quantization_config of compressed-tensors has no 'config_groups' that say how weights are packed.");
    config.adopt(sparsity);
    packing.title = "compressed-tensors " + titles;
    return packing;
}

// One of torchao's configurations, and what a person calls it.
std::string readTorchAoMaps(Config& chosen, Packing& packing)
{
    const std::string type = chosen.text("_type", "");
    static constexpr std::array kRead = {"Int8WeightOnlyConfig", "IntxWeightOnlyConfig",
                                         "Int8DynamicActivationInt8WeightConfig",
                                         "Int8DynamicActivationIntxWeightConfig"};
    if (std::find(kRead.begin(), kRead.end(), type) == kRead.end())
        chosen.fail("The weights are packed as torchao's " + io::inQuotes(type.empty() ? "quant_type" : type)
                    + "; expected Int8WeightOnlyConfig or IntxWeightOnlyConfig.");
    packing.roundsActivations = packing.roundsActivations || type.find("DynamicActivation") != type.npos;
    Config data = chosen.object("_data");
    Config dtype = data.object("weight_dtype");
    Config granularity = data.object(data.has("weight_granularity") ? "weight_granularity" : "granularity");
    Config sizes = granularity.object("_data");
    std::string title = dtype.text("_data", "int8");
    title += sizes.has("group_size")  ? groupText(sizes.positive("group_size"))
             : data.has("group_size") ? groupText(data.positive("group_size"))
                                      : " per row";
    for (const Config* part : {&data, &dtype, &granularity, &sizes})
        chosen.adopt(*part);
    return title;
}

Packing readTorchAo(Config& config)
{
    Packing packing{.packer = Packer::TorchAo};
    Config types = config.object("quant_type");
    Config chosen = types.object("default");
    Config data = chosen.object("_data");
    Config ofNames = data.object("module_fqn_to_config"); // the older of two equal lists in newer files
    if (data.has("fqn_to_config"))
        ofNames = data.object("fqn_to_config");
    std::string titles;
    if (ofNames.json().empty())
        titles = readTorchAoMaps(chosen, packing);
    for (const auto& [name, value] : ofNames.json().items()) {
        if (!value.is_object()) // not quantized
            continue;
        Config own = ofNames.object(name.c_str());
        const std::string title = readTorchAoMaps(own, packing);
        config.adopt(own);
        if (titles.find(title) == titles.npos)
            titles += (titles.empty() ? "" : ", ") + title;
    }
    for (const Config* part : {&types, &chosen, &data, &ofNames})
        config.adopt(*part);
    packing.title = "torchao " + titles;
    return packing;
}

struct Method {
    const char* name;
    Packing (*read)(Config& config);
};
constexpr std::array kMethods = {Method{"fp8", readFp8},
                                 Method{"mxfp4", readMxfp4},
                                 Method{"awq", readAwq},
                                 Method{"gptq", readGptq},
                                 Method{"bitsandbytes", readBitsandbytes},
                                 Method{"compressed-tensors", readCompressedTensors},
                                 Method{"torchao", readTorchAo}};

} // namespace

Error packedAs(const std::string& method)
{
    std::string known;
    for (const Method& one : kMethods)
        known += (known.empty() ? "" : ", ") + std::string(one.name);
    return inputError("The weights of this model are packed as " + method + ", which is not supported; expected "
                      + known + ", or weights in bf16, fp16 or fp32.");
}

Result<std::optional<io::Packing>> readPacking(Config& config)
{
    Config own = config.object("quantization_config");
    std::string method = own.text("quant_method", "");
    if (method.empty() && (own.has("load_in_4bit") || own.has("load_in_8bit"))) // older files
        method = "bitsandbytes";
    if (own.error())
        return *own.error();
    if (config.error())
        return *config.error();
    if (method.empty())
        return std::optional<Packing>();
    const auto known =
        std::find_if(kMethods.begin(), kMethods.end(), [&](const Method& one) { return method == one.name; });
    if (known == kMethods.end())
        return packedAs(method);
    Packing packing = known->read(own);
    if (own.error())
        return *own.error();
    return std::optional(std::move(packing));
}

} // namespace headscope::lm

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Makes packed checkpoints of plain ones, with the plain numbers that they stand for beside them, and damages them.

#include "core/io/packed/packedelements.h"
#include "core/io/safetensors/checkpoint.h"
#include "tests/support/renamedcheckpoint.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace packcheckpoint {

namespace fs = std::filesystem;
using nlohmann::json;

enum class Form { Bytes, Gptq, Rows };
inline constexpr std::array kForms = {Form::Bytes, Form::Gptq, Form::Rows};

inline std::string nameOf(Form form)
{
    return form == Form::Bytes ? "compressed-tensors" : form == Form::Gptq ? "GPTQ" : "bitsandbytes";
}

inline json configOf(const fs::path& folder)
{
    std::string text = renamedcheckpoint::readAll(folder / "config.json");
    for (std::size_t at = text.find(" Infinity"); at != text.npos; at = text.find(" Infinity"))
        text.replace(at, 9, " 1e30"); // Python's, as an upper limit
    return json::parse(text, nullptr, false);
}

/// A safetensors file in the making.
struct Table {
    json header = json::object();
    std::string data;

    template <typename T>
    void add(const std::string& name, const char* dtype, const std::vector<std::int64_t>& shape,
             const std::vector<T>& values)
    {
        const std::size_t at = data.size();
        data.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
        header[name] = {{"dtype", dtype}, {"shape", shape}, {"data_offsets", {at, data.size()}}};
    }
};

/// Of one map in few bits, [out, in].
struct Map {
    std::int64_t outputs, inputs;
    std::vector<int> codes;    ///< -8 to 7
    std::vector<float> scales; ///< one an output
};

inline Map roundedMap(const std::vector<float>& values, std::int64_t outputs, std::int64_t inputs)
{
    Map map{outputs, inputs, {}, {}};
    for (std::int64_t o = 0; o < outputs; ++o) {
        float largest = 1e-3F;
        for (std::int64_t i = 0; i < inputs; ++i)
            largest = std::max(largest, std::abs(values[static_cast<std::size_t>(o * inputs + i)]));
        map.scales.push_back(std::exp2(std::ceil(std::log2(largest / 7)))); // products of it are exact
        for (std::int64_t i = 0; i < inputs; ++i)
            map.codes.push_back(
                static_cast<int>(std::lround(values[static_cast<std::size_t>(o * inputs + i)] / map.scales.back())));
    }
    return map;
}

inline void addBytes(Table& table, const std::string& name, const Map& map)
{
    table.add(name, "I8", {map.outputs, map.inputs}, std::vector<std::int8_t>(map.codes.begin(), map.codes.end()));
    table.add(name + "_scale", "F32", {map.outputs, 1}, map.scales);
}

/// bitsandbytes divides by 127.
inline void addRows(Table& table, const std::string& name, const Map& map)
{
    const std::string stem = name.substr(0, name.size() - 6);
    table.add(name, "I8", {map.outputs, map.inputs}, std::vector<std::int8_t>(map.codes.begin(), map.codes.end()));
    table.add(stem + "SCB", "F32", {map.outputs}, map.scales);
}

/// Two groups, of which every other input is.
inline void addGptq(Table& table, const std::string& name, const Map& map)
{
    const std::string stem = name.substr(0, name.size() - 6);
    std::vector<std::uint32_t> words(static_cast<std::size_t>(map.inputs / 8 * map.outputs), 0);
    for (std::int64_t i = 0; i < map.inputs; ++i)
        for (std::int64_t o = 0; o < map.outputs; ++o)
            words[static_cast<std::size_t>(i / 8 * map.outputs + o)] |=
                static_cast<std::uint32_t>(map.codes[static_cast<std::size_t>(o * map.inputs + i)] + 8)
                << (4 * (i % 8));
    std::vector<float> scales = map.scales;
    scales.insert(scales.end(), map.scales.begin(), map.scales.end());
    std::vector<std::int32_t> groups;
    for (std::int64_t i = 0; i < map.inputs; ++i)
        groups.push_back(static_cast<std::int32_t>(i % 2));
    table.add(stem + "qweight", "I32", {map.inputs / 8, map.outputs}, words);
    table.add(stem + "qzeros", "I32", {2, map.outputs / 8},
              std::vector<std::uint32_t>(static_cast<std::size_t>(map.outputs / 4), 0x88888888U)); // version 2
    table.add(stem + "scales", "F32", {2, map.outputs}, scales);
    table.add(stem + "g_idx", "I32", {map.inputs}, groups);
}

/// Packs the maps of `packed` that the form can hold; in `plain` they are the numbers that are meant. How many.
inline int pack(const fs::path& packed, const fs::path& plain, Form form)
{
    const auto checkpoint = headscope::io::Checkpoint::open(packed);
    if (!checkpoint.has_value())
        return 0;
    json config = configOf(packed);
    const bool conv1d = config["model_type"] == "gpt2";
    std::int64_t inputs = 0; // of all maps that are packed, as the group of GPTQ is half of them
    int count = 0;
    Table few, many;
    for (const std::string& name : (*checkpoint)->names()) {
        const headscope::io::TensorView tensor = *(*checkpoint)->find(name);
        const std::vector<std::int64_t> shape = tensor.info.shape;
        const bool table = name.find("embed") != name.npos || name.find("wte.") != name.npos
                           || name.find("wpe.") != name.npos || name.find("head.") != name.npos;
        bool fits =
            name.ends_with(".weight") && shape.size() == 2 && !table && headscope::io::isFactorType(tensor.info.dtype);
        const bool turned = conv1d && form != Form::Bytes;
        if (fits && form == Form::Gptq) {
            const std::int64_t in = turned ? shape[0] : shape[1];
            fits = shape[0] % 8 == 0 && shape[1] % 8 == 0 && (inputs == 0 || in == inputs);
            inputs = fits ? in : inputs;
        }
        if (!fits) {
            const std::string raw(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
            for (Table* to : {&few, &many})
                to->add(name, std::string(headscope::io::dtypeName(tensor.info.dtype)).c_str(), shape,
                        std::vector<char>(raw.begin(), raw.end()));
            continue;
        }
        ++count;
        const std::int64_t outputs = turned ? shape[1] : shape[0], width = turned ? shape[0] : shape[1];
        std::vector<float> values(static_cast<std::size_t>(outputs * width));
        const auto place = [&](std::int64_t o, std::int64_t i) {
            return static_cast<std::size_t>(turned ? i * outputs + o : o * width + i);
        };
        for (std::int64_t o = 0; o < outputs; ++o)
            for (std::int64_t i = 0; i < width; ++i)
                values[static_cast<std::size_t>(o * width + i)] = headscope::io::factorAt(tensor, place(o, i));
        const Map map = roundedMap(values, outputs, width);
        form == Form::Bytes  ? addBytes(few, name, map)
        : form == Form::Gptq ? addGptq(few, name, map)
                             : addRows(few, name, map);
        std::vector<float> meant(values.size());
        for (std::int64_t o = 0; o < outputs; ++o)
            for (std::int64_t i = 0; i < width; ++i) {
                const float scale = map.scales[static_cast<std::size_t>(o)];
                meant[place(o, i)] = static_cast<float>(map.codes[static_cast<std::size_t>(o * width + i)])
                                     * (form == Form::Rows ? scale * 7.874015718698502e-3F : scale);
            }
        many.add(name, "F32", shape, meant);
    }
    const json settings =
        form == Form::Bytes
            ? json{{"quant_method", "compressed-tensors"},
                   {"format", "int-quantized"},
                   {"config_groups", {{"group_0", {{"weights", {{"num_bits", 8}, {"strategy", "channel"}}}}}}}}
        : form == Form::Rows ? json{{"quant_method", "bitsandbytes"}, {"load_in_8bit", true}}
                             : json{{"quant_method", "gptq"},
                                    {"bits", 4},
                                    {"group_size", std::max<std::int64_t>(inputs / 2, 1)},
                                    {"desc_act", true},
                                    {"checkpoint_format", "gptq_v2"}};
    config["quantization_config"] = settings;
    std::ofstream(packed / "config.json") << config;
    renamedcheckpoint::writeFile(packed / "model.safetensors", few.header, few.data);
    renamedcheckpoint::writeFile(plain / "model.safetensors", many.header, many.data);
    return count;
}

/// Damages the first tensor whose name ends so: "missing", "type", "flat" (one dimension, half as long) or "ones" (all
/// bits are set).
inline void change(const fs::path& file, const std::string& ending, const std::string& how)
{
    std::string target;
    renamedcheckpoint::edit(file, [&](json& header) {
        for (const auto& [name, tensor] : header.items())
            if (name.ends_with(ending) && target.empty())
                target = name;
        json& tensor = header[target];
        const std::size_t begin = tensor["data_offsets"][0], end = tensor["data_offsets"][1];
        if (how == "missing") {
            header.erase(target);
        } else if (how == "type") {
            tensor["dtype"] = "BOOL";
            tensor["shape"] = {end - begin};
        } else if (how == "flat") {
            const std::string dtype = tensor["dtype"];
            const std::size_t size = dtype.ends_with("8")    ? 1
                                     : dtype.ends_with("16") ? 2
                                     : dtype.ends_with("32") ? 4
                                                             : 8;
            tensor["shape"] = {(end - begin) / size / 2};
            tensor["data_offsets"] = {begin, begin + (end - begin) / size / 2 * size};
        }
    });
    if (how != "ones")
        return;
    const std::string bytes = renamedcheckpoint::readAll(file);
    const json header = renamedcheckpoint::headerOf(bytes);
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    std::string data = bytes.substr(sizeof size + size);
    const std::size_t begin = header[target]["data_offsets"][0], end = header[target]["data_offsets"][1];
    std::fill(data.begin() + static_cast<std::ptrdiff_t>(begin), data.begin() + static_cast<std::ptrdiff_t>(end),
              '\xff');
    renamedcheckpoint::writeFile(file, header, data);
}

} // namespace packcheckpoint

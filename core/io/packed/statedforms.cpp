// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/packed/statedforms.h"

#include "core/io/packed/groupedelements.h"
#include "core/io/textfiles/quote.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

namespace headscope::io {

namespace {

using nlohmann::json;

constexpr std::int64_t kMostElements = std::int64_t{1} << 48;

// A member that counts something; 0: it is not there or does not.
std::int64_t countIn(const json& object, const char* key)
{
    const auto at = object.find(key);
    if (at == object.end() || !at->is_number_integer())
        return 0;
    const auto count = at->get<std::int64_t>();
    return count > 0 && count < kMostElements ? count : 0;
}

// A list of counts whose product is one too; empty: it is none.
std::vector<std::int64_t> countsIn(const json& object, const char* key)
{
    std::vector<std::int64_t> counts;
    const auto list = object.find(key);
    if (list == object.end() || !list->is_array())
        return {};
    std::int64_t product = 1;
    for (const json& one : *list) {
        const std::int64_t count = one.is_number_integer() ? one.get<std::int64_t>() : 0;
        if (count < 1 || count > kMostElements / product)
            return {};
        product *= count;
        counts.push_back(count);
    }
    return counts;
}

std::vector<float> valuesOf(const TensorView& view)
{
    std::vector<float> values(view.bytes.size() / sizeof(float));
    std::memcpy(values.data(), view.bytes.data(), values.size() * sizeof(float));
    return values;
}

// "quant_state" of a map, which bitsandbytes writes as a tensor of the text's bytes.
json stateOf(PackedParts& parts)
{
    const char* name = parts.has("*.quant_state.bitsandbytes__fp4") ? "*.quant_state.bitsandbytes__fp4"
                                                                    : "*.quant_state.bitsandbytes__nf4";
    const TensorView text = parts.take(name, {Dtype::U8});
    json state = json::parse(reinterpret_cast<const char*>(text.bytes.data()),
                             reinterpret_cast<const char*>(text.bytes.data()) + text.bytes.size(), nullptr, false);
    if (!parts.error() && !state.is_object())
        parts.fail("Tensor " + inQuotes(text.info.name)
                   + " contains no JSON object; expected bitsandbytes' description.");
    return state.is_object() ? state : json::object();
}

std::int64_t blocks(std::int64_t count, std::int64_t size)
{
    return size > 0 ? (count + size - 1) / size : 0;
}

// The sizes of blocks that are numbers of 8 bits themselves.
void takeNested(PackedParts& parts, const json& state, CodebookMap& map)
{
    map.sizeBlock = countIn(state, "nested_blocksize");
    map.sizeFactors = parts.take("*.nested_absmax", {Dtype::F32});
    const TensorView values = parts.take("*.nested_quant_map", {Dtype::F32});
    parts.expectShape(values, {256});
    const auto offset = state.find("nested_offset");
    if (map.sizeBlock == 0 || offset == state.end() || !offset->is_number())
        parts.fail("The description of " + inQuotes(parts.map())
                   + " has no 'nested_blocksize' and 'nested_offset'; expected both beside nested sizes.");
    if (parts.error())
        return;
    parts.expectShape(map.sizeFactors, {blocks(map.sizes.info.shape[0], map.sizeBlock)});
    map.sizeValues = valuesOf(values);
    map.sizeOffset = offset->get<float>();
}

const json& member(const json& object, const char* key)
{
    static const json none;
    const auto at = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && at != object.end() ? *at : none;
}

} // namespace

Result<TensorView> unpackCodebook(PackedParts& parts)
{
    const json state = stateOf(parts);
    const auto shape = countsIn(state, "shape");
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        count *= size;
    CodebookMap map{.block = countIn(state, "blocksize")};
    const json& kind = member(state, "quant_type");
    if (!parts.error() && ((kind != "nf4" && kind != "fp4") || shape.empty() || map.block == 0))
        parts.fail("The description of " + inQuotes(parts.map())
                   + " does not say how it is packed; expected 'quant_type' nf4 or fp4, 'blocksize' and 'shape'.");
    // Any type may hold the bytes (bnb_4bit_quant_storage).
    const TensorView stored = parts.take(
        "*", {Dtype::U8, Dtype::I8, Dtype::F16, Dtype::BF16, Dtype::F32, Dtype::F64, Dtype::I16, Dtype::I32});
    if (!parts.error() && static_cast<std::int64_t>(stored.bytes.size()) != (count + 1) / 2)
        parts.fail("Tensor " + inQuotes(stored.info.name) + " has " + std::to_string(stored.bytes.size())
                   + " bytes; expected " + std::to_string((count + 1) / 2) + ", two numbers each, for shape "
                   + shapeText(shape) + ".");
    const TensorView values = parts.take("*.quant_map", {Dtype::F32});
    parts.expectShape(values, {16});
    const bool nested =
        parts.has("*.nested_absmax") || parts.has("*.nested_quant_map") || state.contains("nested_blocksize");
    map.sizes = parts.take("*.absmax", {nested ? Dtype::U8 : Dtype::F32});
    if (!parts.error())
        parts.expectShape(map.sizes, {blocks(count, map.block)});
    if (!parts.error() && nested)
        takeNested(parts, state, map);
    return parts.made([&] {
        map.values = valuesOf(values);
        return codebookView(stored, shape, map);
    });
}

Result<TensorView> unpackRowBytes(PackedParts& parts)
{
    const TensorView codes = parts.matrix("*", {Dtype::I8}), sizes = parts.take("SCB", {Dtype::F32});
    const auto layout = parts.optional("weight_format", {Dtype::U8});
    const std::int64_t outputs = codes.info.shape[0], inputs = codes.info.shape[1];
    parts.expectShape(sizes, {outputs});
    if (!parts.error() && layout && layout->bytes[0] != std::byte{0})
        parts.fail("Tensor " + inQuotes(layout->info.name) + " is "
                   + std::to_string(std::to_integer<int>(layout->bytes[0]))
                   + ", an order of elements for one kind of GPU; expected 0, row by row.");
    constexpr float kOf127 = 7.874015718698502e-3F; // 1/127, as the library has it
    return parts.made([&] {
        return groupedView(codes, {.outputs = outputs,
                                   .inputs = inputs,
                                   .codes = {.stored = codes, .width = inputs},
                                   .scales = sizes,
                                   .groupInputs = inputs,
                                   .factor = kOf127});
    });
}

Result<TensorView> unpackTorchAo(PackedParts& parts)
{
    const TensorView codes = parts.matrix("_weight_qdata", {Dtype::I8}),
                     scales = parts.matrix("_weight_scale", PackedParts::kFactors);
    const auto zeros = parts.optional("_weight_zero_point", {Dtype::I8});
    json entry;
    for (const auto& file : parts.checkpoint().files())
        if (const auto at = file->metadata().find(parts.map()); at != file->metadata().end())
            entry = json::parse(at->second, nullptr, false);
    const json& kind = member(entry, "_type");
    const auto block =
        countsIn(member(entry, "_data").is_object() ? member(entry, "_data") : json::object(), "block_size");
    if (kind.is_string() && kind != "Int8Tensor" && kind != "IntxUnpackedToInt8Tensor")
        parts.fail("Tensor " + inQuotes(parts.map()) + " is stored as torchao's " + inQuotes(kind.get<std::string>())
                   + "; expected Int8Tensor or IntxUnpackedToInt8Tensor.");
    const std::int64_t outputs = codes.info.shape[0], inputs = codes.info.shape[1];
    if (!kind.is_string() || block.size() != 2 || outputs % std::max<std::int64_t>(block.front(), 1) != 0
        || inputs % std::max<std::int64_t>(block.back(), 1) != 0)
        parts.fail("The metadata of the file does not say how " + inQuotes(parts.map())
                   + " is packed; expected torchao's entry with a 'block_size' that divides it.");
    if (parts.error())
        return *parts.error();
    const std::int64_t groups = inputs / block[1];
    parts.expectShape(scales, {outputs / block[0], groups});
    if (zeros)
        parts.expectShape(*zeros, scales.info.shape);
    return parts.made([&] {
        GroupedMap map{.outputs = outputs,
                       .inputs = inputs,
                       .codes = {.stored = codes, .width = inputs},
                       .scales = scales,
                       .groups = groups,
                       .groupInputs = block[1],
                       .groupOutputs = block[0]};
        if (zeros)
            map.zeros = Codes{.stored = *zeros, .width = groups};
        return groupedView(codes, std::move(map));
    });
}

} // namespace headscope::io

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/packed/packedforms.h"

#include "core/io/packed/groupedelements.h"
#include "core/io/packed/statedforms.h"
#include "core/io/textfiles/quote.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace headscope::io {

namespace {

constexpr std::int64_t kWordBits = 32;
constexpr std::initializer_list<Dtype> kWords = {Dtype::I32};

std::int64_t wordsFor(std::int64_t count, int bits)
{
    return (count * bits + kWordBits - 1) / kWordBits;
}

template <typename T> std::vector<T> numbersOf(const TensorView& view)
{
    std::vector<T> numbers(view.bytes.size() / sizeof(T));
    std::memcpy(numbers.data(), view.bytes.data(), numbers.size() * sizeof(T));
    return numbers;
}

// Which group each input is of: one number an input, each the number of a group.
void checkOrder(PackedParts& parts, std::string_view part, const PackedScheme& scheme, std::int64_t inputs,
                std::int64_t groups)
{
    if (!scheme.ordered && !parts.has(part))
        return;
    const TensorView order = parts.take(part, kWords);
    parts.expectShape(order, {inputs});
    if (parts.error())
        return;
    for (const std::int32_t group : numbersOf<std::int32_t>(order))
        if (group < 0 || group >= groups)
            return parts.fail("Tensor " + inQuotes(order.info.name) + " assigns an input to group "
                              + std::to_string(group) + "; expected 0 to " + std::to_string(groups - 1) + ".");
}

Result<TensorView> unpackFp8Blocks(PackedParts& parts)
{
    const TensorView weight = parts.take("*", {Dtype::F8_E4M3, Dtype::F8_E5M2}),
                     factors =
                         parts.take("*_scale_inv", {Dtype::F32, Dtype::F16, Dtype::BF16, Dtype::F8_E8M0, Dtype::U8});
    return parts.error() ? *parts.error() : fp8View(weight, factors, parts.packing().block);
}

Result<TensorView> unpackMxfp4(PackedParts& parts)
{
    const TensorView blocks = parts.take("*_blocks", {Dtype::U8}), scales = parts.take("*_scales", {Dtype::U8});
    return parts.error() ? *parts.error() : mxfp4View(blocks, scales);
}

// qweight [in, out/8] I32, qzeros [in/group, out/8], scales [in/group, out] (AutoAWQ's GEMM).
Result<TensorView> unpackAwq(PackedParts& parts)
{
    const TensorView codes = parts.matrix("qweight", kWords), zeros = parts.matrix("qzeros", kWords),
                     scales = parts.matrix("scales", PackedParts::kFactors);
    const std::int64_t inputs = codes.info.shape[0], words = codes.info.shape[1], outputs = 8 * words,
                       groups = scales.info.shape[0];
    const PackedScheme scheme =
        parts.scheme(codes, scales, [&](const PackedScheme& s) { return s.groups(inputs) == groups; });
    parts.expectShape(zeros, {groups, words});
    parts.expectShape(scales, {groups, outputs});
    return parts.made([&] {
        return groupedView(
            codes, {.outputs = outputs,
                    .inputs = inputs,
                    .turned = true,
                    .codes = {.stored = codes, .layout = Codes::Layout::Interleaved, .bits = 4, .width = words},
                    .zeros = Codes{.stored = zeros, .layout = Codes::Layout::Interleaved, .bits = 4, .width = words},
                    .scales = scales,
                    .groups = groups,
                    .groupInputs = scheme.groupInputs == 0 ? inputs : scheme.groupInputs});
    });
}

// qweight [in*bits/32, out] I32, qzeros [groups, out*bits/32], scales [groups, out], g_idx [in] (AutoGPTQ, GPTQModel).
Result<TensorView> unpackGptq(PackedParts& parts)
{
    const TensorView codes = parts.matrix("qweight", kWords), zeros = parts.matrix("qzeros", kWords),
                     scales = parts.matrix("scales", PackedParts::kFactors);
    const auto order = parts.optional("g_idx", kWords);
    const std::int64_t bits = codes.info.shape[0] * kWordBits, outputs = codes.info.shape[1],
                       groups = scales.info.shape[0];
    const PackedScheme scheme = parts.scheme(codes, scales, [&](const PackedScheme& s) {
        return bits % s.bits == 0 && s.groups(bits / s.bits) == groups
               && zeros.info.shape[1] == wordsFor(outputs, s.bits)
               && (!order || order->info.shape == std::vector{bits / s.bits});
    });
    const std::int64_t inputs = bits / scheme.bits;
    parts.expectShape(zeros, {groups, wordsFor(outputs, scheme.bits)});
    parts.expectShape(scales, {groups, outputs});
    checkOrder(parts, "g_idx", scheme, inputs, groups);
    return parts.made([&] {
        return groupedView(
            codes,
            {.outputs = outputs,
             .inputs = inputs,
             .turned = true,
             .codes = {.stored = codes, .layout = Codes::Layout::AlongColumns, .bits = scheme.bits, .width = outputs},
             .zeros = Codes{.stored = zeros,
                            .layout = Codes::Layout::AlongRows,
                            .bits = scheme.bits,
                            .width = zeros.info.shape[1],
                            .offset = parts.packing().zeroOffset},
             .scales = scales,
             .groups = groups,
             .groupInputs = scheme.groupInputs == 0 ? inputs : scheme.groupInputs,
             .groupOfInput = order});
    });
}

// weight_packed [out, in*bits/32] I32, weight_scale [out, groups], weight_zero_point [out*bits/32, groups], numbers and
// zero points with half of their range added.
Result<TensorView> unpackPackedIntegers(PackedParts& parts)
{
    const TensorView codes = parts.matrix("*_packed", kWords), shape = parts.take("*_shape", {Dtype::I64, Dtype::I32}),
                     scales = parts.matrix("*_scale", PackedParts::kFactors);
    const auto zeros = parts.optional("*_zero_point", kWords), order = parts.optional("*_g_idx", kWords);
    parts.expectShape(shape, {2});
    if (parts.error())
        return *parts.error();
    const auto sizes = shape.info.dtype == Dtype::I64 ? numbersOf<std::int64_t>(shape) : [&] {
        const auto narrow = numbersOf<std::int32_t>(shape);
        return std::vector<std::int64_t>(narrow.begin(), narrow.end());
    }();
    const std::int64_t outputs = codes.info.shape[0], inputs = sizes[1], groups = scales.info.shape[1];
    if (sizes[0] != outputs || inputs < 1 || inputs > codes.info.shape[1] * kWordBits)
        return inputError("Tensor " + inQuotes(shape.info.name) + " says " + shapeText(sizes) + ", and "
                          + inQuotes(codes.info.name) + " has shape " + shapeText(codes.info.shape) + ".");
    const PackedScheme scheme = parts.scheme(codes, scales, [&](const PackedScheme& s) {
        return !s.floats && wordsFor(inputs, s.bits) == codes.info.shape[1] && s.groups(inputs) == groups
               && s.rows(outputs) == scales.info.shape[0] && (!s.zeros || zeros);
    });
    parts.expectShape(scales, {scheme.rows(outputs), groups});
    if (zeros)
        parts.expectShape(*zeros, {wordsFor(scheme.rows(outputs), scheme.bits), groups});
    checkOrder(parts, "*_g_idx", scheme, inputs, groups);
    const int half = 1 << (scheme.bits - 1);
    return parts.made([&] {
        GroupedMap map{.outputs = outputs,
                       .inputs = inputs,
                       .codes = {.stored = codes,
                                 .layout = Codes::Layout::AlongRows,
                                 .bits = scheme.bits,
                                 .width = codes.info.shape[1],
                                 .offset = -half},
                       .scales = scales,
                       .groups = groups,
                       .groupInputs = scheme.groupInputs == 0 ? inputs : scheme.groupInputs,
                       .groupOutputs = scheme.groupOutputs == 0 ? outputs : scheme.groupOutputs,
                       .groupOfInput = order};
        if (zeros)
            map.zeros = Codes{.stored = *zeros,
                              .layout = Codes::Layout::AlongColumns,
                              .bits = scheme.bits,
                              .width = groups,
                              .offset = -half};
        return groupedView(codes, std::move(map));
    });
}

// The rows and columns of a grid of scales; one number is a grid of one.
std::vector<std::int64_t> gridOf(const TensorView& scales)
{
    const auto& shape = scales.info.shape;
    return shape.size() == 2                                        ? shape
           : shape.empty() || shape == std::vector<std::int64_t>{1} ? std::vector<std::int64_t>{1, 1}
                                                                    : std::vector<std::int64_t>{0, 0};
}

bool gridFits(const PackedScheme& scheme, const TensorView& weight, const std::vector<std::int64_t>& grid)
{
    return scheme.rows(weight.info.shape[0]) == grid[0] && scheme.groups(weight.info.shape[1]) == grid[1];
}

// weight [out, in] I8, weight_scale a grid, weight_zero_point one of I8.
Result<TensorView> unpackBytes(PackedParts& parts)
{
    const TensorView codes = parts.matrix("*", {Dtype::I8}), scales = parts.take("*_scale", PackedParts::kFactors);
    const auto zeros = parts.optional("*_zero_point", {Dtype::I8});
    const auto grid = gridOf(scales);
    const std::int64_t outputs = codes.info.shape[0], inputs = codes.info.shape[1];
    const PackedScheme scheme = parts.scheme(codes, scales, [&](const PackedScheme& s) {
        return !s.floats && gridFits(s, codes, grid) && (!s.zeros || zeros);
    });
    if (zeros)
        parts.expectShape(*zeros, scales.info.shape);
    return parts.made([&] {
        GroupedMap map{.outputs = outputs,
                       .inputs = inputs,
                       .codes = {.stored = codes, .width = inputs},
                       .scales = scales,
                       .groups = grid[1],
                       .groupInputs = scheme.groupInputs == 0 ? inputs : scheme.groupInputs,
                       .groupOutputs = scheme.groupOutputs == 0 ? outputs : scheme.groupOutputs};
        if (zeros)
            map.zeros = Codes{.stored = *zeros, .width = grid[1]};
        return groupedView(codes, std::move(map));
    });
}

// weight [out, in] FP8, weight_scale a grid. Zero points, where there are some, say nothing.
Result<TensorView> unpackFp8(PackedParts& parts)
{
    const TensorView weight = parts.matrix("*", {Dtype::F8_E4M3}),
                     scales = parts.take("*_scale", PackedParts::kFactors);
    const auto grid = gridOf(scales);
    const PackedScheme scheme =
        parts.scheme(weight, scales, [&](const PackedScheme& s) { return s.floats && gridFits(s, weight, grid); });
    if (const auto zeros = parts.optional("*_zero_point", {Dtype::F8_E4M3, Dtype::I8, Dtype::F32, Dtype::BF16});
        zeros && std::any_of(zeros->bytes.begin(), zeros->bytes.end(), [](std::byte b) { return b != std::byte{0}; }))
        parts.fail("Tensor " + inQuotes(zeros->info.name) + " has zero points for numbers in FP8; expected zeros.");
    if (parts.error())
        return *parts.error();
    return fp8View(weight, scales,
                   {scheme.groupOutputs == 0 ? weight.info.shape[0] : scheme.groupOutputs,
                    scheme.groupInputs == 0 ? weight.info.shape[1] : scheme.groupInputs});
}

} // namespace

const std::vector<PackedForm>& packedForms()
{
    static const std::vector<std::string_view> kOfActivations = {
        "*_scale", "*_zero_point", "input_scale", "input_zero_point", "output_scale", "output_zero_point"};
    static const std::vector<PackedForm> forms = {
        {Packer::Blocks,
         "*",
         {Dtype::F8_E4M3, Dtype::F8_E5M2},
         {},
         {"*_scale_inv", "activation_scale"},
         unpackFp8Blocks},
        {Packer::Blocks, "*_blocks", {}, {}, {"*_scales"}, unpackMxfp4},
        {Packer::Gptq, "qweight", {}, {"qzeros", "g_idx"}, {"scales"}, unpackGptq, true},
        {Packer::Awq, "qweight", {}, {"qzeros"}, {"scales"}, unpackAwq, true},
        {Packer::Bitsandbytes,
         "*",
         {Dtype::U8},
         {"*.absmax", "*.quant_map", "*.quant_state.bitsandbytes__nf4", "*.quant_state.bitsandbytes__fp4"},
         {"*.nested_absmax", "*.nested_quant_map"},
         unpackCodebook,
         true},
        {Packer::Bitsandbytes, "*", {Dtype::I8}, {"SCB"}, {"weight_format"}, unpackRowBytes, true},
        {Packer::CompressedTensors, "*_packed", {}, {"*_shape", "*_g_idx"}, kOfActivations, unpackPackedIntegers},
        {Packer::CompressedTensors, "*", {Dtype::I8}, {}, kOfActivations, unpackBytes},
        {Packer::CompressedTensors, "*", {Dtype::F8_E4M3, Dtype::F8_E5M2}, {"*_scale"}, kOfActivations, unpackFp8},
        {Packer::TorchAo, "_weight_qdata", {}, {"_weight_scale", "_weight_zero_point"}, {}, unpackTorchAo},
    };
    return forms;
}

} // namespace headscope::io

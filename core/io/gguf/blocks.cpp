// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/gguf/blocks.h"

#include "core/io/floats.h"
#include "core/io/packed/packedelements.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace headscope::io {

namespace {

struct TypeInfo {
    GgmlType type;
    std::size_t elements, bytes;
};

constexpr std::array kTypes = {
    TypeInfo{GgmlType::F32, 1, 4},        TypeInfo{GgmlType::F16, 1, 2},      TypeInfo{GgmlType::BF16, 1, 2},
    TypeInfo{GgmlType::F64, 1, 8},        TypeInfo{GgmlType::Q8_0, 32, 34},   TypeInfo{GgmlType::Q4_0, 32, 18},
    TypeInfo{GgmlType::Q4_1, 32, 20},     TypeInfo{GgmlType::Q5_0, 32, 22},   TypeInfo{GgmlType::Q5_1, 32, 24},
    TypeInfo{GgmlType::Q2_K, 256, 84},    TypeInfo{GgmlType::Q3_K, 256, 110}, TypeInfo{GgmlType::Q4_K, 256, 144},
    TypeInfo{GgmlType::Q5_K, 256, 176},   TypeInfo{GgmlType::Q6_K, 256, 210}, TypeInfo{GgmlType::IQ4_NL, 32, 18},
    TypeInfo{GgmlType::IQ4_XS, 256, 136}, TypeInfo{GgmlType::MXFP4, 32, 17},
};

// The enumeration ggml_type; some were types once.
constexpr std::array<const char*, 40> kNames = {
    "F32",    "F16",      "Q4_0",     "Q4_1",     "Q4_2",  "Q4_3",  "Q5_0",       "Q5_1",       "Q8_0",       "Q8_1",
    "Q2_K",   "Q3_K",     "Q4_K",     "Q5_K",     "Q6_K",  "Q8_K",  "IQ2_XXS",    "IQ2_XS",     "IQ3_XXS",    "IQ1_S",
    "IQ4_NL", "IQ3_S",    "IQ2_S",    "IQ4_XS",   "I8",    "I16",   "I32",        "I64",        "F64",        "IQ1_M",
    "BF16",   "Q4_0_4_4", "Q4_0_4_8", "Q4_0_8_8", "TQ1_0", "TQ2_0", "IQ4_NL_4_4", "IQ4_NL_4_8", "IQ4_NL_8_8", "MXFP4"};

const TypeInfo& infoOf(GgmlType type)
{
    return *std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeInfo& info) { return info.type == type; });
}

std::uint8_t byteOf(const std::byte* at)
{
    return std::to_integer<std::uint8_t>(*at);
}

template <typename T> T numberAt(const std::byte* at)
{
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

float halfAt(const std::byte* at)
{
    return fromHalf(numberAt<std::uint16_t>(at));
}

/// Two numbers a byte: the low halves are the first 16, the high ones the others.
int nibble(const std::byte* bytes, int i)
{
    const std::uint8_t byte = byteOf(bytes + i % 16);
    return i < 16 ? byte & 15 : byte >> 4;
}

void decode4(const std::byte* block, float* into, bool hasMinimum)
{
    const float scale = halfAt(block), minimum = hasMinimum ? halfAt(block + 2) : 0;
    const std::byte* bytes = block + (hasMinimum ? 4 : 2);
    for (int i = 0; i < 32; ++i)
        into[i] = hasMinimum ? static_cast<float>(nibble(bytes, i)) * scale + minimum
                             : static_cast<float>(nibble(bytes, i) - 8) * scale;
}

void decode5(const std::byte* block, float* into, bool hasMinimum)
{
    const float scale = halfAt(block), minimum = hasMinimum ? halfAt(block + 2) : 0;
    const std::byte* rest = block + (hasMinimum ? 4 : 2);
    const auto high = numberAt<std::uint32_t>(rest);
    for (int i = 0; i < 32; ++i) {
        const int value = nibble(rest + 4, i) | static_cast<int>((high >> i) & 1) << 4;
        into[i] = hasMinimum ? static_cast<float>(value) * scale + minimum : static_cast<float>(value - 16) * scale;
    }
}

void decode8(const std::byte* block, float* into)
{
    const float scale = halfAt(block);
    for (int i = 0; i < 32; ++i)
        into[i] = static_cast<float>(numberAt<std::int8_t>(block + 2 + i)) * scale;
}

/// The six-bit scale and minimum of one of eight groups, packed into 12 bytes.
struct GroupScale {
    int scale, minimum;
};
GroupScale groupScale(const std::byte* packed, int group)
{
    const auto at = [&](int i) { return int{byteOf(packed + i)}; };
    if (group < 4)
        return {at(group) & 63, at(group + 4) & 63};
    return {(at(group + 4) & 15) | (at(group - 4) >> 6) << 4, (at(group + 4) >> 4) | (at(group) >> 6) << 4};
}

/// Q4_K and, with a fifth bit for each number, Q5_K: eight groups of 32, two of them to 32 bytes.
void decodeK45(const std::byte* block, float* into, bool fiveBits)
{
    const float scale = halfAt(block), minimum = halfAt(block + 2);
    const std::byte *packed = block + 4, *high = block + 16, *low = block + (fiveBits ? 48 : 16);
    for (int group = 0; group < 8; ++group) {
        const GroupScale part = groupScale(packed, group);
        const float d = scale * static_cast<float>(part.scale), m = minimum * static_cast<float>(part.minimum);
        for (int i = 0; i < 32; ++i) {
            const std::uint8_t byte = byteOf(low + group / 2 * 32 + i);
            int value = group % 2 == 0 ? byte & 15 : byte >> 4;
            if (fiveBits)
                value += ((byteOf(high + i) >> group) & 1) * 16;
            into[group * 32 + i] = d * static_cast<float>(value) - m;
        }
    }
}

/// Two bits a number; a byte for each 16 has their scale and their minimum.
void decodeK2(const std::byte* block, float* into)
{
    const float scale = halfAt(block + 80), minimum = halfAt(block + 82);
    for (int i = 0; i < 256; ++i) {
        const int half = i / 128, quarter = i % 128 / 32, column = i % 32;
        const std::uint8_t part = byteOf(block + i / 16);
        const int value = (byteOf(block + 16 + half * 32 + column) >> (2 * quarter)) & 3;
        into[i] =
            scale * static_cast<float>(part & 15) * static_cast<float>(value) - minimum * static_cast<float>(part >> 4);
    }
}

/// Two bits and one more, which is 4 less where it is not set; sixteen scales of six bits in 12 bytes.
void decodeK3(const std::byte* block, float* into)
{
    const float scale = halfAt(block + 108);
    for (int i = 0; i < 256; ++i) {
        const int half = i / 128, quarter = i % 128 / 32, column = i % 32, group = i / 16;
        const std::byte* packed = block + 96;
        const int low = (byteOf(packed + group % 8) >> (group < 8 ? 0 : 4)) & 15,
                  high = (byteOf(packed + 8 + group % 4) >> (2 * (group / 4))) & 3;
        const int value = ((byteOf(block + 32 + half * 32 + column) >> (2 * quarter)) & 3)
                          - ((byteOf(block + column) >> (half * 4 + quarter)) & 1 ? 0 : 4);
        into[i] = scale * static_cast<float>((low | high << 4) - 32) * static_cast<float>(value);
    }
}

/// The sixteen numbers of "IQ4", which are closer together near 0.
constexpr int kUneven[] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

void decodeUneven(const std::byte* block, float* into)
{
    const float scale = halfAt(block);
    for (int i = 0; i < 32; ++i)
        into[i] = scale * static_cast<float>(kUneven[nibble(block + 2, i)]);
}

/// Eight groups of 32, each with a scale of six bits: four in `low`, two in `high`.
void decodeUnevenGroups(const std::byte* block, float* into)
{
    const float scale = halfAt(block);
    const int high = numberAt<std::uint16_t>(block + 2);
    for (int group = 0; group < 8; ++group) {
        const int low = (byteOf(block + 4 + group / 2) >> (4 * (group % 2))) & 15;
        const float own = scale * static_cast<float>((low | ((high >> (2 * group)) & 3) << 4) - 32);
        for (int i = 0; i < 32; ++i)
            into[group * 32 + i] = own * static_cast<float>(kUneven[nibble(block + 8 + group * 16, i)]);
    }
}

/// A power of two and 32 numbers of FP4.
void decodeMxfp4(const std::byte* block, float* into)
{
    const float scale = fromE8m0(byteOf(block));
    for (int i = 0; i < 32; ++i)
        into[i] = fromE2m1(static_cast<std::uint8_t>(nibble(block + 1, i))) * scale;
}

/// Low four bits, high two bits, 16 scales of a byte each, the scale of all.
void decodeK6(const std::byte* block, float* into)
{
    const float scale = halfAt(block + 208);
    for (int i = 0; i < 256; ++i) {
        const int half = i / 128, within = i % 128, quarter = within / 32, column = within % 32;
        const std::uint8_t low = byteOf(block + half * 64 + (quarter % 2) * 32 + column),
                           high = byteOf(block + 128 + half * 32 + column);
        const int value = ((quarter < 2 ? low & 15 : low >> 4) | ((high >> (2 * quarter)) & 3) << 4) - 32;
        const auto group = numberAt<std::int8_t>(block + 192 + half * 8 + within / 16);
        into[i] = scale * static_cast<float>(group) * static_cast<float>(value);
    }
}

} // namespace

std::optional<GgmlType> ggmlType(std::uint32_t number)
{
    const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeInfo& info) {
        return static_cast<std::uint32_t>(info.type) == number;
    });
    return found == kTypes.end() ? std::nullopt : std::optional(found->type);
}

std::string ggmlTypeName(std::uint32_t number)
{
    return number < kNames.size() ? kNames[number] : "type " + std::to_string(number);
}

std::string ggmlTypesRead()
{
    std::string names;
    for (std::size_t i = 0; i < kTypes.size(); ++i)
        names += (i == 0                  ? ""
                  : i + 1 < kTypes.size() ? ", "
                                          : " and ")
                 + ggmlTypeName(static_cast<std::uint32_t>(kTypes[i].type));
    return names;
}

std::size_t blockElements(GgmlType type)
{
    return infoOf(type).elements;
}

std::size_t blockBytes(GgmlType type)
{
    return infoOf(type).bytes;
}

Result<std::uint64_t> ggmlBytes(GgmlType type, const std::vector<std::int64_t>& shape)
{
    const TypeInfo& info = infoOf(type);
    std::uint64_t count = 1;
    for (const std::int64_t size : shape)
        if (size < 0 || __builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count))
            return inputError("has a shape whose number of elements does not fit in 64 bits");
    const std::uint64_t row = shape.empty() ? 1 : static_cast<std::uint64_t>(shape.back());
    if (row % info.elements != 0)
        return inputError("has rows of " + std::to_string(row) + " numbers, which is not a multiple of "
                          + std::to_string(info.elements));
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(count / info.elements, info.bytes, &bytes) || count > UINT64_MAX / 16)
        return inputError("has a shape whose size does not fit in 64 bits");
    return bytes;
}

void decodeBlock(GgmlType type, const std::byte* block, float* into)
{
    switch (type) {
    case GgmlType::F32: *into = numberAt<float>(block); break;
    case GgmlType::F16: *into = halfAt(block); break;
    case GgmlType::BF16: *into = fromBrain(numberAt<std::uint16_t>(block)); break;
    case GgmlType::F64: *into = static_cast<float>(numberAt<double>(block)); break;
    case GgmlType::Q4_0: decode4(block, into, false); break;
    case GgmlType::Q4_1: decode4(block, into, true); break;
    case GgmlType::Q5_0: decode5(block, into, false); break;
    case GgmlType::Q5_1: decode5(block, into, true); break;
    case GgmlType::Q8_0: decode8(block, into); break;
    case GgmlType::Q2_K: decodeK2(block, into); break;
    case GgmlType::Q3_K: decodeK3(block, into); break;
    case GgmlType::Q4_K: decodeK45(block, into, false); break;
    case GgmlType::Q5_K: decodeK45(block, into, true); break;
    case GgmlType::Q6_K: decodeK6(block, into); break;
    case GgmlType::IQ4_NL: decodeUneven(block, into); break;
    case GgmlType::IQ4_XS: decodeUnevenGroups(block, into); break;
    case GgmlType::MXFP4: decodeMxfp4(block, into); break;
    }
}

} // namespace headscope::io

// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/rows/patterncodec.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace headscope::sessions {

namespace {

// IEEE 754 binary16, round to nearest even. |value| <= 1 here, so there is no overflow to care for.
std::uint16_t toHalf(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
    const float magnitude = std::abs(value);
    if (magnitude < 0x1p-14F) // subnormal: a multiple of 2^-24
        return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1p24F)));
    const std::uint32_t rounded = (bits & 0x7FFFFFFFU) + 0xFFFU + ((bits >> 13) & 1U);
    return static_cast<std::uint16_t>(sign | ((rounded - (112U << 23)) >> 13));
}

float fromHalf(std::uint16_t half)
{
    const float sign = (half & 0x8000U) != 0 ? -1.0F : 1.0F;
    const int exponent = (half >> 10) & 31;
    const int fraction = half & 1023;
    if (exponent == 0)
        return sign * static_cast<float>(fraction) * 0x1p-24F;
    return sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}

} // namespace

Result<EncodedPattern> encodePattern(const Matrix& pattern)
{
    if (pattern.rows < 1 || pattern.cols < 1 || pattern.rows > kMaxPatternSide || pattern.cols > kMaxPatternSide)
        return inputError(fmt::format("A pattern of {} x {} cannot be kept: expected 1 to {} a side.", pattern.rows,
                                      pattern.cols, kMaxPatternSide));
    EncodedPattern encoded;
    float largest = 0.0F;
    for (const float value : pattern.values) {
        if (!std::isfinite(value))
            return inputError("The pattern cannot be kept: expected finite numbers, got one that is not.");
        largest = std::max(largest, std::abs(value));
    }
    encoded.scale = largest > 0.0F ? static_cast<double>(largest) : 1.0;
    // High and low bytes apart compress better than halves side by side.
    const std::size_t count = pattern.values.size();
    std::string planes(count * 2, '\0');
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint16_t half = toHalf(static_cast<float>(static_cast<double>(pattern.values[i]) / encoded.scale));
        planes[i] = static_cast<char>(half & 0xFF);
        planes[count + i] = static_cast<char>(half >> 8);
        const auto decoded = static_cast<float>(static_cast<double>(fromHalf(half)) * encoded.scale);
        encoded.maxError =
            std::max(encoded.maxError, std::abs(static_cast<double>(decoded) - static_cast<double>(pattern.values[i])));
    }
    uLongf size = compressBound(planes.size());
    encoded.data.resize(size);
    if (compress2(reinterpret_cast<Bytef*>(encoded.data.data()), &size, reinterpret_cast<const Bytef*>(planes.data()),
                  planes.size(), 6)
        != Z_OK)
        return Error{Error::Kind::Memory, "There was not enough memory to compress a pattern.", {}};
    encoded.data.resize(size);
    return encoded;
}

Result<Matrix> decodePattern(std::string_view data, double scale, int rows, int cols)
{
    if (rows < 1 || cols < 1 || rows > kMaxPatternSide || cols > kMaxPatternSide || !std::isfinite(scale))
        return inputError(
            fmt::format("A stored pattern is damaged: it claims {} x {} values with scale {}.", rows, cols, scale));
    const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    // Deflate shrinks at most 1032 to 1: what claims to hold more is not worth the memory.
    if (count * 2 / 1032 > data.size())
        return inputError(
            fmt::format("A stored pattern is damaged: {} bytes cannot hold {} x {} values.", data.size(), rows, cols));
    std::string planes(count * 2, '\0');
    uLongf size = planes.size();
    const int code = uncompress(reinterpret_cast<Bytef*>(planes.data()), &size,
                                reinterpret_cast<const Bytef*>(data.data()), data.size());
    if (code != Z_OK || size != planes.size())
        return inputError(fmt::format("A stored pattern is damaged: expected {} bytes of values.", planes.size()));
    Matrix pattern(rows, cols);
    for (std::size_t i = 0; i < count; ++i) {
        const auto low = static_cast<unsigned char>(planes[i]);
        const auto high = static_cast<unsigned char>(planes[count + i]);
        const auto half = static_cast<std::uint16_t>(low | (high << 8));
        if ((half & 0x7C00U) == 0x7C00U)
            return inputError("A stored pattern is damaged: it contains a number that is not finite.");
        pattern.values[i] = static_cast<float>(static_cast<double>(fromHalf(half)) * scale);
    }
    return pattern;
}

} // namespace headscope::sessions

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Exact conversion of 16-bit and 8-bit numbers to fp32. Any thread.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace headscope::io {

/// Converts from IEEE half precision.
[[nodiscard]] inline float fromHalf(std::uint16_t half)
{
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16, exponent = (half >> 10) & 31,
                        fraction = half & 1023;
    if (exponent == 0) // 2^-24 a step
        return (sign ? -1.0F : 1.0F) * static_cast<float>(fraction) * 0x1p-24F;
    const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

/// Converts from bfloat16.
[[nodiscard]] inline float fromBrain(std::uint16_t brain)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(brain) << 16);
}

/// Converts a power of two, 2^(byte - 127); the largest byte is a NaN.
[[nodiscard]] inline float fromE8m0(std::uint8_t byte)
{
    return byte == 0xff ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0F, static_cast<int>(byte) - 127);
}

} // namespace headscope::io

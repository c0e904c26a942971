// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/parquet/levels.h"

#include <algorithm>
#include <bit>

namespace headscope::io {

namespace {

std::uint32_t bitsAt(std::span<const std::byte> bytes, std::size_t bit, int bits)
{
    std::uint64_t value = 0;
    const std::size_t first = bit / 8, last = (bit + static_cast<std::size_t>(bits) + 7) / 8;
    for (std::size_t i = first; i < last; ++i)
        value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * (i - first));
    return static_cast<std::uint32_t>(value >> (bit % 8) & ((std::uint64_t{1} << bits) - 1));
}

} // namespace

int bitsFor(std::uint32_t most)
{
    return std::bit_width(most);
}

std::optional<std::vector<std::uint32_t>> parquetLevels(std::span<const std::byte> bytes, int bits, std::size_t count)
{
    if (bits < 0 || bits > 32)
        return {};
    std::vector<std::uint32_t> numbers;
    if (bits == 0) {
        numbers.assign(count, 0);
        return numbers;
    }
    while (numbers.size() < count) {
        std::uint64_t head = 0;
        bool ended = false;
        for (int shift = 0; !ended; shift += 7) {
            if (bytes.empty() || shift > 35)
                return {};
            head |= (std::to_integer<std::uint64_t>(bytes.front()) & 0x7F) << shift;
            ended = (bytes.front() & std::byte{0x80}) == std::byte{0};
            bytes = bytes.subspan(1);
        }
        const std::size_t left = count - numbers.size();
        if ((head & 1) == 0) {
            const auto width = static_cast<std::size_t>((bits + 7) / 8);
            if (bytes.size() < width || head < 2)
                return {};
            numbers.insert(numbers.end(), static_cast<std::size_t>(std::min<std::uint64_t>(head >> 1, left)),
                           bitsAt(bytes, 0, bits));
            bytes = bytes.subspan(width);
            continue;
        }
        // Groups of eight; the last one may hold more than is wanted.
        const std::uint64_t size = (head >> 1) * static_cast<std::uint64_t>(bits);
        if (size == 0 || size > bytes.size())
            return {};
        const std::size_t here = static_cast<std::size_t>(std::min<std::uint64_t>((head >> 1) * 8, left));
        for (std::size_t i = 0; i < here; ++i)
            numbers.push_back(bitsAt(bytes, i * static_cast<std::size_t>(bits), bits));
        bytes = bytes.subspan(static_cast<std::size_t>(size));
    }
    return numbers;
}

} // namespace headscope::io

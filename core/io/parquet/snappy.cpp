// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/parquet/snappy.h"

#include <cstdint>

namespace headscope::io {

namespace {

class Input
{
public:
    explicit Input(std::span<const std::byte> bytes) : m_bytes(bytes) {}
    [[nodiscard]] bool atEnd() const { return m_bytes.empty(); }
    /// `count` bytes, lowest first; nothing past the end.
    [[nodiscard]] std::optional<std::size_t> number(std::size_t count)
    {
        if (m_bytes.size() < count)
            return {};
        std::size_t value = 0;
        for (std::size_t i = 0; i < count; ++i)
            value |= std::to_integer<std::size_t>(m_bytes[i]) << (8 * i);
        m_bytes = m_bytes.subspan(count);
        return value;
    }
    [[nodiscard]] std::optional<std::span<const std::byte>> piece(std::size_t count)
    {
        if (m_bytes.size() < count)
            return {};
        const auto taken = m_bytes.first(count);
        m_bytes = m_bytes.subspan(count);
        return taken;
    }
    [[nodiscard]] std::optional<std::size_t> length() ///< the varint that everything begins with
    {
        std::size_t value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            const auto next = number(1);
            if (!next)
                return {};
            value |= (*next & 0x7F) << shift;
            if ((*next & 0x80) == 0)
                return value;
        }
        return {};
    }

private:
    std::span<const std::byte> m_bytes;
};

// The element that begins with `tag`, onto `out`; false where it is none.
bool element(Input& in, std::size_t tag, std::size_t size, std::vector<std::byte>& out)
{
    const std::size_t kind = tag & 3;
    if (kind == 0) { // literal: lengths from 61 on in the one to four bytes that follow
        std::size_t length = tag >> 2;
        if (length >= 60) {
            const auto longer = in.number(length - 59);
            if (!longer)
                return false;
            length = *longer;
        }
        const auto bytes = length < size - out.size() ? in.piece(length + 1) : std::nullopt;
        if (bytes)
            out.insert(out.end(), bytes->begin(), bytes->end());
        return bytes.has_value();
    }
    const auto rest = in.number(kind == 1 ? 1 : kind == 2 ? 2 : 4);
    if (!rest)
        return false;
    const std::size_t length = kind == 1 ? 4 + (tag >> 2 & 7) : 1 + (tag >> 2);
    const std::size_t back = kind == 1 ? (tag >> 5) << 8 | *rest : *rest;
    if (back == 0 || back > out.size() || length > size - out.size())
        return false;
    for (std::size_t i = 0; i < length; ++i) // what is copied may be made by the copying
        out.push_back(out[out.size() - back]);
    return true;
}

} // namespace

std::optional<std::vector<std::byte>> unsnapped(std::span<const std::byte> bytes, std::size_t size)
{
    Input in(bytes);
    if (in.length() != size)
        return {};
    std::vector<std::byte> out;
    // No element makes more than 64 bytes out of each of its own, so a small input reserves little.
    out.reserve(std::min(size, bytes.size() * 64));
    while (!in.atEnd())
        if (!element(in, *in.number(1), size, out))
            return {};
    return out.size() == size ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace headscope::io

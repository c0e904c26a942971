// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/parquet/thrift.h"

namespace headscope::io {

namespace {

constexpr int kDeepestThrift = 32; // structures in each other; Parquet's own are four deep

} // namespace

std::uint8_t ThriftReader::byte()
{
    if (m_broken || m_at >= m_bytes.size()) {
        m_broken = true;
        return 0;
    }
    return static_cast<std::uint8_t>(m_bytes[m_at++]);
}

std::uint64_t ThriftReader::varint()
{
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        const std::uint8_t next = byte();
        value |= std::uint64_t{next & 0x7FU} << shift;
        if ((next & 0x80U) == 0)
            return value;
    }
    m_broken = true;
    return 0;
}

std::int64_t ThriftReader::integer()
{
    const std::uint64_t zigzag = varint();
    return static_cast<std::int64_t>(zigzag >> 1) ^ -static_cast<std::int64_t>(zigzag & 1);
}

void ThriftReader::advance(std::uint64_t count)
{
    if (count > m_bytes.size() - m_at)
        m_broken = true;
    else
        m_at += static_cast<std::size_t>(count);
}

std::string ThriftReader::text()
{
    const std::uint64_t size = varint();
    const std::size_t begin = m_at;
    advance(size);
    if (m_broken)
        return {};
    return {reinterpret_cast<const char*>(m_bytes.data()) + begin, static_cast<std::size_t>(size)};
}

bool ThriftReader::enter()
{
    m_broken = m_broken || ++m_depth > kDeepestThrift;
    return !m_broken;
}

void ThriftReader::structure(const std::function<bool(int id, Type type)>& field)
{
    if (!enter())
        return;
    std::int64_t id = 0;
    while (!m_broken) {
        const unsigned head = byte();
        const auto type = static_cast<Type>(head & 0x0FU);
        if (type == Type::Stop)
            break;
        id = (head >> 4) != 0 ? id + (head >> 4) : integer();
        if (m_broken || id < 0 || id > 0x7FFF) {
            m_broken = true;
            break;
        }
        if (!field(static_cast<int>(id), type))
            skip(type);
    }
    --m_depth;
}

std::pair<ThriftReader::Type, std::size_t> ThriftReader::listHead()
{
    const unsigned head = byte();
    const std::uint64_t count = (head >> 4) == 15 ? varint() : head >> 4;
    if (count > m_bytes.size() - m_at) // each element takes a byte at least
        m_broken = true;
    return {static_cast<Type>(head & 0x0FU), m_broken ? 0 : static_cast<std::size_t>(count)};
}

void ThriftReader::list(const std::function<void(Type type)>& element)
{
    if (!enter())
        return;
    const auto [type, count] = listHead();
    for (std::size_t i = 0; i < count && !m_broken; ++i)
        element(type);
    --m_depth;
}

void ThriftReader::skip(Type type, bool inContainer)
{
    switch (type) {
    case Type::True:
    case Type::False: return inContainer ? advance(1) : void();
    case Type::Byte: return advance(1);
    case Type::I16:
    case Type::I32:
    case Type::I64: static_cast<void>(varint()); return;
    case Type::Double: return advance(8);
    case Type::Binary: return advance(varint());
    case Type::List:
    case Type::Set: return list([this](Type element) { skip(element, true); });
    case Type::Map: {
        if (!enter())
            return;
        if (const std::uint64_t count = varint(); count > 0) {
            const unsigned types = byte();
            for (std::uint64_t i = 0; i < count && !m_broken; ++i) {
                skip(static_cast<Type>(types >> 4), true);
                skip(static_cast<Type>(types & 0x0FU), true);
            }
        }
        --m_depth;
        return;
    }
    case Type::Struct: return structure([](int, Type) { return false; });
    case Type::Stop: break;
    }
    m_broken = true;
}

} // namespace headscope::io

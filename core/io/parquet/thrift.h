// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Thrift's compact protocol, as far as Parquet's metadata use it. Never reads past the end of the bytes: after the
// first error, everything is 0 and `broken()`. Any thread.

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace headscope::io {

class ThriftReader
{
public:
    explicit ThriftReader(std::span<const std::byte> bytes) : m_bytes(bytes) {}

    enum class Type {
        Stop = 0,
        True = 1,
        False = 2,
        Byte = 3,
        I16 = 4,
        I32 = 5,
        I64 = 6,
        Double = 7,
        Binary = 8,
        List = 9,
        Set = 10,
        Map = 11,
        Struct = 12
    };

    /// Reads a structure: `field` is called for each field and reads it, or returns false to skip it.
    void structure(const std::function<bool(int id, Type type)>& field);
    /// Reads a list of structures or other elements: `element` is called for each and reads it.
    void list(const std::function<void(Type type)>& element);
    [[nodiscard]] std::int64_t integer(); ///< of any width except a byte
    [[nodiscard]] std::string text();

    [[nodiscard]] bool broken() const { return m_broken; }
    [[nodiscard]] std::size_t position() const { return m_at; }

private:
    [[nodiscard]] std::uint8_t byte();
    [[nodiscard]] std::uint64_t varint();
    [[nodiscard]] std::pair<Type, std::size_t> listHead();
    void advance(std::uint64_t count);
    void skip(Type type, bool inContainer = false);
    [[nodiscard]] bool enter();
    std::span<const std::byte> m_bytes;
    std::size_t m_at = 0;
    int m_depth = 0;
    bool m_broken = false;
};

} // namespace headscope::io

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Numbers as bytes and back, for measurements that go on another day. Little-endian machines only. Any thread.

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace headscope::survey {

static_assert(std::endian::native == std::endian::little);

class Packer
{
public:
    template <typename T> void add(const T& value)
    {
        static_assert(std::is_arithmetic_v<T>);
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
    }
    template <typename T> void add(std::span<const T> values)
    {
        static_assert(std::is_arithmetic_v<T>);
        m_bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    }
    [[nodiscard]] std::string take() { return std::move(m_bytes); }

private:
    std::string m_bytes;
};

/// Reads what a Packer wrote; of bytes of unknown origin it never reads past the end.
class Unpacker
{
public:
    explicit Unpacker(std::string_view bytes) : m_bytes(bytes) {}
    template <typename T> [[nodiscard]] bool read(T& value)
    {
        static_assert(std::is_arithmetic_v<T>);
        if (m_bytes.size() < sizeof(T))
            return false;
        std::memcpy(&value, m_bytes.data(), sizeof(T));
        m_bytes.remove_prefix(sizeof(T));
        return true;
    }
    template <typename T> [[nodiscard]] bool read(std::vector<T>& values, std::size_t count)
    {
        static_assert(std::is_arithmetic_v<T>);
        if (m_bytes.size() / sizeof(T) < count)
            return false;
        values.resize(count);
        std::memcpy(values.data(), m_bytes.data(), count * sizeof(T));
        m_bytes.remove_prefix(count * sizeof(T));
        return true;
    }
    [[nodiscard]] bool atEnd() const { return m_bytes.empty(); }

private:
    std::string_view m_bytes;
};

} // namespace headscope::survey

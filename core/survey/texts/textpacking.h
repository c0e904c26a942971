// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Serializes numbers to bytes and back, for measurements to be resumed later. Little-endian machines only. Any thread.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace headscope::survey {

static_assert(std::endian::native == std::endian::little);

/// A sum over blocks of texts, each summed separately: blocks measured by several processes, combined in order, give
/// the same sum to the last bit.
struct BlockSum {
    double closed = 0; ///< sum of earlier blocks
    double open = 0;   ///< sum of the current block

    void add(double value) { open += value; }
    void close()
    {
        closed += open;
        open = 0;
    }
    [[nodiscard]] double value() const { return closed + open; }
    bool operator==(const BlockSum&) const = default;
};

class Packer
{
public:
    template <typename T> void add(const T& value)
    {
        static_assert(std::is_arithmetic_v<T>);
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
    }
    void add(const BlockSum& sum)
    {
        add(sum.closed);
        add(sum.open);
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

/// Reads a Packer's output; safe for bytes of unknown origin: it never reads past the end.
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
    /// Reads a sum. `form` 1 had a single number for it.
    [[nodiscard]] bool read(BlockSum& sum, std::uint32_t form)
    {
        return read(sum.closed) && (form == 1 || read(sum.open)) && std::isfinite(sum.closed)
               && std::isfinite(sum.open);
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

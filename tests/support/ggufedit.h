// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// GGUF files with other metadata: a sound file taken apart into its values as stored, and put together again.

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace ggufedit {

template <typename T> std::string raw(T value)
{
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

inline std::string text(const std::string& value)
{
    return raw(std::uint64_t{value.size()}) + value;
}

/// A value with its type before it, as a file has them.
template <typename T> std::string stored(const T& value)
{
    if constexpr (std::is_same_v<T, bool>)
        return raw(std::uint32_t{7}) + raw(static_cast<std::uint8_t>(value));
    else if constexpr (std::is_floating_point_v<T>)
        return raw(std::uint32_t{6}) + raw(static_cast<float>(value));
    else if constexpr (std::is_integral_v<T>)
        return raw(std::uint32_t{4}) + raw(static_cast<std::uint32_t>(value));
    else
        return raw(std::uint32_t{8}) + text(value);
}

inline std::string storedList(const std::vector<std::uint32_t>& values)
{
    std::string bytes = raw(std::uint32_t{9}) + raw(std::uint32_t{4}) + raw(std::uint64_t{values.size()});
    for (const std::uint32_t value : values)
        bytes += raw(value);
    return bytes;
}

inline std::string storedTexts(const std::vector<std::string>& values)
{
    std::string bytes = raw(std::uint32_t{9}) + raw(std::uint32_t{8}) + raw(std::uint64_t{values.size()});
    for (const std::string& value : values)
        bytes += text(value);
    return bytes;
}

class File
{
public:
    explicit File(const std::filesystem::path& path)
    {
        std::ifstream in(path, std::ios::binary);
        m_bytes.assign(std::istreambuf_iterator<char>(in), {});
        m_at = 8;
        const auto tensors = take<std::uint64_t>(), keys = take<std::uint64_t>();
        for (std::uint64_t i = 0; i < keys; ++i) {
            const std::string key = takeText();
            const std::size_t begin = m_at;
            skipValue(take<std::uint32_t>());
            values[key] = m_bytes.substr(begin, m_at - begin);
        }
        m_tensorCount = tensors;
        const std::size_t begin = m_at;
        for (std::uint64_t i = 0; i < tensors; ++i) {
            takeText();
            m_at += take<std::uint32_t>() * sizeof(std::uint64_t) + 12;
        }
        m_table = m_bytes.substr(begin, m_at - begin);
        m_data = m_bytes.substr(aligned(m_at));
    }

    /// The whole file with the present values and tensors.
    [[nodiscard]] std::string bytes() const
    {
        std::string out = "GGUF" + raw(std::uint32_t{3}) + raw(m_tensorCount) + raw(std::uint64_t{values.size()});
        for (const auto& [key, value] : values)
            out += text(key) + value;
        out += m_table;
        out.resize(aligned(out.size()));
        return out + m_data;
    }
    void write(const std::filesystem::path& path) const { std::ofstream(path, std::ios::binary) << bytes(); }

    /// Appends a tensor of F32 numbers in one dimension.
    void add(const std::string& name, const std::vector<float>& numbers)
    {
        std::string bytes;
        for (const float number : numbers)
            bytes += raw(number);
        add(name, {numbers.size()}, 0, bytes);
    }
    /// Appends a tensor of one of ggml's types; `sizes` as the file has them, the last first.
    void add(const std::string& name, const std::vector<std::uint64_t>& sizes, std::uint32_t type,
             const std::string& bytes)
    {
        m_data.resize(aligned(m_data.size()));
        m_table += text(name) + raw(static_cast<std::uint32_t>(sizes.size()));
        for (const std::uint64_t size : sizes)
            m_table += raw(size);
        m_table += raw(type) + raw(std::uint64_t{m_data.size()});
        m_data += bytes;
        ++m_tensorCount;
    }

    /// Takes a tensor out of the table, where it is in it.
    void remove(const std::string& name)
    {
        const std::string entry = text(name);
        const std::size_t begin = m_table.find(entry);
        if (begin == m_table.npos)
            return;
        std::uint32_t dimensions = 0;
        std::memcpy(&dimensions, m_table.data() + begin + entry.size(), sizeof dimensions);
        m_table.erase(begin, entry.size() + sizeof dimensions + dimensions * sizeof(std::uint64_t) + 12);
        --m_tensorCount;
    }

    std::map<std::string, std::string> values; ///< by key, each as stored()

private:
    static std::size_t aligned(std::size_t at) { return (at + 31) / 32 * 32; }
    template <typename T> T take()
    {
        T value;
        std::memcpy(&value, m_bytes.data() + m_at, sizeof value);
        m_at += sizeof value;
        return value;
    }
    std::string takeText()
    {
        const auto size = take<std::uint64_t>();
        m_at += size;
        return m_bytes.substr(m_at - size, size);
    }
    void skipValue(std::uint32_t type)
    {
        static constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
        if (type == 8) {
            takeText();
        } else if (type == 9) {
            const auto kind = take<std::uint32_t>();
            for (auto count = take<std::uint64_t>(); count > 0; --count)
                skipValue(kind);
        } else {
            m_at += kSizes[type];
        }
    }

    std::string m_bytes, m_table, m_data;
    std::uint64_t m_tensorCount = 0;
    std::size_t m_at = 0;
};

} // namespace ggufedit

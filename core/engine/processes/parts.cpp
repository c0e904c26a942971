// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/processes/parts.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace headscope::engine {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

namespace {

constexpr std::string_view kRows = "rows 1\n";

Error badPart()
{
    return {
        Error::Kind::Input, "A process handed over a part that cannot be read; are all of them the same version?", {}};
}

template <typename T> void put(std::string& bytes, const T& number)
{
    static_assert(std::is_arithmetic_v<T>);
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void put(std::string& bytes, const std::string& text)
{
    put(bytes, static_cast<std::uint64_t>(text.size()));
    bytes += text;
}

/// Takes values off the front. After the first failure every further one fails too.
class PartReader
{
public:
    explicit PartReader(std::string_view bytes) : m_left(bytes) {}

    [[nodiscard]] bool sound() const { return m_sound; }
    [[nodiscard]] bool atEnd() const { return m_sound && m_left.empty(); }

    void expect(std::string_view text)
    {
        m_sound = m_sound && m_left.starts_with(text);
        m_left.remove_prefix(m_sound ? text.size() : 0);
    }
    template <typename T> T number()
    {
        T value{};
        if (!fits(sizeof value))
            return value;
        std::memcpy(&value, m_left.data(), sizeof value);
        m_left.remove_prefix(sizeof value);
        return value;
    }
    bool flag()
    {
        const auto byte = number<std::uint8_t>();
        m_sound = m_sound && byte <= 1;
        return byte == 1;
    }
    /// How many values follow, each of at least `each` bytes.
    std::size_t count(std::size_t each)
    {
        const auto many = number<std::uint64_t>();
        m_sound = m_sound && many <= m_left.size() / each;
        return m_sound ? static_cast<std::size_t>(many) : 0;
    }
    std::string text()
    {
        const std::size_t size = count(1);
        std::string value(m_left.substr(0, size));
        m_left.remove_prefix(value.size());
        return value;
    }

private:
    bool fits(std::size_t size) { return m_sound = m_sound && m_left.size() >= size; }

    std::string_view m_left;
    bool m_sound = true;
};

} // namespace

std::string packRows(const std::vector<OutcomeRow>& rows)
{
    std::string bytes(kRows);
    put(bytes, static_cast<std::uint64_t>(rows.size()));
    for (const auto& [example, outcome] : rows) {
        put(bytes, static_cast<std::uint64_t>(example));
        put(bytes, static_cast<std::uint64_t>(outcome.logLikelihoods.size()));
        for (const double value : outcome.logLikelihoods)
            put(bytes, value);
        put(bytes, static_cast<std::uint64_t>(outcome.greedy.size()));
        for (const bool greedy : outcome.greedy)
            put(bytes, static_cast<std::uint8_t>(greedy));
        put(bytes, outcome.generated);
        put(bytes, static_cast<std::uint8_t>(outcome.truncated));
        put(bytes, outcome.rejected);
    }
    return bytes;
}

Result<std::vector<OutcomeRow>> unpackRows(std::string_view bytes)
{
    constexpr std::size_t kSmallestRow = 8 * 5 + 1;
    PartReader reader(bytes);
    reader.expect(kRows);
    std::vector<OutcomeRow> rows;
    for (std::size_t left = reader.count(kSmallestRow); left > 0 && reader.sound(); --left) {
        OutcomeRow& row = rows.emplace_back();
        row.first = static_cast<std::size_t>(reader.number<std::uint64_t>());
        tasks::Outcome& outcome = row.second;
        for (std::size_t values = reader.count(sizeof(double)); values > 0; --values)
            outcome.logLikelihoods.push_back(reader.number<double>());
        for (std::size_t values = reader.count(1); values > 0; --values)
            outcome.greedy.push_back(reader.flag());
        outcome.generated = reader.text();
        outcome.truncated = reader.flag();
        outcome.rejected = reader.text();
    }
    return reader.atEnd() ? Result<std::vector<OutcomeRow>>(std::move(rows)) : badPart();
}

} // namespace headscope::engine

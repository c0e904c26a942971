// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts between columns and values, with type and size checked: a file from elsewhere may contain anything. Private
// to sessions/.

#include "sessions/file/connection.h"
#include "sessions/records.h"

#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::sessions {

/// Returns the current time as "2026-01-31T09:30:00Z".
[[nodiscard]] std::string timestamp();
/// Converts a library's message for use inside a sentence: one line, no full stop, at most 200 characters.
[[nodiscard]] std::string oneLine(std::string_view message);
/// Returns 32 random hex digits.
[[nodiscard]] std::string newUid();

/// Returns the largest size of a text in a column. Names are short, since they are repeated in every row and label;
/// SCHEMA.md lists the columns with more.
[[nodiscard]] std::int64_t mostBytesOf(std::string_view column);
/// Throws BadRow if a text in a table exceeds the limit of its column. Tables with a row per result or head are checked
/// when their rows are read, unless `all`.
void refuseLongTexts(SQLite::Database& db, bool all);
/// Throws BadRequest for a text that could not be read back from its column.
void requireFits(std::string_view what, std::string_view column, std::string_view text);

/// Returns a text of at most mostBytesOf() its column, or of `maxBytes` if that is given.
[[nodiscard]] std::string textAt(SQLite::Statement& row, int column, std::int64_t maxBytes = 0);
/// Returns JSON text. Throws for JSON nested so deeply that parsing it takes more memory than its
/// length.
[[nodiscard]] std::string jsonAt(SQLite::Statement& row, int column, std::int64_t maxBytes);
/// Returns whether JSON nests no deeper than any of ours; copying or printing what nests deeper can exhaust the stack.
[[nodiscard]] bool isShallow(std::string_view json);
/// Returns a value of ui_state: bytes that are not JSON, or JSON that is shallow.
[[nodiscard]] std::string stateAt(SQLite::Statement& row, int column, std::int64_t maxBytes = kMaxValueBytes);
[[nodiscard]] std::string blobAt(SQLite::Statement& row, int column, std::int64_t maxBytes = kMaxValueBytes);
[[nodiscard]] std::int64_t int64At(SQLite::Statement& row, int column);
[[nodiscard]] int intAt(SQLite::Statement& row, int column);
[[nodiscard]] double realAt(SQLite::Statement& row, int column);
[[nodiscard]] std::optional<bool> flagAt(SQLite::Statement& row, int column);

/// Reads the columns of a row one after the other, each with type and size checked. In a braced list the calls are
/// evaluated in order.
class RowReader
{
public:
    explicit RowReader(SQLite::Statement& row, int firstColumn = 0) : m_row(row), m_next(firstColumn) {}
    [[nodiscard]] std::string text() { return textAt(m_row, m_next++); }
    [[nodiscard]] std::string json(std::int64_t maxBytes) { return jsonAt(m_row, m_next++, maxBytes); }
    [[nodiscard]] std::string blob() { return blobAt(m_row, m_next++); }
    [[nodiscard]] std::int64_t int64() { return int64At(m_row, m_next++); }
    [[nodiscard]] int integer() { return intAt(m_row, m_next++); }
    [[nodiscard]] double real() { return realAt(m_row, m_next++); }
    [[nodiscard]] std::optional<bool> flag() { return flagAt(m_row, m_next++); }

private:
    SQLite::Statement& m_row;
    int m_next;
};

/// Bytes stored as a blob, not as text.
struct Blob {
    std::string_view bytes;
};

/// Resets a statement and binds values to its parameters 1, 2, 3 ... Empty optionals are stored as
/// NULL.
template <typename... Values> void bindAll(SQLite::Statement& statement, const Values&... values);

void bindText(SQLite::Statement& statement, int index, std::string_view text);
void bindFlag(SQLite::Statement& statement, int index, const std::optional<bool>& flag);

namespace detail {
inline void bindOne(SQLite::Statement& statement, int index, std::string_view text)
{
    bindText(statement, index, text);
}
inline void bindOne(SQLite::Statement& statement, int index, const char* text)
{
    bindText(statement, index, text);
}
inline void bindOne(SQLite::Statement& statement, int index, const std::string& text)
{
    bindText(statement, index, text);
}
inline void bindOne(SQLite::Statement& statement, int index, int value)
{
    statement.bind(index, value);
}
inline void bindOne(SQLite::Statement& statement, int index, std::int64_t value)
{
    statement.bind(index, value);
}
inline void bindOne(SQLite::Statement& statement, int index, double value)
{
    statement.bind(index, value);
}
inline void bindOne(SQLite::Statement& statement, int index, const std::optional<bool>& flag)
{
    bindFlag(statement, index, flag);
}
inline void bindOne(SQLite::Statement& statement, int index, const std::optional<std::int64_t>& id)
{
    if (id.has_value())
        statement.bind(index, *id);
    else
        statement.bind(index);
}
inline void bindOne(SQLite::Statement& statement, int index, const Blob& blob)
{
    statement.bind(index, blob.bytes.data() == nullptr ? "" : blob.bytes.data(), static_cast<int>(blob.bytes.size()));
}
} // namespace detail

template <typename... Values> void bindAll(SQLite::Statement& statement, const Values&... values)
{
    statement.reset();
    int index = 0;
    (detail::bindOne(statement, ++index, values), ...);
}

/// Convert between lists and JSON. Doubles keep every bit: infinities are written 1e999 and -1e999, not-a-number null.
[[nodiscard]] std::string listText(const std::vector<double>& values);
[[nodiscard]] std::vector<double> doublesFromText(const std::string& json);
[[nodiscard]] std::string listText(const std::vector<std::string>& values);
[[nodiscard]] std::vector<std::string> stringsOf(const std::string& json);
/// Flags are stored in two columns: a single one as a number, several as a text of 0 and 1, one per continuation.
[[nodiscard]] std::optional<bool> onlyFlag(const std::vector<bool>& flags);
[[nodiscard]] std::string flagsText(const std::vector<bool>& flags);
/// Throws BadRow for a text with other characters.
[[nodiscard]] std::vector<bool> flagsOf(const std::optional<bool>& only, const std::string& text);

/// The first 63 bits of a SHA-256 over fields, each preceded by its length: detects rows modified by other programs.
class RowChecksum
{
public:
    RowChecksum& add(std::string_view field);
    RowChecksum& add(std::int64_t field) { return add(std::to_string(field)); }
    [[nodiscard]] std::int64_t value() const;

private:
    std::string m_bytes;
};

[[nodiscard]] std::int64_t checksum(const ExampleRecord& example);
[[nodiscard]] std::int64_t checksum(std::string_view seriesIdentity, const ResultRecord& result);

} // namespace headscope::sessions

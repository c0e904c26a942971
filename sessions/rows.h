// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Columns to values and back, with type and size checked: a file from someone else may hold anything. Private to sessions/.

#include "sessions/connection.h"
#include "sessions/records.h"

#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::sessions {

/// Now, as "2026-01-31T09:30:00Z".
[[nodiscard]] std::string timestamp();
/// A library's message fit to stand inside a sentence: one line, no full stop, at most 200 characters.
[[nodiscard]] std::string oneLine(std::string_view message);
/// 32 random hex digits.
[[nodiscard]] std::string newUid();

[[nodiscard]] std::string textAt(SQLite::Statement& row, int column, std::int64_t maxBytes = kMaxValueBytes);
[[nodiscard]] std::string blobAt(SQLite::Statement& row, int column, std::int64_t maxBytes = kMaxValueBytes);
[[nodiscard]] std::int64_t int64At(SQLite::Statement& row, int column);
[[nodiscard]] int intAt(SQLite::Statement& row, int column);
[[nodiscard]] double realAt(SQLite::Statement& row, int column);
[[nodiscard]] std::optional<bool> flagAt(SQLite::Statement& row, int column);

void bindText(SQLite::Statement& statement, int index, std::string_view text);
void bindFlag(SQLite::Statement& statement, int index, const std::optional<bool>& flag);

/// JSON lists. Doubles keep every bit: infinities are written 1e999 and -1e999, not-a-number null.
[[nodiscard]] std::string listText(const std::vector<double>& values);
[[nodiscard]] std::vector<double> doublesOf(const std::string& json);
[[nodiscard]] std::string listText(const std::vector<std::string>& values);
[[nodiscard]] std::vector<std::string> stringsOf(const std::string& json);

/// The first 63 bits of a SHA-256 over fields, each with its length: finds rows that were changed behind our back.
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

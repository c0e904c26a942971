// SPDX-License-Identifier: GPL-3.0-or-later
// The part of SessionStore that keeps patterns.
#include "sessions/connection.h"
#include "sessions/patterncodec.h"
#include "sessions/rows.h"
#include "sessions/sessionrows.h"
#include "sessions/sessionstore.h"

#include "core/base/hash.h"

#include <fmt/format.h>

namespace headscope::sessions {

namespace {

constexpr const char* kInfoQuery =
    "SELECT p.id, m.hash, p.dtype, p.head, p.convention, a.text, p.prompt, p.created, p.rows, p.cols, length(p.data), p.max_error "
    "FROM patterns p JOIN models m ON m.id = p.model_id JOIN ablations a ON a.id = p.ablation_id ";

PatternInfo infoAt(SQLite::Statement& row)
{
    return {int64At(row, 0), textAt(row, 1), textAt(row, 2), textAt(row, 3), textAt(row, 4), textAt(row, 5), textAt(row, 6),
            textAt(row, 7), intAt(row, 8), intAt(row, 9), int64At(row, 10), realAt(row, 11)};
}

} // namespace

Result<PatternInfo> SessionStore::putPattern(const PatternRecord& pattern)
{
    if (pattern.tokens.size() != static_cast<std::size_t>(pattern.values.cols))
        return inputError(fmt::format("A pattern of {} columns can not be kept with {} token labels.", pattern.values.cols, pattern.tokens.size()));
    const auto encoded = encodePattern(pattern.values);
    if (!encoded.has_value())
        return encoded.error();
    std::int64_t id = 0;
    auto stored = m_connection->write([&](SQLite::Database& db) {
        SQLite::Statement insert(
            db, "INSERT INTO patterns(model_id, dtype, head, convention, ablation_id, prompt_hash, prompt, tokens, rows, cols, encoding, "
                "scale, max_error, data, checksum, created) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16) "
                "ON CONFLICT DO UPDATE SET tokens = ?8, rows = ?9, cols = ?10, encoding = ?11, scale = ?12, max_error = ?13, data = ?14, "
                "checksum = ?15 RETURNING id");
        const std::string tokens = listText(pattern.tokens);
        insert.bind(1, requireModel(db, pattern.modelHash));
        bindText(insert, 2, pattern.dtype);
        bindText(insert, 3, pattern.head);
        bindText(insert, 4, pattern.convention);
        insert.bind(5, ensureAblation(db, pattern.ablation));
        bindText(insert, 6, sha256Hex(pattern.prompt + '\0' + tokens));
        bindText(insert, 7, pattern.prompt);
        bindText(insert, 8, tokens);
        insert.bind(9, pattern.values.rows);
        insert.bind(10, pattern.values.cols);
        bindText(insert, 11, kPatternEncoding);
        insert.bind(12, encoded->scale);
        insert.bind(13, encoded->maxError);
        insert.bind(14, encoded->data.data(), static_cast<int>(encoded->data.size()));
        insert.bind(15, RowChecksum().add(encoded->data).value());
        bindText(insert, 16, timestamp());
        insert.executeStep();
        id = int64At(insert, 0);
        insert.executeStep();
    });
    if (!stored.has_value())
        return stored.error();
    return m_connection->read<PatternInfo>([id](SQLite::Database& db) {
        SQLite::Statement query(db, std::string(kInfoQuery) + "WHERE p.id = ?");
        query.bind(1, id);
        query.executeStep();
        return infoAt(query);
    });
}

Result<std::vector<PatternInfo>> SessionStore::patterns()
{
    return m_connection->read<std::vector<PatternInfo>>([](SQLite::Database& db) {
        SQLite::Statement query(db, std::string(kInfoQuery) + "ORDER BY p.id");
        std::vector<PatternInfo> all;
        while (query.executeStep())
            all.push_back(infoAt(query));
        return all;
    });
}

Result<PatternRecord> SessionStore::pattern(std::int64_t id)
{
    return m_connection->read<PatternRecord>([id](SQLite::Database& db) {
        SQLite::Statement query(db, "SELECT m.hash, p.dtype, p.head, p.convention, a.text, p.prompt, p.tokens, p.rows, p.cols, p.encoding, p.scale, "
                                    "p.max_error, p.data FROM patterns p JOIN models m ON m.id = p.model_id "
                                    "JOIN ablations a ON a.id = p.ablation_id WHERE p.id = ?");
        query.bind(1, id);
        if (!query.executeStep())
            throw BadRequest(fmt::format("The session has no pattern number {}", id));
        PatternRecord pattern{textAt(query, 0), textAt(query, 1), textAt(query, 2), textAt(query, 3), textAt(query, 4),
                              textAt(query, 5), stringsOf(textAt(query, 6)), {}, realAt(query, 11)};
        if (textAt(query, 9) != kPatternEncoding)
            throw BadRow("pattern " + std::to_string(id) + " has the unknown encoding '" + oneLine(textAt(query, 9)) + "'");
        auto values = decodePattern(blobAt(query, 12), realAt(query, 10), intAt(query, 7), intAt(query, 8));
        if (!values.has_value())
            throw BadRow("pattern " + std::to_string(id) + " can not be read: " + oneLine(values.error().message));
        pattern.values = std::move(*values);
        if (pattern.tokens.size() != static_cast<std::size_t>(pattern.values.cols))
            throw BadRow(fmt::format("pattern {} has {} token labels for {} columns", id, pattern.tokens.size(), pattern.values.cols));
        return pattern;
    });
}

} // namespace headscope::sessions

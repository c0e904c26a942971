// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/file/sessionpaths.h"

#include "sessions/file/newfile.h"
#include "sessions/rows/columns.h"
#include "sessions/rows/seriesrows.h"
#include "sessions/sessionstore.h"

#include <SQLiteCpp/Statement.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope::sessions {

namespace {

using nlohmann::json;

struct Place {
    const char* table;
    const char* column;
};

const std::string kHandInKey = "hand_in"; // of session_info

constexpr std::array kPathColumns{Place{"models", "source"}, Place{"tokenizers", "source"}};
constexpr std::array kJsonColumns{Place{"ui_state", "value"}, Place{"figures", "recipe"}, Place{"conflicts", "theirs"}};

// What the person wrote, although it may begin as a path does.
bool isText(std::string_view key)
{
    return key == "text" || key == "prompt" || key == "title" || key == "caption" || key == "note" || key == "name";
}

void removeFrom(json& value)
{
    if (value.is_string())
        value = withoutFolders(value.get_ref<const std::string&>());
    else if (value.is_structured())
        for (auto& [key, inner] : value.items())
            if (!inner.is_string() || value.is_array() || !isText(key))
                removeFrom(inner);
}

// Returns nothing for text that is not JSON, or not from this program: its paths cannot be found, so it is left out.
std::string jsonWithoutFolders(const std::string& text)
{
    if (!isShallow(text))
        return {};
    json value = json::parse(text, nullptr, false);
    if (value.is_discarded())
        return {};
    removeFrom(value);
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// The rows are read first: one that is written may come a second time.
template <typename Change> void changeColumn(SQLite::Database& db, const Place& place, const Change& change)
{
    std::vector<std::pair<std::string, std::string>> changes;
    SQLite::Statement rows(db, fmt::format("SELECT DISTINCT {} FROM {}", place.column, place.table));
    while (rows.executeStep()) {
        const SQLite::Column cell = rows.getColumn(0);
        const std::string before = cell.isBlob() ? blobAt(rows, 0) : textAt(rows, 0);
        if (std::string after = change(before); after != before)
            changes.emplace_back(before, std::move(after));
    }
    const bool blob = std::string_view(place.table) == "ui_state";
    // Two rows that differ in a folder alone become one.
    SQLite::Statement update(
        db, fmt::format("UPDATE OR REPLACE {0} SET {1} = ?1 WHERE {1} = ?2", place.table, place.column));
    for (const auto& [before, after] : changes) {
        if (blob)
            bindAll(update, Blob{after}, Blob{before});
        else
            bindAll(update, after, before);
        update.exec();
    }
}

// The file of an example is part of what its checksum is taken of.
void changeExamples(SQLite::Database& db)
{
    std::vector<std::pair<std::int64_t, ExampleRecord>> changes;
    SQLite::Statement rows(db, fmt::format("SELECT id, {} FROM examples WHERE file LIKE '/%'", kExampleColumns));
    while (rows.executeStep()) {
        ExampleRecord example = exampleAt(rows, 1);
        example.file = withoutFolders(example.file);
        changes.emplace_back(int64At(rows, 0), std::move(example));
    }
    SQLite::Statement update(db, "UPDATE examples SET file = ?, checksum = ? WHERE id = ?");
    for (const auto& [id, example] : changes) {
        bindAll(update, example.file, checksum(example), id);
        update.exec();
    }
}

void removePaths(SQLite::Database& db)
{
    for (const Place& place : kPathColumns)
        changeColumn(db, place, withoutFolders);
    for (const Place& place : kJsonColumns)
        changeColumn(db, place, jsonWithoutFolders);
    changeExamples(db);
}

} // namespace

bool isHandIn(SQLite::Database& db)
{
    SQLite::Statement query(db, "SELECT 1 FROM session_info WHERE key = ?");
    bindAll(query, kHandInKey);
    return query.executeStep();
}

std::string withoutFolders(std::string_view text)
{
    const bool path = text.starts_with('/') && text.find('\n') == std::string_view::npos;
    if (!path)
        return std::string(text);
    text = text.substr(0, text.find_last_not_of('/') + 1);
    return std::string(text.substr(text.rfind('/') + 1));
}

namespace {

void markHandIn(SQLite::Database& copy)
{
    SQLite::Statement mark(copy, "INSERT OR REPLACE INTO session_info(key, value) VALUES (?, '1')");
    bindAll(mark, kHandInKey);
    mark.exec();
    copy.exec("PRAGMA page_size = 1024"); // many small tables: a page each is most of such a file
}

Result<std::int64_t> duplicateWithout(SessionStore& session, const std::filesystem::path& target,
                                      std::span<const char* const> emptied)
{
    std::int64_t kept = 0;
    const auto written = writeCopy(session, target, [&](SQLite::Database& copy) {
        renewUid(copy);
        for (const char* table : emptied)
            copy.exec(std::string("DELETE FROM ") + table);
        removePaths(copy);
        if (!emptied.empty())
            markHandIn(copy);
        copy.exec("VACUUM"); // what was written over is still in free pages
        kept = copy.execAndGet("SELECT count(*) FROM ablations WHERE text LIKE '%:/%'").getInt64();
    });
    return written.has_value() ? Result<std::int64_t>(kept) : written.error();
}

} // namespace

Result<std::int64_t> duplicateWithoutPaths(SessionStore& session, const std::filesystem::path& target)
{
    return duplicateWithout(session, target, {});
}

Result<std::int64_t> duplicateForHandIn(SessionStore& session, const std::filesystem::path& target)
{
    // What refers to a table goes before it.
    constexpr std::array kLeftBehind{"results",       "examples",     "patterns", "survey_places", "survey_texts",
                                     "survey_values", "survey_heads", "surveys",  "chunks",        "claims",
                                     "parts",         "history",      "conflicts"};
    return duplicateWithout(session, target, kLeftBehind);
}

} // namespace headscope::sessions

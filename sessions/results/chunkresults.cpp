// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/results/chunkresults.h"

#include "sessions/file/connection.h"
#include "sessions/rows/columns.h"
#include "sessions/sessionstore.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace headscope::sessions {

namespace {

constexpr std::size_t kSlice = std::size_t{16} << 20; // bytes of a row: no value of a session may be larger than 64 MiB

std::int64_t sliceChecksum(std::string_view work, int chunk, int slice, std::string_view data)
{
    return RowChecksum().add(work).add(std::to_string(chunk)).add(std::to_string(slice)).add(data).value();
}

/// The content of a chunk, its slices one after the other; nothing where there is none. `intact`: false where a slice
/// was changed or the last ones are missing.
std::optional<std::string> contentOfChunk(SQLite::Database& db, const std::string& work, int chunk, bool& intact)
{
    SQLite::Statement query(db, "SELECT slice, slices, data, checksum FROM chunks WHERE work = ? AND chunk = ? "
                                "ORDER BY slice");
    bindAll(query, work, chunk);
    std::optional<std::string> content;
    int expected = 0, slices = 0;
    intact = true;
    while (query.executeStep()) {
        RowReader row(query);
        const int slice = row.integer();
        slices = row.integer();
        const std::string data = row.blob();
        intact = intact && slice == expected++ && row.int64() == sliceChecksum(work, chunk, slice, data);
        content = content.value_or(std::string()) + data;
    }
    intact = intact && expected == slices;
    return content;
}

void insertChunk(SQLite::Database& db, const std::string& work, int chunk, std::string_view data)
{
    SQLite::Statement insert(db, "INSERT INTO chunks(work, chunk, slice, slices, data, checksum) "
                                 "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
    const auto slices = static_cast<int>(std::max<std::size_t>((data.size() + kSlice - 1) / kSlice, 1));
    for (int slice = 0; slice < slices; ++slice) {
        const std::string_view part = data.substr(static_cast<std::size_t>(slice) * kSlice, kSlice);
        bindAll(insert, work, chunk, slice, slices, Blob{part}, sliceChecksum(work, chunk, slice, part));
        insert.exec();
    }
}

} // namespace

void saveChunk(SQLite::Database& db, const std::string& work, int chunk, std::string_view data)
{
    insertChunk(db, work, chunk, data);
}

Result<void> putChunk(SessionStore& session, const std::string& work, int chunk, std::string_view data)
{
    return session.connection().write([&](SQLite::Database& db) {
        if (session.again()) {
            SQLite::Statement remove(db, "DELETE FROM chunks WHERE work = ? AND chunk = ?");
            bindAll(remove, work, chunk);
            remove.exec();
        }
        saveChunk(db, work, chunk, data);
    });
}

Result<std::vector<int>> storedChunks(SessionStore& session, const std::string& work)
{
    return session.connection().read<std::vector<int>>([&](SQLite::Database& db) {
        SQLite::Statement query(db, "SELECT chunk FROM chunks WHERE work = ? AND slice = 0 ORDER BY chunk");
        bindAll(query, work);
        std::vector<int> all;
        while (query.executeStep())
            all.push_back(intAt(query, 0));
        return all;
    });
}

Result<std::map<int, std::string>> chunkResults(SessionStore& session, const std::string& work,
                                                const std::vector<int>& chunks)
{
    return session.connection().read<std::map<int, std::string>>([&](SQLite::Database& db) {
        std::map<int, std::string> found;
        for (const int chunk : chunks) {
            bool intact = false;
            auto content = contentOfChunk(db, work, chunk, intact);
            if (content && !intact)
                throw BadRow("chunk " + std::to_string(chunk) + " of a shared work was changed after it was stored");
            if (content)
                found.emplace(chunk, std::move(*content));
        }
        return found;
    });
}

Result<void> forgetChunks(SessionStore& session, const std::string& work, int end)
{
    return session.connection().write([&](SQLite::Database& db) {
        SQLite::Statement forget(db, "DELETE FROM chunks WHERE work = ? AND chunk < ?");
        bindAll(forget, work, end);
        forget.exec();
    });
}

namespace {

std::vector<std::pair<std::string, int>> allChunks(SQLite::Database& db)
{
    std::vector<std::pair<std::string, int>> all;
    for (SQLite::Statement query(db, "SELECT work, chunk FROM chunks WHERE slice = 0 ORDER BY work, chunk");
         query.executeStep();)
        all.emplace_back(textAt(query, 0), intAt(query, 1));
    return all;
}

} // namespace

void mergeChunks(SQLite::Database& db, SQLite::Database& from,
                 const std::function<void(const std::string& work, int chunk)>& differs)
{
    for (const auto& [work, chunk] : allChunks(from)) {
        bool theirsIntact = false, oursIntact = false;
        const auto theirs = contentOfChunk(from, work, chunk, theirsIntact);
        const auto ours = contentOfChunk(db, work, chunk, oursIntact);
        if (!theirsIntact)
            throw BadRow("chunk " + std::to_string(chunk) + " of a shared work was changed after it was stored");
        if (!ours)
            insertChunk(db, work, chunk, *theirs);
        else if (*ours != *theirs)
            differs(work, chunk);
    }
}

void verifyChunks(SQLite::Database& db, const std::function<bool(const std::string& work, int chunk)>& damaged)
{
    for (const auto& [work, chunk] : allChunks(db)) {
        bool intact = false;
        static_cast<void>(contentOfChunk(db, work, chunk, intact));
        if (!intact && !damaged(work, chunk))
            return;
    }
}

} // namespace headscope::sessions

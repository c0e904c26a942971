// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Results of shared work that are in no other table: the bytes of each finished chunk, from which every process
// computes the same result. On the thread of the store.

#include "core/base/result.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace SQLite {
class Database;
}

namespace headscope::sessions {

class SessionStore;

/// Stores a finished chunk; an existing one is kept, since two results of a chunk are equal.
void saveChunk(SQLite::Database& db, const std::string& work, int chunk, std::string_view data);
[[nodiscard]] Result<void> putChunk(SessionStore& session, const std::string& work, int chunk, std::string_view data);

/// Returns the numbers of the stored chunks, ascending.
[[nodiscard]] Result<std::vector<int>> storedChunks(SessionStore& session, const std::string& work);
/// Returns those of `chunks` that are stored, by number. Fails if one was modified after it was stored.
[[nodiscard]] Result<std::map<int, std::string>> chunkResults(SessionStore& session, const std::string& work,
                                                              const std::vector<int>& chunks);
/// Deletes the chunks before `end`, whose content is stored elsewhere by then.
[[nodiscard]] Result<void> forgetChunks(SessionStore& session, const std::string& work, int end);

/// Adds the chunks of `from` that `db` does not have. Calls `differs` for each that both have with different content.
void mergeChunks(SQLite::Database& db, SQLite::Database& from,
                 const std::function<void(const std::string& work, int chunk)>& differs);
/// Calls `damaged` for each chunk that was modified after it was stored.
void verifyChunks(SQLite::Database& db, const std::function<bool(const std::string& work, int chunk)>& damaged);

} // namespace headscope::sessions

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Results of shared work that no other table has: the bytes of each finished chunk, from which every process computes
// the same result. On the thread of the store.

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

/// Stores a finished chunk; one that is there stays, since two results of a chunk are the same.
void saveChunk(SQLite::Database& db, const std::string& work, int chunk, std::string_view data);
[[nodiscard]] Result<void> putChunk(SessionStore& session, const std::string& work, int chunk, std::string_view data);

/// The numbers of the chunks that are stored, ascending.
[[nodiscard]] Result<std::vector<int>> storedChunks(SessionStore& session, const std::string& work);
/// Those of `chunks` that are stored, by number. Fails for one that was changed after it was stored.
[[nodiscard]] Result<std::map<int, std::string>> chunkResults(SessionStore& session, const std::string& work,
                                                              const std::vector<int>& chunks);
/// Forgets the chunks before `end`, whose content has gone elsewhere.
[[nodiscard]] Result<void> forgetChunks(SessionStore& session, const std::string& work, int end);

/// Adds the chunks that `db` does not have of `from`. Calls `differs` with each that both have with other content.
void mergeChunks(SQLite::Database& db, SQLite::Database& from,
                 const std::function<void(const std::string& work, int chunk)>& differs);
/// Calls `damaged` with each chunk that was changed after it was stored.
void verifyChunks(SQLite::Database& db, const std::function<bool(const std::string& work, int chunk)>& damaged);

} // namespace headscope::sessions

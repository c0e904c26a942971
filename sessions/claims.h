// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Work that any number of processes share through their session: a free process claims a chunk, and its results are
// stored in the transaction that gives the claim back. No clock of day is read: a claim is free again when its process
// is gone, or when the count that the process raises while it is alive has stood still for the length of a lease, by
// the monotonic clock of the process that looks. On the thread of the store; a thread of its own raises the count.

#include "core/base/result.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace SQLite {
class Database;
}

namespace headscope::sessions {

class ResultWriter;
class SessionStore;

struct WorkChunk {
    int number = 0;
    int portion = 0;   ///< of which a process keeps something from chunk to chunk
    bool done = false; ///< its results were known before
};

class Claims
{
public:
    /// `work`: hash of everything that decides the results, and of how they are cut.
    Claims(SessionStore& session, std::string work, std::chrono::milliseconds lease = std::chrono::seconds(30));
    /// Releases the chunk that this process has not finished.
    ~Claims();
    Claims(const Claims&) = delete;
    Claims& operator=(const Claims&) = delete;

    /// Adds the chunks that the work does not have yet. Forgets other works that are finished.
    [[nodiscard]] Result<void> offer(std::span<const WorkChunk> chunks);

    struct Turn {
        std::optional<int> chunk; ///< to be run now; nothing: all are done, or others have the last ones
        int portion = 0;          ///< of the chunk
        int done = 0;
        int total = 0;
        std::vector<std::string> others; ///< who else has a chunk: "process 4711 on node3"
    };
    /// In one transaction, if there is anything to do: stores `results` and `found` (chunkresults.h), marks the chunk
    /// of the turn before as done and claims another one: of the same portion, else of one that nobody has begun, else
    /// of the one with the most left.
    [[nodiscard]] Result<Turn> next(ResultWriter& results, const std::optional<std::string>& found = {});

private:
    struct Heartbeat;
    struct LastBeat {
        std::string owner;
        std::int64_t beat = 0;
        std::chrono::steady_clock::time_point since;
    };
    /// Reads the state of the work into `turn`. Returns whether there is something to claim.
    [[nodiscard]] bool look(SQLite::Database& db, Turn& turn);
    void freeLost(SQLite::Database& db);
    void claim(SQLite::Database& db, Turn& turn);

    SessionStore& m_session;
    std::string m_work;
    std::string m_owner;
    std::chrono::milliseconds m_lease;
    std::optional<int> m_chunk; ///< that this process has
    int m_portion = -1;
    std::map<int, LastBeat> m_seen; ///< by chunk: claims of others
    std::set<std::string> m_lost;   ///< owners whose claims are free
    std::unique_ptr<Heartbeat> m_heartbeat;
};

} // namespace headscope::sessions

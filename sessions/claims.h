// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Work shared by any number of processes through their session: a free process claims a chunk, and its results are
// stored in the transaction that releases the claim. The time of day is not used: a claim is free again once its
// process has ended, or once the counter that a live process increments has not changed for the length of a lease, by
// the monotonic clock of the observing process. On the thread of the store; a separate thread increments the counter.

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
    int portion = 0;   ///< group of chunks between which a process keeps data
    bool done = false; ///< its results were already known
};

class Claims
{
public:
    /// `work`: hash of everything that determines the results, and of their division into chunks.
    Claims(SessionStore& session, std::string work, std::chrono::milliseconds lease = std::chrono::seconds(30));
    /// Releases the chunk that this process has not finished.
    ~Claims();
    Claims(const Claims&) = delete;
    Claims& operator=(const Claims&) = delete;

    /// Adds the chunks that the work does not have yet. Deletes other works that are finished.
    [[nodiscard]] Result<void> offer(std::span<const WorkChunk> chunks);

    struct Turn {
        std::optional<int> chunk; ///< to run now; nothing: all are done, or others have claimed the last ones
        int portion = 0;          ///< portion of the chunk
        int done = 0;
        int total = 0;
        std::vector<std::string> others; ///< who else has a chunk: "process 4711 on node3"
        int here = 0;                    ///< of those, the ones that run on this machine
    };
    /// Runs one transaction if there is anything to do: stores `results` and `found` (chunkresults.h), marks the chunk
    /// of the previous turn as done and claims another one: of the same portion, otherwise of one that nobody has
    /// started, otherwise of the one with the most chunks left.
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
    std::optional<int> m_chunk; ///< claimed by this process
    int m_portion = -1;
    std::map<int, LastBeat> m_seen; ///< by chunk: claims of other processes
    std::set<std::string> m_lost;   ///< owners whose claims are free
    std::unique_ptr<Heartbeat> m_heartbeat;
};

} // namespace headscope::sessions

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the first of several processes takes the others' results. Accepts and reads on threads of its own; what is
// asked of it may be asked from any thread.

#include "core/engine/processes/chunkqueue.h"
#include "core/engine/processes/connection.h"

#include <atomic>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace headscope::engine {

class MeetingPoint
{
public:
    MeetingPoint(Descriptor listening, Run run, std::chrono::milliseconds patience);
    ~MeetingPoint() = default;
    MeetingPoint(const MeetingPoint&) = delete;
    MeetingPoint& operator=(const MeetingPoint&) = delete;

    /// The next chunk of a round for a process: its number, Connection::kNothingNow, kNothingLeft when all are in, or
    /// kOtherWork where who claimed first was given another one. What a process had that is gone or silent is given to
    /// others.
    [[nodiscard]] std::uint32_t claim(const Connection::Message& wanted, int rank);
    [[nodiscard]] bool finish(std::uint32_t round, int rank, std::uint32_t chunk, std::string result);
    /// The queue of a round that is done; it is gone then.
    [[nodiscard]] ChunkQueue takeChunks(std::uint32_t round);
    /// Waits for those that are here until they have left or are silent for the patience, and till `late` for those
    /// that have not come.
    void awaitDepartures(SteadyClock::time_point late) const;

private:
    struct Member {
        bool came = false;               ///< has introduced itself
        bool left = false;               ///< and is gone
        SteadyClock::time_point heard{}; ///< its last sign of life
    };
    struct Guest {
        std::atomic<bool> done = false;
        std::jthread thread; ///< last: stops first
    };
    void accept(const std::stop_token& stop);
    void serve(Descriptor socket, const std::stop_token& stop);
    [[nodiscard]] bool enter(int rank);
    [[nodiscard]] bool keep(Connection& connection, Connection::Message message);
    void leave(int rank);
    [[nodiscard]] bool isLost(const Member& member) const;

    const Run m_run;
    const std::chrono::milliseconds m_patience;
    mutable std::mutex m_mutex;
    std::vector<Member> m_members;
    std::map<std::uint32_t, ChunkQueue> m_queues; ///< by round
    std::map<std::uint32_t, std::string> m_works; ///< by round: the hash of what is shared
    std::set<std::uint32_t> m_rounds;             ///< whose chunks were taken
    std::atomic<int> m_strangers = 0;             ///< connected, not yet introduced
    Descriptor m_listening;
    std::list<Guest> m_guests;
    std::jthread m_acceptor; ///< last: stops first
};

} // namespace headscope::engine

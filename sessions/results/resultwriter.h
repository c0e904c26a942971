// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stores results while a run is in progress: few commits when examples are fast, one an example when they are slow.
// Lives on the thread of its session.

#include "core/base/result.h"
#include "sessions/records.h"

#include <chrono>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace SQLite {
class Database;
}

namespace headscope::sessions {

class SessionStore;

struct WriterOptions {
    std::size_t rows = 256;                 ///< commit at least after this many results
    std::chrono::milliseconds interval{50}; ///< and no more often than this, unless the rows say so
    /// Called after a commit with what is now on disk and survives a crash.
    std::function<void(const SeriesKey&, std::span<const ResultRecord>)> committed;
};

/// Results are held for at most `interval` of scoring time; call flush() wherever a run pauses. No lock is held between
/// calls, so other writers wait for one commit at most.
class ResultWriter
{
public:
    explicit ResultWriter(SessionStore& session, WriterOptions options = {});
    /// Flushes; an error is lost here, so call flush() where it matters.
    ~ResultWriter();
    ResultWriter(const ResultWriter&) = delete;
    ResultWriter& operator=(const ResultWriter&) = delete;

    /// Takes one finished example. After an error everything not yet stored is kept and tried again by the next call.
    [[nodiscard]] Result<void> add(const SeriesKey& key, ResultRecord result);
    /// `with`: what else is done in the same transaction.
    [[nodiscard]] Result<void> flush(const std::function<void(SQLite::Database&)>& with = {});
    [[nodiscard]] std::size_t pending() const { return m_pendingRows; }

private:
    SessionStore& m_session;
    WriterOptions m_options;
    std::map<SeriesKey, std::vector<ResultRecord>> m_pending;
    std::size_t m_pendingRows = 0;
    std::chrono::steady_clock::time_point m_lastCommit;
};

} // namespace headscope::sessions

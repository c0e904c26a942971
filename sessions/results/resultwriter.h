// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stores results while a run is in progress: few commits if examples are fast, one per example if they are slow. Lives
// on the thread of its session.

#include "core/base/result.h"
#include "sessions/records.h"

#include <chrono>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace SQLite {
class Database;
}

namespace headscope::sessions {

class SessionStore;

struct WriterOptions {
    std::size_t rows = 256;                 ///< commit at the latest after this many results
    std::chrono::milliseconds interval{50}; ///< least time between commits, unless the rows require one
    /// Called after a commit with the results that are now on disk and survive a crash.
    std::function<void(const SeriesKey&, std::span<const ResultRecord>)> committed;
};

/// Results are buffered for at most `interval` of scoring time; call flush() whenever a run pauses. No lock is held
/// between calls, so other writers wait for at most one commit.
class ResultWriter
{
public:
    explicit ResultWriter(SessionStore& session, WriterOptions options = {});
    /// Flushes; errors are lost here, so call flush() if they matter.
    ~ResultWriter();
    ResultWriter(const ResultWriter&) = delete;
    ResultWriter& operator=(const ResultWriter&) = delete;

    /// Adds one finished example. After an error all unsaved results are kept, and the next call tries again.
    [[nodiscard]] Result<void> add(const SeriesKey& key, ResultRecord result);
    /// Commits the buffered results. `with`: further work in the same transaction.
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

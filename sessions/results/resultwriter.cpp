// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/results/resultwriter.h"

#include "sessions/file/connection.h"
#include "sessions/rows/seriesrows.h"
#include "sessions/sessionstore.h"

namespace headscope::sessions {

ResultWriter::ResultWriter(SessionStore& session, WriterOptions options)
    : m_session(session), m_options(std::move(options)),
      m_lastCommit(std::chrono::steady_clock::now() - m_options.interval)
{
}

ResultWriter::~ResultWriter()
{
    static_cast<void>(flush());
}

Result<void> ResultWriter::add(const SeriesKey& key, ResultRecord result)
{
    m_pending[key].push_back(std::move(result));
    ++m_pendingRows;
    const bool due = std::chrono::steady_clock::now() - m_lastCommit >= m_options.interval;
    if (due || m_pendingRows >= m_options.rows)
        return flush();
    return {};
}

Result<void> ResultWriter::flush(const std::function<void(SQLite::Database&)>& with)
{
    if (m_pending.empty() && !with)
        return {};
    auto stored = m_session.connection().write([&](SQLite::Database& db) {
        for (const auto& [key, results] : m_pending)
            m_session.insert(db, key, results);
        if (with)
            with(db);
    });
    m_lastCommit = std::chrono::steady_clock::now();
    if (!stored.has_value())
        return stored;
    const auto written = std::exchange(m_pending, {});
    m_pendingRows = 0;
    if (m_options.committed)
        for (const auto& [key, results] : written)
            m_options.committed(key, results);
    return {};
}

} // namespace headscope::sessions

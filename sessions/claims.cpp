// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/claims.h"

#include "sessions/file/connection.h"
#include "sessions/results/chunkresults.h"
#include "sessions/results/resultwriter.h"
#include "sessions/rows/columns.h"
#include "sessions/sessionstore.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include <unistd.h>

namespace headscope::sessions {

namespace fs = std::filesystem;

namespace {

/// Returns when a process started, in the words of the system; empty if there is no such process or it has ended.
std::string startOfProcess(int pid)
{
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string line;
    std::getline(file, line);
    // proc(5): the name in parentheses, which may hold anything, then the state; the start time is 19 fields on
    std::istringstream fields(line.substr(std::min(line.rfind(')') + 1, line.size())));
    std::string state, field;
    fields >> state;
    for (int i = 0; i < 19; ++i)
        fields >> field;
    return fields && state != "Z" && state != "X" ? field : std::string();
}

/// Process numbers mean something only within one start of one system, and one namespace of it.
std::string whereProcessesAre()
{
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    std::error_code unknown;
    return boot + fs::read_symlink("/proc/self/ns/pid", unknown).string();
}

/// One claimant, as its claims name it.
struct Claimant {
    int pid = 0;
    std::string host, where, start;
    int number = 0; ///< among those of the process

    [[nodiscard]] static Claimant own()
    {
        static std::atomic<int> count = 0;
        char host[256] = "";
        static_cast<void>(::gethostname(host, sizeof host - 1));
        return {::getpid(), host[0] != '\0' ? host : "?", whereProcessesAre(), startOfProcess(::getpid()), ++count};
    }
    [[nodiscard]] static Claimant parse(const std::string& text)
    {
        Claimant claimant;
        std::istringstream(text) >> claimant.pid >> claimant.host >> claimant.where >> claimant.start
            >> claimant.number;
        return claimant;
    }
    [[nodiscard]] std::string text() const { return fmt::format("{} {} {} {} {}", pid, host, where, start, number); }
    [[nodiscard]] std::string name() const { return fmt::format("process {} on {}", pid, host); }
    /// Returns whether the process has certainly ended.
    [[nodiscard]] bool isGone() const
    {
        return !start.empty() && where == whereProcessesAre() && startOfProcess(pid) != start;
    }
};

} // namespace

/// Raises the count of the claims at intervals, through a connection and a thread of its own.
struct Claims::Heartbeat {
    std::jthread thread;

    Heartbeat(const fs::path& path, const std::string& work, const std::string& owner,
              std::chrono::milliseconds interval)
        : thread([=](const std::stop_token& stop) {
              std::optional<SessionStore> session;
              std::mutex sleeping;
              std::condition_variable_any wake;
              std::unique_lock lock(sleeping);
              while (!wake.wait_for(lock, stop, interval, [&] { return stop.stop_requested(); })) {
                  if (!session)
                      if (auto opened = SessionStore::open(path, {.create = false}); opened.has_value())
                          session.emplace(std::move(*opened));
                  // The next one makes up for one that fails; a full disk is reported by the work itself.
                  if (session)
                      static_cast<void>(session->connection().write([&](SQLite::Database& db) {
                          SQLite::Statement raise(db, "UPDATE claims SET beat = beat + 1 WHERE work = ? AND owner = ?");
                          bindAll(raise, work, owner);
                          raise.exec();
                      }));
              }
          })
    {
    }
};

Claims::Claims(SessionStore& session, std::string work, std::chrono::milliseconds lease)
    : m_session(session), m_work(std::move(work)), m_owner(Claimant::own().text()), m_lease(lease)
{
}

Claims::~Claims()
{
    m_heartbeat.reset();
    if (m_chunk) // where that cannot be stored, the others see that the process is gone
        static_cast<void>(m_session.connection().write([&](SQLite::Database& db) {
            SQLite::Statement give(db, "UPDATE claims SET owner = '' WHERE work = ? AND owner = ?");
            bindAll(give, m_work, m_owner);
            give.exec();
        }));
}

Result<void> Claims::offer(std::span<const WorkChunk> chunks)
{
    const auto offered = m_session.connection().write([&](SQLite::Database& db) {
        SQLite::Statement forget(db, "DELETE FROM claims WHERE work <> ? AND work NOT IN "
                                     "(SELECT work FROM claims WHERE done = 0)");
        bindAll(forget, m_work);
        forget.exec();
        SQLite::Statement insert(db, "INSERT INTO claims(work, chunk, portion, owner, beat, done) "
                                     "VALUES (?, ?, ?, '', 0, ?) ON CONFLICT(work, chunk) DO UPDATE SET "
                                     "done = 1, owner = '' WHERE excluded.done = 1 AND done = 0");
        for (const WorkChunk& chunk : chunks) {
            bindAll(insert, m_work, chunk.number, chunk.portion, chunk.done);
            insert.exec();
        }
    });
    if (offered.has_value())
        m_heartbeat = std::make_unique<Heartbeat>(m_session.path(), m_work, m_owner, m_lease / 6);
    return offered;
}

bool Claims::look(SQLite::Database& db, Turn& turn)
{
    SQLite::Statement count(db, "SELECT count(*), coalesce(sum(done), 0), coalesce(sum(done = 0 AND owner = ''), 0) "
                                "FROM claims WHERE work = ?");
    bindAll(count, m_work);
    count.executeStep();
    turn.total = intAt(count, 0);
    turn.done = intAt(count, 1);
    const bool anyFree = intAt(count, 2) > 0;
    // Of others: those that are gone, and those whose count stands still.
    const auto now = std::chrono::steady_clock::now();
    std::map<int, LastBeat> seen;
    m_lost.clear();
    SQLite::Statement claimed(db, "SELECT chunk, owner, beat FROM claims WHERE work = ? AND owner NOT IN ('', ?)");
    bindAll(claimed, m_work, m_owner);
    std::set<std::string> others, here;
    const std::string host = Claimant::parse(m_owner).host;
    while (claimed.executeStep()) {
        RowReader row(claimed);
        const int chunk = row.integer();
        LastBeat one{row.text(), row.int64(), now};
        if (const auto before = m_seen.find(chunk);
            before != m_seen.end() && before->second.owner == one.owner && before->second.beat == one.beat)
            one.since = before->second.since;
        const Claimant claimant = Claimant::parse(one.owner);
        others.insert(claimant.name());
        if (now - one.since >= m_lease || claimant.isGone())
            m_lost.insert(one.owner);
        else if (claimant.host == host)
            here.insert(claimant.name());
        seen[chunk] = std::move(one);
    }
    m_seen = std::move(seen);
    turn.others.assign(others.begin(), others.end());
    turn.here = static_cast<int>(here.size());
    return anyFree || !m_lost.empty();
}

void Claims::freeLost(SQLite::Database& db)
{
    SQLite::Statement give(db, "UPDATE claims SET owner = '' WHERE work = ? AND owner = ?");
    for (const std::string& owner : m_lost) {
        bindAll(give, m_work, owner);
        give.exec();
    }
}

void Claims::claim(SQLite::Database& db, Turn& turn)
{
    SQLite::Statement claim(
        db, "UPDATE claims SET owner = ?2, beat = 0 WHERE work = ?1 AND chunk = (SELECT c.chunk FROM claims c JOIN "
            "(SELECT portion, sum(owner = '' AND done = 0) AS free, sum(owner <> '' OR done) AS begun "
            "FROM claims WHERE work = ?1 GROUP BY portion) p ON p.portion = c.portion "
            "WHERE c.work = ?1 AND c.owner = '' AND c.done = 0 "
            "ORDER BY c.portion = ?3 DESC, p.begun = 0 DESC, p.free DESC, c.chunk LIMIT 1) RETURNING chunk, portion");
    bindAll(claim, m_work, m_owner, m_portion);
    if (claim.executeStep()) {
        turn.chunk = intAt(claim, 0);
        turn.portion = intAt(claim, 1);
    }
}

Result<Claims::Turn> Claims::next(ResultWriter& results, const std::optional<std::string>& found)
{
    Turn turn;
    // A process that waits does not write, so that it wakes nobody.
    if (!m_chunk && results.pending() == 0) {
        const auto something = m_session.connection().read<bool>([&](SQLite::Database& db) { return look(db, turn); });
        if (!something.has_value())
            return something.error();
        if (!*something)
            return turn;
    }
    const auto stored = results.flush([&](SQLite::Database& db) {
        turn = {};
        // The results of the chunk before are in this transaction. Whoever stored them first, they are the same.
        if (m_chunk) {
            if (found)
                saveChunk(db, m_work, *m_chunk, *found);
            SQLite::Statement finish(db, "UPDATE claims SET done = 1, owner = '' WHERE work = ? AND chunk = ?");
            bindAll(finish, m_work, *m_chunk);
            finish.exec();
        }
        if (look(db, turn)) {
            freeLost(db);
            claim(db, turn);
        }
    });
    if (!stored.has_value())
        return stored.error();
    m_chunk = turn.chunk;
    m_portion = turn.chunk ? turn.portion : m_portion;
    return turn;
}

} // namespace headscope::sessions

// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/connection.h"

#include "sessions/filesystem.h"
#include "sessions/rows/columns.h"
#include "sessions/schema.h"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

namespace headscope::sessions {

namespace fs = std::filesystem;

namespace {

// Files up to this size are checked page by page when opened (about 0.1 s); larger ones only on `session verify`, and
// their small tables when opened.
constexpr std::int64_t kFullCheckBytes = 64LL * 1024 * 1024;

std::string quoted(const fs::path& path)
{
    return "'" + path.string() + "'";
}

int pragma(SQLite::Database& db, const char* name)
{
    return db.execAndGet(std::string("PRAGMA ") + name).getInt();
}

} // namespace

TemporaryFolder::TemporaryFolder()
{
    std::string pattern = (fs::temp_directory_path() / "headscope-session-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
        throw fs::filesystem_error("mkdtemp", pattern, std::error_code(errno, std::generic_category()));
    m_path = pattern;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

Connection::Connection(fs::path path, OpenOptions options) : m_path(std::move(path)), m_options(options)
{
    if (m_options.readOnly)
        m_readOnlyReason = "it was opened for reading only";
}

Result<std::unique_ptr<Connection>> Connection::open(const fs::path& path, const OpenOptions& options)
{
    std::error_code ignored;
    std::unique_ptr<Connection> self(new Connection(fs::absolute(path, ignored), options));
    try {
        if (auto fit = self->examineFile(); !fit.has_value())
            return fit.error();
        self->connect();
        self->harden();
        if (auto accepted = self->accept(); !accepted.has_value())
            return accepted.error();
        sqlite3_db_config(self->m_db->getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
        self->m_watch.remember(*self->m_db, self->m_path);
    } catch (...) {
        return self->currentError();
    }
    return self;
}

// Everything that can be said before SQLite touches the file.
Result<void> Connection::examineFile()
{
    const fs::path folder = m_path.parent_path();
    std::error_code failed;
    if (!fs::is_directory(folder, failed) && failed.value() == ELOOP)
        return ioError("Session " + quoted(m_path) + " can not be opened: a link of its folder leads to itself.");
    if (!fs::is_directory(folder, failed))
        return ioError("Session " + quoted(m_path) + " can not be opened: the folder " + quoted(folder)
                       + " does not exist.");
    const fs::file_status status = fs::status(m_path, failed);
    if (failed.value() == ELOOP)
        return ioError("Session " + quoted(m_path) + " can not be opened: it is a link that leads to itself.");
    if (failed.value() == ENAMETOOLONG)
        return ioError("Session " + quoted(m_path) + " can not be opened: its name is too long.");
    if (status.type() == fs::file_type::none)
        return ioError("Session " + quoted(m_path) + " can not be opened: "
                       + (failed.value() == EACCES ? "permission denied." : oneLine(failed.message()) + "."));
    if (fs::exists(status) && !fs::is_regular_file(status))
        return inputError(quoted(m_path) + " is not a session: expected a file, got a "
                          + (fs::is_directory(status) ? "folder." : "device or pipe."));
    if (auto beside = examineCompanions(); !beside.has_value())
        return beside;
    m_isNew = !fs::exists(status);
    if (m_isNew && (!m_options.create || m_options.readOnly))
        return ioError("There is no session " + quoted(m_path) + ".");
    if (m_isNew && !writable(folder))
        return ioError("Session " + quoted(m_path) + " can not be made: the folder is read-only.");
    if (!m_isNew) {
        std::ifstream file(m_path, std::ios::binary);
        std::string head(16, '\0');
        file.read(head.data(), 16);
        if (!file.is_open())
            return ioError("Session " + quoted(m_path) + " can not be read: permission denied.");
        if (file.gcount() == 0 && !m_options.create)
            return inputError(quoted(m_path) + " is not a session: the file is empty.");
        if (file.gcount() > 0 && head != std::string("SQLite format 3\0", 16))
            return inputError(quoted(m_path) + " is not a session: it does not begin as a SQLite file does.");
        if (m_readOnlyReason.empty() && !writable(m_path))
            m_readOnlyReason = "the file is read-only";
        else if (m_readOnlyReason.empty() && !writable(folder))
            m_readOnlyReason = "its folder is read-only";
        if (!m_readOnlyReason.empty() && !m_options.readOnly)
            m_notices.push_back("Session " + quoted(m_path) + " is open for reading only, because " + m_readOnlyReason
                                + "; nothing new is stored.");
    }
    if (const auto network = networkFileSystem(folder)) {
        m_network = true;
        m_notices.push_back("Session " + quoted(m_path) + " lies on a network file system (" + *network
                            + "), whose locks may not hold: write to it from one program at a time.");
    }
    return {};
}

// SQLite opens its log and index without a look at what they are; a pipe there would keep it waiting for a writer.
Result<void> Connection::examineCompanions() const
{
    for (const char* suffix : {"-wal", "-shm", "-journal"}) {
        const fs::path companion = m_path.string() + suffix;
        std::error_code failed;
        const fs::file_status status = fs::status(companion, failed);
        if (failed.value() == ELOOP || (fs::exists(status) && !fs::is_regular_file(status)))
            return inputError("Session " + quoted(m_path) + " can not be opened: " + quoted(companion)
                              + " beside it is not a file but a "
                              + (failed.value() == ELOOP    ? "link to itself"
                                 : fs::is_directory(status) ? "folder"
                                                            : "device or pipe")
                              + "; move it away first.");
    }
    return {};
}

void Connection::connect()
{
    const int timeout = m_options.busyTimeoutMs;
    const int flags = SQLite::OPEN_URI;
    if (!readOnly()) {
        m_db = std::make_unique<SQLite::Database>(sqliteUri(m_path, "mode=rwc"),
                                                  flags | SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, timeout);
        return;
    }
    // A write-ahead log needs its index file beside it. Where none can be made, a log with content is read from a
    // copy, and a file without one as it is.
    if (writable(m_path.parent_path())) {
        m_db = std::make_unique<SQLite::Database>(sqliteUri(m_path, "mode=ro"), flags | SQLite::OPEN_READONLY, timeout);
        return;
    }
    const fs::path log = m_path.string() + "-wal";
    std::error_code ignored;
    if (fs::exists(log, ignored) && fs::file_size(log, ignored) > 0) {
        m_copy = std::make_unique<TemporaryFolder>();
        const fs::path copy = m_copy->path() / "session";
        fs::copy_file(m_path, copy);
        fs::copy_file(log, copy.string() + "-wal");
        fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write);
        fs::permissions(copy.string() + "-wal", fs::perms::owner_read | fs::perms::owner_write);
        m_db = std::make_unique<SQLite::Database>(sqliteUri(copy, "mode=rw"), flags | SQLite::OPEN_READWRITE, timeout);
    } else {
        m_db = std::make_unique<SQLite::Database>(sqliteUri(m_path, "mode=ro&immutable=1"),
                                                  flags | SQLite::OPEN_READONLY, timeout);
    }
}

// Following "Defense Against The Dark Arts" of SQLite's documentation: a file can neither run nor reach anything.
void Connection::harden() const
{
    sqlite3* handle = m_db->getHandle();
    const auto config = [handle](int option, int value) { sqlite3_db_config(handle, option, value, nullptr); };
    config(SQLITE_DBCONFIG_DEFENSIVE, 1);
    config(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0);
    config(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0);
    config(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0);
    config(SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0);
    config(SQLITE_DBCONFIG_DQS_DDL, 0);
    config(SQLITE_DBCONFIG_DQS_DML, 0);
    config(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
           1); // until it is accepted: a log that somebody laid beside a file stays beside it
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, static_cast<int>(kMaxValueBytes));
    sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, 100000);
    sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, 100);
    sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, 50);
    sqlite3_limit(handle, SQLITE_LIMIT_COMPOUND_SELECT, 10);
    sqlite3_limit(handle, SQLITE_LIMIT_VDBE_OP, 25000);
    sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
    sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, 100);
    sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100);
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
    m_db->exec("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;"
               "PRAGMA cache_size = -16000;");
}

// Who wrote it, which version, and is its schema ours; then the pages; only then is anything written. One snapshot, so
// that another program that creates or upgrades the file meanwhile is seen entirely or not at all.
Result<void> Connection::accept()
{
    std::optional<SQLite::Transaction> snapshot(std::in_place, *m_db);
    const int application = pragma(*m_db, "application_id");
    const int version = pragma(*m_db, "user_version");
    if (application == 0 && version == 0 && m_db->execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0) {
        if (readOnly())
            return inputError(quoted(m_path) + " is not a session: the file is empty.");
        snapshot.reset();
        return create();
    }
    if (application != kApplicationId)
        return inputError(fmt::format(
            "'{}' is not a session: it is a SQLite file of another program (application id {:#x}, expected {:#x}).",
            m_path.string(), static_cast<unsigned>(application), static_cast<unsigned>(kApplicationId)));
    if (version > kSchemaVersion)
        return inputError(fmt::format(
            "Session '{}' was written by a newer version of Headscope: it has schema {}, this one reads up to {}.",
            m_path.string(), version, kSchemaVersion));
    if (version < 1)
        return inputError(fmt::format("Session '{}' is damaged: expected a schema from 1 to {}, got {}.",
                                      m_path.string(), kSchemaVersion, version));
    if (const auto difference = schemaDifference(*m_db, version))
        return inputError("Session " + quoted(m_path) + " is refused: it " + *difference + ".");
    if (auto sound = quickCheck(); !sound.has_value())
        return sound;
    snapshot.reset();
    chooseJournal();
    if (version < kSchemaVersion)
        return upgrade(version);
    return {};
}

Result<void> Connection::create()
{
    chooseJournal();
    SQLite::Transaction transaction(*m_db, SQLite::TransactionBehavior::IMMEDIATE);
    // Another process may have been faster.
    if (pragma(*m_db, "user_version") != 0)
        return {};
    migrate(*m_db, 0, kSchemaVersion);
    SQLite::Statement info(
        *m_db, "INSERT INTO session_info(key, value) VALUES ('uid', lower(hex(randomblob(16)))), ('created', ?)");
    info.bind(1, timestamp());
    info.exec();
    transaction.commit();
    m_db->execAndGet("PRAGMA wal_checkpoint(PASSIVE)"); // so that the file itself says which session it is
    return {};
}

Result<void> Connection::upgrade(int from)
{
    if (readOnly()) {
        // The file stays as it is; its copy is upgraded and read.
        auto copy = std::make_unique<SQLite::Database>("", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        SQLite::Backup(*copy, *m_db).executeStep();
        m_db = std::move(copy);
        harden();
    }
    SQLite::Transaction transaction(*m_db, SQLite::TransactionBehavior::IMMEDIATE);
    if (const int now = pragma(*m_db, "user_version"); now < kSchemaVersion)
        migrate(*m_db, now, kSchemaVersion);
    transaction.commit();
    if (!readOnly())
        m_notices.push_back(fmt::format(
            "Session '{}' was upgraded from schema {} to {}; earlier versions of Headscope can not open it any more.",
            m_path.string(), from, kSchemaVersion));
    return {};
}

// Write-ahead logging lets one read while another writes, but only on one machine.
void Connection::chooseJournal()
{
    if (m_options.maximumBytes > 0) {
        const int pageSize = pragma(*m_db, "page_size");
        m_db->execAndGet(
            fmt::format("PRAGMA max_page_count = {}", std::max<std::int64_t>(1, m_options.maximumBytes / pageSize)));
    }
    if (readOnly())
        return;
    const std::string wanted = m_network ? "delete" : "wal";
    // The switch needs the file for itself for a moment; another program that opens it at the same time is waited for.
    for (int waited = 0;; waited += 10) {
        try {
            if (m_db->execAndGet("PRAGMA journal_mode").getString() != wanted)
                m_db->execAndGet("PRAGMA journal_mode = " + wanted);
            return;
        } catch (const SQLite::Exception& error) {
            if ((error.getErrorCode() & 0xFF) != SQLITE_BUSY)
                throw;
        }
        if (waited >= m_options.busyTimeoutMs)
            return;
        sqlite3_sleep(10);
    }
}

Result<void> Connection::quickCheck()
{
    std::vector<std::string> checks{"PRAGMA quick_check(1)"};
    const std::int64_t bytes = static_cast<std::int64_t>(pragma(*m_db, "page_count")) * pragma(*m_db, "page_size");
    if (bytes > kFullCheckBytes) {
        checks.clear();
        for (const char* table :
             {"session_info", "models", "tokenizers", "ablations", "series", "runs", "run_series", "ui_state"})
            checks.push_back(fmt::format("PRAGMA quick_check('{}')", table));
    }
    for (const std::string& check : checks) {
        const std::string answer = m_db->execAndGet(check).getString();
        if (answer != "ok")
            return inputError("Session " + quoted(m_path) + " is damaged: " + oneLine(answer) + ".");
    }
    return {};
}

Result<void> Connection::stillThere()
{
    if (m_lost.empty())
        if (const std::string damage = m_watch.damage(*m_db); !damage.empty())
            abandon(damage);
    return m_lost.empty() ? Result<void>() : Result<void>(ioError(m_lost));
}

// The log belongs to a file that is gone: moved into the one that took its place, now or by whoever opens that next, it
// would damage it.
void Connection::abandon(const std::string& damage)
{
    sqlite3_db_config(m_db->getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    sqlite3_wal_autocheckpoint(m_db->getHandle(), 0);
    const fs::path kept = rescue();
    std::error_code gone;
    for (const char* suffix : {"-wal", "-shm"})
        if (fs::exists(m_path.string() + suffix, gone))
            fs::rename(m_path.string() + suffix, m_path.string() + ".lost" + suffix, gone);
    const bool there = damage.find("removed") != std::string::npos; // its pages are still to be read
    m_lost = "Session " + quoted(m_path) + " " + damage + " while it was open, so nothing more is stored in it; "
             + (!kept.empty() ? "what it held is kept in " + quoted(kept)
                : there       ? std::string("what it held can still be saved under another name")
                              : "its last changes are in " + quoted(fs::path(m_path.string() + ".lost-wal")))
             + ".";
}

// What can still be read, as a session of its own beside the file; empty where that is not sound or can not be written.
fs::path Connection::rescue()
{
    const std::string stem = (m_path.parent_path() / m_path.stem()).string();
    fs::path target;
    std::error_code ignored;
    for (int number = 1; number < 1000 && (target.empty() || fs::exists(target, ignored)); ++number)
        target = stem + ".rescued-" + std::to_string(number) + m_path.extension().string();
    try {
        bool sound = false;
        {
            SQLite::Database copy(sqliteUri(target, "mode=rwc"),
                                  SQLite::OPEN_URI | SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
            SQLite::Backup(copy, *m_db).executeStep();
            sound = copy.execAndGet("PRAGMA integrity_check(1)").getString() == "ok"
                    && copy.execAndGet("PRAGMA application_id").getInt() == kApplicationId;
        }
        if (sound)
            return target;
    } catch (const SQLite::Exception&) { // the folder is gone, the disk is full, or the pages make no sense
    }
    for (const char* suffix : {"", "-wal", "-shm", "-journal"})
        fs::remove(target.string() + suffix, ignored);
    return {};
}

Result<void> Connection::write(const std::function<void(SQLite::Database&)>& work)
{
    if (readOnly())
        return ioError("Nothing was stored in session " + quoted(m_path) + ": " + m_readOnlyReason + ".");
    if (auto there = stillThere(); !there.has_value())
        return there;
    try {
        SQLite::Transaction transaction(*m_db, SQLite::TransactionBehavior::IMMEDIATE);
        work(*m_db);
        // Makes the file's own count of changes grow with every transaction, by which an earlier copy is known.
        m_db->exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
        transaction.commit();
    } catch (...) {
        return currentError();
    }
    return {};
}

Error Connection::currentError() const
{
    const std::string name = quoted(m_path);
    try {
        throw;
    } catch (const BadRow& error) {
        return inputError("Session " + name + " is damaged: " + error.what() + ".");
    } catch (const BadRequest& error) {
        return inputError(std::string(error.what()) + ".");
    } catch (const SQLite::Exception& error) {
        const std::string said = oneLine(error.what());
        // What the system said of the last write; SQLite calls a disk full also where the file may not grow.
        const int system = m_db ? sqlite3_system_errno(m_db->getHandle()) : 0;
        const bool full = system == ENOSPC || system == EDQUOT;
        switch (full ? SQLITE_FULL : error.getErrorCode() & 0xFF) {
        case SQLITE_FULL:
            return ioError("Session " + name
                           + " could not grow: " + (full || system == 0 ? "the disk is full" : std::strerror(system))
                           + "; nothing stored before is lost.");
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return ioError(fmt::format("Session {} is being written by another program; gave up after {} s.", name,
                                       m_options.busyTimeoutMs / 1000.0));
        case SQLITE_READONLY:
        case SQLITE_PERM:
            return ioError("Nothing was stored in session " + name + ": it can not be written (" + said + ").");
        case SQLITE_NOTADB: return inputError(name + " is not a session: " + said + ".");
        case SQLITE_CORRUPT: return inputError("Session " + name + " is damaged: " + said + ".");
        case SQLITE_TOOBIG:
            return inputError(
                fmt::format("Session {} was refused a value larger than {} MB.", name, kMaxValueBytes / 1000000));
        case SQLITE_CANTOPEN:
        case SQLITE_IOERR:
            return ioError("Session " + name + " could not be read or written (" + said
                           + "); nothing stored before is lost.");
        case SQLITE_NOMEM:
            return {Error::Kind::Memory, "There was not enough memory to read session " + name + ".", said};
        default: return {Error::Kind::Internal, "Session " + name + " refused an operation: " + said + ".", said};
        }
    } catch (const std::bad_alloc&) {
        return {Error::Kind::Memory, "There was not enough memory to read session " + name + ".", {}};
    } catch (const std::exception& error) {
        return ioError("Session " + name + " could not be read or written: " + oneLine(error.what()) + ".");
    }
}

} // namespace headscope::sessions

// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/file/connection.h"

#include "sessions/file/newfile.h"
#include "sessions/file/schema.h"
#include "sessions/rows/columns.h"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

namespace headscope::sessions {

namespace fs = std::filesystem;

namespace {

// Files up to this size are checked page by page when opened (about 0.1 s); larger ones only on `session verify`, and
// their small tables when opened.
constexpr std::int64_t kFullCheckBytes = 64LL * 1024 * 1024;

constexpr int kLogPages = 1000; // the log is moved into the file from here on

const std::string kOwnVersion = "PRAGMA user_version = " + std::to_string(kSchemaVersion);

std::string quoted(const fs::path& path)
{
    return "'" + path.string() + "'";
}

int pragma(SQLite::Database& db, const char* name)
{
    return db.execAndGet(std::string("PRAGMA ") + name).getInt();
}

/// Makes an empty database a session, in the caller's transaction.
void fillEmpty(SQLite::Database& db)
{
    migrate(db, 0, kSchemaVersion);
    SQLite::Statement info(
        db, "INSERT INTO session_info(key, value) VALUES ('uid', lower(hex(randomblob(16)))), ('created', ?)");
    info.bind(1, timestamp());
    info.exec();
}

} // namespace

Connection::Connection(fs::path path, OpenOptions options) : m_path(std::move(path)), m_options(options)
{
    if (m_options.readOnly)
        m_readOnlyReason = "it was opened for reading only";
}

// A file that is gone gets what its log still has.
Connection::~Connection()
{
    if (m_db && !readOnly())
        static_cast<void>(checkUnchanged());
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
        self->remember();
    } catch (...) {
        return self->currentError();
    }
    return self;
}

// Everything that can be said before SQLite touches the file. It is not opened here: closing it would take away the
// locks that other connections of this process have on it.
Result<void> Connection::examineFile()
{
    const auto refuse = [this](const std::string& why) {
        return ioError("Session " + quoted(m_path) + " cannot be opened: " + why + ".");
    };
    std::error_code failed;
    const fs::file_status status = fs::status(m_path, failed);
    if (failed.value() == ELOOP)
        return refuse(fs::is_symlink(fs::symlink_status(m_path, failed)) ? "it is a link that leads to itself"
                                                                         : "a link of its folder leads to itself");
    if (const std::string problem = failed.value() == ENAMETOOLONG ? "its name is too long" : tooLong(m_path);
        !problem.empty())
        return refuse(problem);
    if (status.type() == fs::file_type::none)
        return refuse(failed.value() == EACCES ? "permission denied" : oneLine(failed.message()));
    m_file = fs::weakly_canonical(m_path, failed);
    const fs::path folder = m_file.parent_path();
    if (!fs::is_directory(folder, failed))
        return refuse("the folder " + quoted(m_path.parent_path()) + " does not exist");
    if (fs::exists(status) && !fs::is_regular_file(status))
        return inputError(quoted(m_path) + " is not a session: expected a file, got a "
                          + (fs::is_directory(status) ? "folder." : "device or pipe."));
    if (auto companions = examineCompanions(); !companions.has_value())
        return companions;
    m_support = supportOf(folder);
    if (const auto network = networkFileSystem(folder)) {
        m_network = true;
        m_notices.push_back("Session " + quoted(m_path) + " is on a network file system (" + *network
                            + "), whose locks may not work: write to it from one program at a time, and divide work "
                              "among processes with --part.");
    } else if (m_support.locks && !m_support.sharedMemory && !m_options.readOnly) {
        m_notices.push_back("Session " + quoted(m_path)
                            + " is on a file system without shared memory: programs that use it wait for each other.");
    }
    const bool empty = !fs::exists(status) || fs::file_size(m_file, failed) == 0;
    if (empty)
        if (auto fit = examineNew(); !fit.has_value() || !fs::exists(status))
            return fit;
    if (::access(m_file.c_str(), R_OK) != 0)
        return ioError("Session " + quoted(m_path) + " cannot be read: permission denied.");
    if (m_readOnlyReason.empty() && !writable(m_file))
        m_readOnlyReason = "the file is read-only";
    else if (m_readOnlyReason.empty() && !writable(folder))
        m_readOnlyReason = "its folder is read-only";
    else if (m_readOnlyReason.empty() && !m_support.locks)
        m_readOnlyReason = "its file system has no file locks";
    else if (m_readOnlyReason.empty())
        m_readOnlyReason = unwritableCompanion();
    if (!m_readOnlyReason.empty() && !m_options.readOnly)
        m_notices.push_back("Session " + quoted(m_path) + " is open for reading only, because " + m_readOnlyReason
                            + "; nothing new is stored.");
    return {};
}

// A file that is not there is made, whole or not at all; one that is empty is filled by accept().
Result<void> Connection::examineNew()
{
    std::error_code failed;
    const auto refuse = [this](const std::string& why) {
        return ioError("Session " + quoted(m_path) + " cannot be created: " + why + ".");
    };
    const fs::path left = leftoverOf(m_file);
    const bool exists = fs::exists(m_file, failed);
    if (exists && fs::file_size(m_file, failed) > 0)
        return {}; // another process has made it meanwhile
    if (!m_options.create || m_options.readOnly)
        return exists ? inputError(quoted(m_path) + " is not a session: the file is empty.")
                      : ioError("There is no session " + quoted(m_path) + ".");
    if (fs::is_symlink(fs::symlink_status(m_file, failed)))
        return refuse("it is a link to " + quoted(fs::read_symlink(m_file, failed)) + ", which does not exist");
    if (!left.empty() && (!exists || left == beside("-wal")))
        return refuse(quoted(left) + " of an earlier session of that name is beside it; close the programs that may "
                      + "have it open, then move that file away");
    if (!writable(m_file.parent_path()))
        return refuse("the folder is read-only");
    if (!m_support.locks)
        return refuse("its file system has no file locks, which keep two programs from writing at once; keep it on "
                      "a local disk, and copy it here with 'headscope-cli session duplicate'");
    if (exists)
        return {};
    SQLite::Database empty(":memory:", SQLite::OPEN_URI | SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    fillEmpty(empty);
    const auto made = writeNewFile(empty, m_file, fs::perms{0600});
    return made.has_value() || fs::exists(m_file, failed) ? Result<void>() : refuse(made.error().message);
}

// SQLite opens its log and index without a look at what they are; a pipe there would keep it waiting for a writer.
Result<void> Connection::examineCompanions() const
{
    for (const char* suffix : {"-wal", "-shm", "-journal"}) {
        const fs::path companion = beside(suffix);
        std::error_code failed;
        const fs::file_status status = fs::status(companion, failed);
        if (failed.value() == ELOOP || (fs::exists(status) && !fs::is_regular_file(status)))
            return inputError("Session " + quoted(m_path) + " cannot be opened: " + quoted(companion)
                              + " beside it is not a file but a "
                              + (failed.value() == ELOOP    ? "link to itself"
                                 : fs::is_directory(status) ? "folder"
                                                            : "device or pipe")
                              + "; move it away first.");
    }
    return {};
}

// A program that may only read a file makes its log and its shared memory with the permissions of the file, and leaves
// them. Once the file may be written again, so must they be.
std::string Connection::unwritableCompanion() const
{
    for (const char* suffix : {"-wal", "-shm"}) {
        const fs::path companion = beside(suffix);
        std::error_code failed;
        if (!fs::exists(companion, failed) || writable(companion))
            continue;
        fs::permissions(companion, fs::status(m_file, failed).permissions(), failed);
        if (!writable(companion))
            return quoted(companion) + " beside it is read-only";
    }
    return {};
}

int Connection::waitForWriter(void* connection, int calls) noexcept
{
    auto& self = *static_cast<Connection*>(connection);
    constexpr std::chrono::seconds kNoTime(2);
    constexpr int kLongestSleep = 25;
    const auto now = std::chrono::steady_clock::now();
    if (calls == 0) {
        self.m_busySince = now;
        self.m_told = false;
    }
    if (!self.m_told && now - self.m_busySince > kNoTime) {
        self.m_told = true;
        self.m_options.notify("Waiting for " + lockHolder(self.m_file) + ", which is writing to session "
                              + quoted(self.m_path) + ".");
    }
    sqlite3_sleep(std::min(calls + 1, kLongestSleep));
    return self.m_options.stop.stop_requested() ? 0 : 1;
}

void Connection::connect()
{
    if (!m_support.locks)
        return connectAside();
    // Only a connection that may write removes the log and the shared memory that it made: write() keeps it from more.
    // Where there was a log or a journal before, that is not ours to play into a file that is only read.
    const bool write = !readOnly()
                       || (writable(m_file) && writable(m_file.parent_path()) && m_support.sharedMemory && !m_network
                           && leftoverOf(m_file).empty());
    m_db = std::make_unique<SQLite::Database>(
        sqliteUri(m_file, write ? "mode=rw" : "mode=ro"),
        SQLite::OPEN_URI | (write ? SQLite::OPEN_READWRITE : SQLite::OPEN_READONLY), m_options.busyTimeoutMs);
    // A log without shared memory is read by one program, which has the file for itself until chooseJournal().
    if (!readOnly() && (m_network || !m_support.sharedMemory))
        m_db->exec("PRAGMA locking_mode = EXCLUSIVE");
    else if (!readOnly() && m_options.notify)
        sqlite3_busy_handler(m_db->getHandle(), waitForWriter, this);
    if (!readOnly())
        return;
    try {
        static_cast<void>(pragma(*m_db, "schema_version"));
    } catch (const SQLite::Exception& error) {
        if ((error.getErrorCode() & 0xFF) == SQLITE_BUSY)
            throw;
        connectAside(); // what has to be made beside the file to read it cannot be
    }
}

// Reads a copy where the file has a log or a journal, else the file as it is, which nobody may write to meanwhile.
void Connection::connectAside()
{
    m_db.reset();
    if (leftoverOf(m_file).empty()) {
        m_db = std::make_unique<SQLite::Database>(sqliteUri(m_file, "mode=ro&immutable=1"),
                                                  SQLite::OPEN_URI | SQLite::OPEN_READONLY);
        return;
    }
    m_copy = std::make_unique<TemporaryFolder>("session");
    const fs::path copy = m_copy->path() / "session";
    for (const char* suffix : {"", "-wal", "-journal"}) {
        if (std::error_code none; !fs::exists(beside(suffix), none))
            continue;
        fs::copy_file(beside(suffix), copy.string() + suffix);
        fs::permissions(copy.string() + suffix, fs::perms{0600});
    }
    m_db = std::make_unique<SQLite::Database>(sqliteUri(copy, "mode=rw&vfs=unix-none"),
                                              SQLite::OPEN_URI | SQLite::OPEN_READWRITE);
    m_db->exec("PRAGMA locking_mode = EXCLUSIVE");
}

// Following "Defense Against The Dark Arts" of SQLite's documentation: a file can neither run nor reach anything.
void Connection::harden()
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
    if (readOnly())
        m_db->exec("PRAGMA query_only = ON");
    // What was committed is: a log that cannot be moved into the file, on a full disk for instance, waits for the next
    // time. SQLite's own hook calls the commit a failure then.
    const auto moveLog = [](void*, sqlite3* db, const char* name, int pages) {
        if (pages >= kLogPages)
            sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
        return SQLITE_OK;
    };
    sqlite3_wal_hook(handle, moveLog, nullptr);
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
    const auto difference = schemaDifference(*m_db, version);
    // An earlier program, which had it open while it was upgraded, wrote its own number.
    const bool upgraded = difference && version < kSchemaVersion && !schemaDifference(*m_db, kSchemaVersion);
    if (difference && !upgraded)
        return inputError("Session " + quoted(m_path) + " is refused: it " + *difference + ".");
    if (auto sound = quickCheck(); !sound.has_value())
        return sound;
    snapshot.reset();
    chooseJournal();
    if (version < kSchemaVersion && !upgraded)
        return upgrade(version);
    if (upgraded && !readOnly())
        m_db->exec(kOwnVersion);
    return {};
}

Result<void> Connection::create()
{
    chooseJournal();
    SQLite::Transaction transaction(*m_db, SQLite::TransactionBehavior::IMMEDIATE);
    // Another process may have been faster.
    if (pragma(*m_db, "user_version") != 0)
        return {};
    fillEmpty(*m_db);
    transaction.commit();
    return {};
}

Result<void> Connection::upgrade(int from)
{
    if (readOnly()) {
        // The file stays as it is; its copy is upgraded and read.
        auto copy = std::make_unique<SQLite::Database>("", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        SQLite::Backup(*copy, *m_db).executeStep();
        sqlite3_db_config(m_db->getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
        m_db = std::move(copy);
        harden();
        m_db->exec("PRAGMA query_only = OFF");
    }
    SQLite::Transaction transaction(*m_db, SQLite::TransactionBehavior::IMMEDIATE);
    if (const int now = pragma(*m_db, "user_version"); now < kSchemaVersion)
        migrate(*m_db, now, kSchemaVersion);
    transaction.commit();
    if (readOnly())
        m_db->exec("PRAGMA query_only = ON");
    else
        m_notices.push_back(fmt::format(
            "Session '{}' was upgraded from schema {} to {}; earlier versions of Headscope cannot open it any more.",
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
    const std::string wanted = m_network || !m_support.sharedMemory ? "delete" : "wal";
    // The switch needs the file for itself for a moment; another program that opens it at the same time is waited for.
    for (int waited = 0;; waited += 10) {
        try {
            if (m_db->execAndGet("PRAGMA journal_mode").getString() != wanted)
                m_db->execAndGet("PRAGMA journal_mode = " + wanted);
            m_db->exec("PRAGMA locking_mode = NORMAL");
            static_cast<void>(pragma(*m_db, "schema_version")); // lets go of the file
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

void Connection::remember()
{
    m_identities = identities();
    if (m_db->execAndGet("PRAGMA journal_mode").getString() != "wal")
        return;
    m_uid = uid();
    m_changes = changes().value_or(0);
}

Connection::Identities Connection::identities() const
{
    Identities all{};
    constexpr std::array kSuffixes{"", "-wal", "-shm"};
    for (std::size_t i = 0; i < all.size(); ++i) {
        struct stat info {
        };
        if (::stat(beside(kSuffixes[i]).c_str(), &info) == 0)
            all[i] = {info.st_dev, info.st_ino};
    }
    return all;
}

// As it is now, not as it was when it was read last.
std::string Connection::uid()
{
    m_db->exec("PRAGMA shrink_memory");
    return m_db->execAndGet("SELECT value FROM session_info WHERE key = 'uid'").getString();
}

std::optional<std::uint32_t> Connection::changes()
{
    sqlite3_file* file = nullptr;
    sqlite3_file_control(m_db->getHandle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
    // "The Database Header" in SQLite's documentation of the file format
    constexpr std::string_view kBegin("SQLite format 3\0", 16);
    constexpr std::size_t kCount = 24;
    std::array<char, kCount + 4> header{};
    file->pMethods->xRead(file, header.data(), static_cast<int>(header.size()), 0);
    if (std::string_view(header.data(), kBegin.size()) != kBegin)
        return std::nullopt;
    std::uint32_t changes = 0;
    for (std::size_t i = kCount; i < header.size(); ++i)
        changes = changes << 8 | static_cast<unsigned char>(header[i]);
    return changes;
}

// SQLite does not look at a file again that has a log. Nothing that SQLite does, in whatever process and up to whatever
// moment, looks like what is looked for here (tst_sessioncrashpoints).
std::string Connection::damage()
{
    const std::string name = "Session " + quoted(m_path),
                      stops = " while it was open, so nothing more is stored in it; ";
    const Identities found = identities();
    const auto changed = [&](std::size_t i) { return m_identities[i].second != 0 && found[i] != m_identities[i]; };
    const bool moved = changed(0), logGone = changed(1);
    // Into the file that this connection has open, wherever that is now; unless others have begun a log of their own.
    const bool complete =
        (moved || (logGone && found[1].second == 0))
        && sqlite3_wal_checkpoint_v2(m_db->getHandle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr)
               == SQLITE_OK;
    const std::string inLog =
        "its last changes are only in " + quoted(beside("-wal")) + ", which must not stay beside the present file.";
    if (moved)
        return name + " was removed or replaced" + stops
               + (complete ? "if it was moved, everything stored before is in it." : inLog);
    if (logGone)
        return name + " lost its log " + quoted(beside("-wal")) + stops
               + (complete ? "everything stored before is in it." : "save its contents under another name.");
    if (changed(2))
        return name + " lost its shared memory " + quoted(beside("-shm")) + stops + "open it again.";
    if (m_uid.empty())
        return {};
    const std::optional<std::uint32_t> now = changes();
    bool same = now.has_value() && *now >= m_changes;
    try {
        same = same && uid() == m_uid;
    } catch (const SQLite::Exception& error) {
        if ((error.getErrorCode() & 0xFF) != SQLITE_NOTADB)
            throw;
        same = false;
    }
    if (!same)
        return name + " was overwritten" + stops + inLog;
    m_changes = *now;
    return {};
}

Result<void> Connection::checkUnchanged()
{
    if (m_lost.empty()) {
        try {
            m_lost = damage();
        } catch (const SQLite::Exception& error) {
            if ((error.getErrorCode() & 0xFF) != SQLITE_CORRUPT)
                return currentError();
            m_lost = currentError().message;
        }
        if (!m_lost.empty()) { // what this connection knows must not get into what is there now
            sqlite3_db_config(m_db->getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
            sqlite3_wal_hook(m_db->getHandle(), nullptr, nullptr);
        }
    }
    return m_lost.empty() ? Result<void>() : Result<void>(ioError(m_lost));
}

Result<void> Connection::write(const std::function<void(SQLite::Database&)>& work)
{
    if (readOnly())
        return ioError("Nothing was stored in session " + quoted(m_path) + ": " + m_readOnlyReason + ".");
    if (auto there = checkUnchanged(); !there.has_value())
        return there;
    try {
        SQLite::Transaction transaction(*m_db, SQLite::TransactionBehavior::IMMEDIATE);
        if (pragma(*m_db, "user_version") != kSchemaVersion)
            throw BadRequest("Nothing was stored in session " + quoted(m_path)
                             + ": a newer version of Headscope has upgraded it; open it with that version");
        work(*m_db);
        // Raises the changes that the header counts with every transaction, by which an earlier copy is known.
        m_db->exec(kOwnVersion);
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
        const int code = error.getErrorCode() & 0xFF;
        switch (full && (code == SQLITE_IOERR || code == SQLITE_CANTOPEN) ? SQLITE_FULL : code) {
        case SQLITE_FULL:
            return ioError("Session " + name
                           + " could not grow: " + (full || system == 0 ? "the disk is full" : std::strerror(system))
                           + "; nothing stored before is lost.");
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            if (m_options.stop.stop_requested())
                return cancelledError();
            return ioError(fmt::format("Session {} is being written by another program; gave up after {} s.", name,
                                       m_options.busyTimeoutMs / 1000.0));
        case SQLITE_READONLY:
        case SQLITE_PERM:
            return ioError("Nothing was stored in session " + name + ": it cannot be written (" + said + ").");
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

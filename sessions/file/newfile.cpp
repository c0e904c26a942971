// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/file/newfile.h"

#include "sessions/file/connection.h"
#include "sessions/rows/columns.h"
#include "sessions/sessionstore.h"

#include <SQLiteCpp/Statement.h>

#include <sqlite3.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace headscope::sessions {

namespace fs = std::filesystem;

namespace {

std::system_error systemError()
{
    return {errno, std::generic_category()};
}

/// A file under a random name that only its owner can read; removed unless it was renamed.
class Unfinished
{
public:
    explicit Unfinished(const fs::path& folder) : m_path(folder / (".headscope-" + newUid().substr(0, 8)))
    {
        const int file = ::open(m_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0)
            throw systemError();
        ::close(file);
    }
    ~Unfinished()
    {
        std::error_code ignored;
        for (const char* suffix : {"", "-journal"})
            fs::remove(m_path.string() + suffix, ignored);
    }
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;
    [[nodiscard]] const fs::path& path() const { return m_path; }

    void rename(const fs::path& target)
    {
        // A second name never replaces a file either; it is for file systems that cannot rename so.
        if (::renameat2(AT_FDCWD, m_path.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) != 0
            && ((errno != EINVAL && errno != ENOSYS) || ::link(m_path.c_str(), target.c_str()) != 0))
            throw systemError();
    }

private:
    fs::path m_path;
};

void syncToDisk(const fs::path& path)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool done = file >= 0 && ::fsync(file) == 0;
    const std::system_error error = systemError();
    ::close(file);
    if (!done)
        throw error;
}

} // namespace

AllowAttach::AllowAttach(SQLite::Database& db) : m_db(db), m_queryOnly(db.execAndGet("PRAGMA query_only").getInt() != 0)
{
    if (m_queryOnly)
        m_db.exec("PRAGMA query_only = OFF");
    sqlite3_limit(m_db.getHandle(), SQLITE_LIMIT_ATTACHED, 1);
}

AllowAttach::~AllowAttach()
{
    if (m_queryOnly)
        sqlite3_exec(m_db.getHandle(), "PRAGMA query_only = ON", nullptr, nullptr, nullptr);
    sqlite3_limit(m_db.getHandle(), SQLITE_LIMIT_ATTACHED, 0);
}

Result<void> writeNewFile(SQLite::Database& from, const fs::path& target, fs::perms mode,
                          const std::function<void(SQLite::Database&)>& change)
{
    try {
        const fs::path folder = fs::absolute(target).parent_path();
        Unfinished file(folder);
        {
            const AllowAttach allow(from);
            SQLite::Statement vacuum(from, "VACUUM INTO ?");
            bindText(vacuum, 1, sqliteUri(file.path(), "nolock=1"));
            vacuum.exec();
        }
        if (change) {
            SQLite::Database copy(sqliteUri(file.path(), "mode=rw&nolock=1"),
                                  SQLite::OPEN_URI | SQLite::OPEN_READWRITE);
            copy.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY");
            change(copy);
        }
        fs::permissions(file.path(), mode);
        syncToDisk(file.path());
        file.rename(target);
        try {
            syncToDisk(folder);
        } catch (const std::system_error&) { // not every file system can
        }
    } catch (const std::exception& error) {
        return ioError(oneLine(error.what()));
    }
    return {};
}

Result<void> writeCopy(SessionStore& session, const fs::path& target,
                       const std::function<void(SQLite::Database&)>& change)
{
    const auto refuse = [&target](const std::string& why) {
        return ioError("The copy '" + target.string() + "' was not written: " + why + ".");
    };
    std::error_code failed;
    const fs::path left = leftoverOf(target);
    if (const bool there = fs::exists(target, failed); there || !left.empty())
        return refuse("'" + (there ? target : left).string() + "' exists already");
    if (!fs::is_directory(fs::absolute(target).parent_path(), failed))
        return refuse("its folder does not exist");
    if (const std::string problem = tooLong(target); !problem.empty())
        return refuse(problem);
    const fs::file_status status = fs::status(session.path(), failed);
    const auto mode = fs::is_regular_file(status) ? status.permissions() & fs::perms{0666} : fs::perms{0600};
    const auto written = writeNewFile(session.connection().db(), target, mode, change);
    return written.has_value() ? written : refuse(written.error().message);
}

void renewUid(SQLite::Database& db)
{
    SQLite::Statement renew(db, "UPDATE session_info SET value = ? WHERE key = 'uid'");
    bindText(renew, 1, newUid());
    renew.exec();
}

fs::path leftoverOf(const fs::path& target)
{
    for (const char* suffix : {"-wal", "-journal"}) {
        std::error_code none;
        const fs::path beside = target.string() + suffix;
        if (const auto size = fs::file_size(beside, none); !none && size > 0)
            return beside;
    }
    return {};
}

} // namespace headscope::sessions

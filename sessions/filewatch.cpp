// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/filewatch.h"

#include "sessions/schema.h"

#include <SQLiteCpp/Statement.h>

#include <sqlite3.h>

#include <string_view>

#include <sys/stat.h>

namespace headscope::sessions {

namespace {

// Another program may be moving its log into the file at this moment: what looks wrong is looked at again.
constexpr int kLooks = 40;
constexpr int kPauseMs = 25;
constexpr int kHeader = 100;
constexpr int kLargestPage = 65536;

sqlite3_file* fileOf(SQLite::Database& db)
{
    sqlite3_file* file = nullptr;
    sqlite3_file_control(db.getHandle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file && file->pMethods ? file : nullptr;
}

bool read(sqlite3_file* file, std::string& bytes, std::int64_t at)
{
    return file->pMethods->xRead(file, bytes.data(), static_cast<int>(bytes.size()), at) == SQLITE_OK;
}

std::uint32_t numberAt(const std::string& header, std::size_t at)
{
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = value << 8 | static_cast<unsigned char>(header[at + i]);
    return value;
}

std::uint32_t pageSizeOf(const std::string& header)
{
    const auto size = static_cast<std::uint32_t>(static_cast<unsigned char>(header[16]) << 8
                                                 | static_cast<unsigned char>(header[17]));
    return size == 1 ? kLargestPage : size;
}

/// The header of a session.
bool marked(const std::string& header)
{
    return header.starts_with(std::string_view("SQLite format 3\0", 16))
           && numberAt(header, 68) == static_cast<std::uint32_t>(kApplicationId);
}

/// The page of the file that holds what a session says of itself.
std::string identityPage(SQLite::Database& db, sqlite3_file* file, std::uint32_t pageSize)
{
    const std::int64_t page =
        db.execAndGet("SELECT rootpage FROM sqlite_schema WHERE name = 'session_info'").getInt64();
    std::string bytes(pageSize, '\0');
    return page > 0 && read(file, bytes, (page - 1) * pageSize) ? bytes : std::string();
}

} // namespace

void FileWatch::remember(SQLite::Database& db, const std::filesystem::path& path)
{
    m_path = path;
    struct stat info {
    };
    if (::stat(path.c_str(), &info) == 0) {
        m_device = info.st_dev;
        m_inode = info.st_ino;
    }
    m_hasLog = db.execAndGet("PRAGMA journal_mode").getString() == "wal";
    sqlite3_file* const file = fileOf(db);
    std::string header(kHeader, '\0');
    if (!m_hasLog || !file || !read(file, header, 0))
        return;
    m_changes = numberAt(header, 24);
    m_marked = marked(header);
    const std::string uid =
        db.execAndGet("SELECT coalesce(max(value), '') FROM session_info WHERE key = 'uid'").getString();
    if (!uid.empty() && identityPage(db, file, pageSizeOf(header)).find(uid) != std::string::npos)
        m_uid = uid;
}

std::string FileWatch::damage(SQLite::Database& db) const
{
    std::string found = look(db);
    for (int looks = 1; looks < kLooks && !found.empty(); ++looks) {
        sqlite3_sleep(kPauseMs);
        found = look(db);
    }
    return found;
}

std::string FileWatch::look(SQLite::Database& db) const
{
    struct stat info {
    };
    if (::stat(m_path.c_str(), &info) != 0 || info.st_dev != m_device || info.st_ino != m_inode)
        return "was removed or replaced";
    sqlite3_file* const file = fileOf(db);
    if (!m_hasLog || !file)
        return {};
    if (info.st_size < kHeader)
        return "was cut";
    std::string header(kHeader, '\0');
    const bool readable = read(file, header, 0);
    if (m_marked && !(readable && marked(header)))
        return "was overwritten";
    // A new session's header may lie in its log until nobody reads any more.
    m_marked = m_marked || (readable && marked(header));
    if (!m_marked)
        return {};
    const std::uint32_t pageSize = pageSizeOf(header), changes = numberAt(header, 24);
    if (numberAt(header, 92) == changes && info.st_size < std::int64_t{numberAt(header, 28)} * pageSize)
        return "was cut";
    if (!m_uid.empty() && identityPage(db, file, pageSize).find(m_uid) == std::string::npos)
        return "was overwritten by another file";
    if (changes < m_changes)
        return "was overwritten by an earlier copy";
    m_changes = changes;
    return {};
}

} // namespace headscope::sessions

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Notices that a session file was replaced, cut or overwritten by somebody who is not SQLite while it is open. Private
// to sessions/; one thread at a time.

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include <sys/types.h>

namespace headscope::sessions {

class FileWatch
{
public:
    /// The file that `db` has open is as it should be.
    void remember(SQLite::Database& db, const std::filesystem::path& path);

    /// What happened to the file, as the end of a sentence ("was removed or replaced"); empty: nothing. Looks at some
    /// hundred bytes, through the descriptor that SQLite has: another one that is closed would take its locks with it.
    [[nodiscard]] std::string damage(SQLite::Database& db) const;

private:
    [[nodiscard]] std::string look(SQLite::Database& db) const;

    std::filesystem::path m_path;
    dev_t m_device = 0;
    ino_t m_inode = 0;
    std::string m_uid;                   ///< of the session; empty while it is in the log only
    mutable std::uint32_t m_changes = 0; ///< the file's own count of changes, which only grows
    mutable bool m_marked = false;       ///< the header was seen to be a session's
    bool m_hasLog = false;               ///< a write-ahead log: SQLite itself does not look at the file again
};

} // namespace headscope::sessions

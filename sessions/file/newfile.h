// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes session files that are complete under their name or not there. Private to sessions/; any thread.

#include "core/base/result.h"

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <functional>

namespace headscope::sessions {

class SessionStore;

/// VACUUM attaches the file that it writes, also from a session that is only read; a session attaches no other.
class AllowAttach
{
public:
    explicit AllowAttach(SQLite::Database& db);
    ~AllowAttach();
    AllowAttach(const AllowAttach&) = delete;
    AllowAttach& operator=(const AllowAttach&) = delete;

private:
    SQLite::Database& m_db;
    bool m_queryOnly;
};

/// Writes a consistent copy of a session, as open to others as the session is, after `change` was applied to it.
[[nodiscard]] Result<void> writeCopy(SessionStore& session, const std::filesystem::path& target,
                                     const std::function<void(SQLite::Database&)>& change = {});

/// Makes a copy a session of its own.
void renewUid(SQLite::Database& db);

/// Writes a consistent copy of `from` under a name of its own in the folder of `target`, applies `change` to it, and
/// gives it the permissions `mode` and its name, unless a file has that name by then. Needs neither locks nor shared
/// memory. The error is the end of a sentence, without its full stop.
[[nodiscard]] Result<void> writeNewFile(SQLite::Database& from, const std::filesystem::path& target,
                                        std::filesystem::perms mode,
                                        const std::function<void(SQLite::Database&)>& change = {});

/// The log or journal of an earlier file called `target`, which SQLite would read into a new one of that name; empty
/// where there is none.
[[nodiscard]] std::filesystem::path leftoverOf(const std::filesystem::path& target);

} // namespace headscope::sessions

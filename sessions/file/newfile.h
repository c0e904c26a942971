// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes session files that appear under their name complete or not at all. Private to sessions/; any thread.

#include "core/base/result.h"

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <functional>

namespace headscope::sessions {

class SessionStore;

/// Allows VACUUM to attach the file that it writes, even in a read-only session; sessions cannot attach other files.
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

/// Applies `change` to a consistent copy of a session and writes it with the permissions of the session.
[[nodiscard]] Result<void> writeCopy(SessionStore& session, const std::filesystem::path& target,
                                     const std::function<void(SQLite::Database&)>& change = {});

/// Gives a copy a new uid, which makes it a separate session.
void renewUid(SQLite::Database& db);

/// Writes a consistent copy of `from` under a temporary name in the folder of `target`, applies `change` to it, sets
/// the permissions `mode` and renames it, unless the target exists by then. Needs neither locks nor shared memory. The
/// error is the end of a sentence, without its full stop.
[[nodiscard]] Result<void> writeNewFile(SQLite::Database& from, const std::filesystem::path& target,
                                        std::filesystem::perms mode,
                                        const std::function<void(SQLite::Database&)>& change = {});

/// Returns the log or journal left by an earlier file called `target`, which SQLite would apply to a new file of that
/// name; empty if there is none.
[[nodiscard]] std::filesystem::path leftoverOf(const std::filesystem::path& target);

} // namespace headscope::sessions

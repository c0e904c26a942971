// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Removes folder names of the user's machine from files that are passed on. On the thread of the session.

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace SQLite {
class Database;
}

namespace headscope::sessions {

class SessionStore;

/// Returns whether the file was written by duplicateForHandIn().
[[nodiscard]] bool isHandIn(SQLite::Database& db);

/// Returns the last name of an absolute path: "/home/somebody/models/tiny" becomes "tiny". Keeps other text.
[[nodiscard]] std::string withoutFolders(std::string_view text);

/// Runs duplicate() and removes absolute paths from all path columns of the copy, and from the JSON of window, figures
/// and conflicts. Prompts, texts, names and notes are unchanged. Returns the number of ablations that name a model by
/// its folder: these stay too, since their text identifies their results.
[[nodiscard]] Result<std::int64_t> duplicateWithoutPaths(SessionStore& session, const std::filesystem::path& target);

/// The same for a reader of the answers: rows of single examples, patterns and surveys are left out; their totals,
/// states, rankings, analyses and answers are included. Such a file is read-only.
[[nodiscard]] Result<std::int64_t> duplicateForHandIn(SessionStore& session, const std::filesystem::path& target);

} // namespace headscope::sessions

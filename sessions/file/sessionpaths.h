// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Takes the folders of a person's machine out of what is passed on. On the thread of the session.

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

/// Whether duplicateForHandIn() wrote it.
[[nodiscard]] bool isHandIn(SQLite::Database& db);

/// Of an absolute path its last name: "/home/somebody/models/tiny" gives "tiny". Other text as it is.
[[nodiscard]] std::string withoutFolders(std::string_view text);

/// duplicate(), and no absolute path stays in the copy's columns that hold paths, nor in the JSON of window, figures
/// and conflicts. Prompts, texts, names and notes stay as they are. Returns how many ablations name a model by its
/// folder: these stay too, since their text is what their results are known by.
[[nodiscard]] Result<std::int64_t> duplicateWithoutPaths(SessionStore& session, const std::filesystem::path& target);

/// The same for somebody who reads what was answered: rows of single examples, patterns and surveys stay behind, what
/// they add up to, states, rankings, analyses and answers come along. Such a file is only read.
[[nodiscard]] Result<std::int64_t> duplicateForHandIn(SessionStore& session, const std::filesystem::path& target);

} // namespace headscope::sessions

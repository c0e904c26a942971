// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The tables of a session file, version by version, and the migrations between versions. Private to sessions/.

#include <SQLiteCpp/Database.h>

#include <optional>
#include <string>

namespace headscope::sessions {

constexpr int kApplicationId = 0x48645363; ///< "HdSc", at byte 68 of the file
constexpr int kSchemaVersion = 14;         ///< PRAGMA user_version of files written by this program

/// Runs the migrations from `from` to `to` in the caller's transaction; from 0 they create an empty session.
void migrate(SQLite::Database& db, int from, int to);

/// Compares the text of tables, indexes and views with those of `version`. Returns empty if equal, otherwise the
/// difference as the middle of a sentence. Nothing of the file's own schema is executed.
[[nodiscard]] std::optional<std::string> schemaDifference(SQLite::Database& db, int version);

} // namespace headscope::sessions

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Work divided into parts, each measured into its own session on any machine: the parts in a session, and whether the
// parts of several sessions are complete. On the thread of the store.

#include "core/base/result.h"

#include <span>
#include <string>
#include <vector>

namespace SQLite {
class Database;
}

namespace headscope::sessions {

class SessionStore;

/// Upper limit of the parts of one work, since loops run over them.
inline constexpr int kMostParts = 1000000;

/// One part of a work, counted from 0.
struct PartRecord {
    std::string work; ///< hash of everything that determines the results, and of their division
    int part = 0;
    int parts = 1;
    std::string what;    ///< description of the work: "toy_kv, 33 states of tiny-transformer, 300 examples"
    std::string version; ///< of the program
    bool done = false;   ///< all of its results are stored
    std::string created{};

    bool operator==(const PartRecord&) const = default;
};

/// Replaces the stored record of the same part; a part that is done stays done.
[[nodiscard]] Result<void> putPart(SessionStore& session, const PartRecord& part);
/// Returns the parts by work and number.
[[nodiscard]] Result<std::vector<PartRecord>> parts(SessionStore& session);
/// putPart() in the caller's transaction.
void savePart(SQLite::Database& db, const PartRecord& part);

/// The parts stored in one session.
struct SessionParts {
    std::string file;
    std::vector<PartRecord> parts;
};

/// A work of the first of some sessions, and the parts that are in none of them.
struct PartedWork {
    std::string work;
    std::string what;
    int parts = 1;
    std::vector<int> missing;
};
[[nodiscard]] std::vector<PartedWork> partedWorks(std::span<const SessionParts> sessions);
/// Returns why these sessions do not complete the works of the first: a part is missing, unfinished or duplicate,
/// belongs to other work or to another version. One sentence each; empty: they do.
[[nodiscard]] std::vector<std::string> partProblems(std::span<const SessionParts> sessions);

} // namespace headscope::sessions

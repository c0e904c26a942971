// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Work divided into parts, each measured into a session of its own on any machine: which part a session holds, and
// whether the parts of several sessions make up the whole. On the thread of the store.

#include "core/base/result.h"

#include <span>
#include <string>
#include <vector>

namespace SQLite {
class Database;
}

namespace headscope::sessions {

class SessionStore;

/// Of one work; loops run over them.
inline constexpr int kMostParts = 1000000;

/// One part of a work, counted from 0.
struct PartRecord {
    std::string work; ///< hash of everything that decides the results, and of how they are divided
    int part = 0;
    int parts = 1;
    std::string what;    ///< the work, for people: "toy_kv, 33 states of tiny-transformer, 300 examples"
    std::string version; ///< of the program
    bool done = false;   ///< all of its results are stored
    std::string created{};

    bool operator==(const PartRecord&) const = default;
};

/// Replaces what was stored of the same part; a part that is done stays done.
[[nodiscard]] Result<void> putPart(SessionStore& session, const PartRecord& part);
/// By work and number.
[[nodiscard]] Result<std::vector<PartRecord>> parts(SessionStore& session);
/// putPart() in the caller's transaction.
void savePart(SQLite::Database& db, const PartRecord& part);

/// The parts that one session holds.
struct SessionParts {
    std::string file;
    std::vector<PartRecord> parts;
};

/// A work of the first of some sessions, and which of its parts none of them has.
struct PartedWork {
    std::string work;
    std::string what;
    int parts = 1;
    std::vector<int> missing;
};
[[nodiscard]] std::vector<PartedWork> partedWorks(std::span<const SessionParts> sessions);
/// Why these sessions do not make up the works of the first: a part is missing, not finished or there twice, of
/// different work or made by another version. A sentence each; empty: they do.
[[nodiscard]] std::vector<std::string> partProblems(std::span<const SessionParts> sessions);

} // namespace headscope::sessions

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The exam that a session was begun for: which file asks, how long it may take, and how much of that is over. Kept in
// the session, so that it survives a crash and is handed in with the answers. On the thread of the store.

#include "core/base/result.h"

#include <optional>
#include <string>

namespace headscope::sessions {

class SessionStore;

struct Exam {
    std::string name;     ///< of its file without suffixes
    std::string hash;     ///< of its file, SHA-256
    double minutes = 0;   ///< its time limit; 0: none
    std::string started;  ///< UTC, as "2026-11-29T21:58:29Z"
    std::string seen;     ///< when `seconds` was counted last, written alike
    double seconds = 0;   ///< that are used, while the program was closed too
    std::string handedIn; ///< written alike; empty: not yet

    bool operator==(const Exam&) const = default;
};

[[nodiscard]] Result<void> keepExam(SessionStore& session, const Exam& exam);
/// Nothing for a session of no exam, and where what it says of one is none.
[[nodiscard]] Result<std::optional<Exam>> examOf(SessionStore& session);

} // namespace headscope::sessions

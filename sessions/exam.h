// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The exam of a session: its file, its time limit and the time used. Stored in the session, so that it survives a crash
// and is handed in with the answers. On the thread of the store.

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
    std::string seen;     ///< last update of `seconds`, in the same format
    double seconds = 0;   ///< used so far, also while the program was closed
    std::string handedIn; ///< written alike; empty: not yet

    bool operator==(const Exam&) const = default;
};

[[nodiscard]] Result<void> keepExam(SessionStore& session, const Exam& exam);
/// Returns nothing if the session has no exam or a malformed one.
[[nodiscard]] Result<std::optional<Exam>> examOf(SessionStore& session);

} // namespace headscope::sessions

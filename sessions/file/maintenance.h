// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is done to a whole session file: copying, checking, shrinking. On the thread of the session.

#include "core/base/progress.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope::sessions {

class SessionStore;

/// Writes a consistent copy while others may write to the session; works for read-only and for removed files too. The
/// target must not exist. The copy is complete under its name, or is not there.
[[nodiscard]] Result<void> saveAs(SessionStore& session, const std::filesystem::path& target);

/// saveAs, and the copy becomes a session of its own: it gets a new uid.
[[nodiscard]] Result<void> duplicate(SessionStore& session, const std::filesystem::path& target);

struct VerifyReport {
    std::vector<std::string> problems; ///< one sentence each, at most 100; empty is good
    std::int64_t examples = 0;         ///< rows whose checksum was computed again
    std::int64_t results = 0;
    std::int64_t patterns = 0;
};

/// Checks every page and index, every reference between tables, and every checksum.
[[nodiscard]] Result<VerifyReport> verify(SessionStore& session, const Control& control = {});

struct CompactReport {
    std::int64_t bytesBefore = 0; ///< file and log
    std::int64_t bytesAfter = 0;
};

/// Gives free pages back and empties the log; nothing that is stored changes.
[[nodiscard]] Result<CompactReport> compact(SessionStore& session);

} // namespace headscope::sessions

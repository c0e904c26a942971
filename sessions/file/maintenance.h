// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Operations on a whole session file: copying, checking, shrinking. On the thread of the session.

#include "core/base/progress.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope::sessions {

class SessionStore;

/// Writes a consistent copy while others may write to the session; works for read-only and deleted files too. The
/// target must not exist. It is created complete or not at all.
[[nodiscard]] Result<void> saveAs(SessionStore& session, const std::filesystem::path& target);

/// Like saveAs, but the copy becomes a separate session with a new uid.
[[nodiscard]] Result<void> duplicate(SessionStore& session, const std::filesystem::path& target);

struct VerifyReport {
    std::vector<std::string> problems; ///< one sentence each, at most 100; empty: none found
    std::int64_t examples = 0;         ///< rows whose checksum was recomputed
    std::int64_t results = 0;
    std::int64_t patterns = 0;
};

/// Checks all pages and indexes, all references between tables, and all checksums.
[[nodiscard]] Result<VerifyReport> verify(SessionStore& session, const Control& control = {});

struct CompactReport {
    std::int64_t bytesBefore = 0; ///< file and log
    std::int64_t bytesAfter = 0;
};

/// Releases free pages and empties the log; the stored data does not change.
[[nodiscard]] Result<CompactReport> compact(SessionStore& session);

} // namespace headscope::sessions

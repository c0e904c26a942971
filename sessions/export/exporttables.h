// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Exports the content of a session as tables for other programs. On the thread of the session.

#include "core/base/progress.h"
#include "core/base/result.h"
#include "sessions/export/tabletext.h"

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string_view>

namespace headscope::sessions {

class SessionStore;

/// Returns "scores", "examples" (one row per result), "rankings", "heads" (names and measured values), "ablations",
/// "runs", "models", "patterns", "surveys", "analyses", "history".
[[nodiscard]] std::span<const std::string_view> tableNames();

struct TableOptions {
    TableFormat format;
    bool paths = true; ///< false: reduce absolute paths to their last component
    TableOptions(TableFormat written, bool withPaths = true) : format(written), paths(withPaths) {}
};

/// Writes a table and returns its number of rows. Rows are written as they are read; `control` can stop it.
[[nodiscard]] Result<std::int64_t> exportTable(SessionStore& session, std::string_view name,
                                               const TableOptions& options, std::ostream& out,
                                               const Control& control = {});
/// The same into a file, which is replaced when the table is complete: after a failure its old content remains.
[[nodiscard]] Result<std::int64_t> exportTable(SessionStore& session, std::string_view name,
                                               const TableOptions& options, const std::filesystem::path& file,
                                               const Control& control = {});

} // namespace headscope::sessions

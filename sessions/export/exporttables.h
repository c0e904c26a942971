// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whatever a session holds, as tables for other programs. On the thread of the session.

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

/// "scores", "examples" (one row a result), "rankings", "heads" (their names and what was measured of them),
/// "ablations", "runs", "models", "patterns", "surveys", "analyses", "history".
[[nodiscard]] std::span<const std::string_view> tableNames();

struct TableOptions {
    TableFormat format;
    bool paths = true; ///< false: of absolute paths the last name only
    TableOptions(TableFormat written, bool withPaths = true) : format(written), paths(withPaths) {}
};

/// Writes one of them and returns its number of rows. Rows are written as they are read; `control` may stop it.
[[nodiscard]] Result<std::int64_t> exportTable(SessionStore& session, std::string_view name,
                                               const TableOptions& options, std::ostream& out,
                                               const Control& control = {});
/// The same into a file, which is replaced when the table is finished: a failure leaves what it held.
[[nodiscard]] Result<std::int64_t> exportTable(SessionStore& session, std::string_view name,
                                               const TableOptions& options, const std::filesystem::path& file,
                                               const Control& control = {});

} // namespace headscope::sessions

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// SQL of analyses, for callers that are already in a transaction. Private to sessions/.

#include "sessions/analyses.h"

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace headscope::sessions {

void saveAnalysis(SQLite::Database& db, const AnalysisRecord& analysis);
[[nodiscard]] std::optional<std::int64_t> findAnalysis(SQLite::Database& db, const AnalysisKey& key);
/// Returns an analysis with its values. Throws BadRow if a value was modified after it was stored.
[[nodiscard]] AnalysisRecord analysisAt(SQLite::Database& db, std::int64_t id);
/// Returns analyses without values, with their row ids, in the order of storing.
[[nodiscard]] std::vector<std::pair<std::int64_t, AnalysisRecord>> analysisRecords(SQLite::Database& db);

} // namespace headscope::sessions

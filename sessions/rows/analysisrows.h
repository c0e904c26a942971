// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// SQL of analyses, for those who are in a transaction already. Private to sessions/.

#include "sessions/analysisrecords.h"

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace headscope::sessions {

void saveAnalysis(SQLite::Database& db, const AnalysisRecord& analysis);
[[nodiscard]] std::optional<std::int64_t> findAnalysis(SQLite::Database& db, const AnalysisKey& key);
/// With its values. Throws BadRow where a value was changed after it was stored.
[[nodiscard]] AnalysisRecord analysisAt(SQLite::Database& db, std::int64_t id);
/// Without values, with their row ids, in the order in which they were stored.
[[nodiscard]] std::vector<std::pair<std::int64_t, AnalysisRecord>> analysisRecords(SQLite::Database& db);

} // namespace headscope::sessions

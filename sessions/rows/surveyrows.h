// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// SQL of surveys, for callers that are already in a transaction. Private to sessions/.

#include "sessions/surveyrecords.h"

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace headscope::sessions {

[[nodiscard]] std::optional<std::int64_t> findSurvey(SQLite::Database& db, const SurveyKey& key);
void saveSurvey(SQLite::Database& db, const SurveyRecord& survey, std::span<const SurveyHead> heads);
void saveSurveyPlaces(SQLite::Database& db, std::int64_t survey, std::span<const SurveyPlace> places,
                      std::span<const SurveyText> texts);
[[nodiscard]] std::vector<SurveyRecord> surveyRecords(SQLite::Database& db);
[[nodiscard]] StoredSurvey surveyAt(SQLite::Database& db, std::int64_t id);
/// Returns the first 63 bits of a hash over a head's stored data.
[[nodiscard]] std::int64_t checksum(const SurveyHead& head);

} // namespace headscope::sessions

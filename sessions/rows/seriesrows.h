// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Row ids for the identities used outside sessions/ (hashes and texts). Private to sessions/; call inside the
// transaction that uses the ids.

#include "sessions/records.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headscope::sessions {

[[nodiscard]] std::optional<std::int64_t> findModel(SQLite::Database& db, std::string_view hash);
/// Throws BadRequest with the hash if the session has no such model.
[[nodiscard]] std::int64_t requireModel(SQLite::Database& db, std::string_view hash);
[[nodiscard]] std::int64_t ensureAblation(SQLite::Database& db, std::string_view text);
[[nodiscard]] std::optional<std::int64_t> findSeries(SQLite::Database& db, const SeriesKey& key);
[[nodiscard]] std::int64_t ensureSeries(SQLite::Database& db, const SeriesKey& key);

/// Totals of the results of a series.
struct SeriesTotals {
    std::int64_t results = 0, n = 0, correct = 0, nNorm = 0, correctNorm = 0,
                 rejected = 0; ///< n: those that are right or wrong
    double seconds = 0;
    void add(const ResultRecord& result);
};
/// The columns read by totalsAt, from `series_totals t`.
inline constexpr const char* kTotalsColumns =
    "t.results, t.n, t.correct, t.n_norm, t.correct_norm, t.rejected, t.seconds";
[[nodiscard]] SeriesTotals totalsAt(SQLite::Statement& row, int firstColumn);

/// Returns the fields of a series as one string, which is part of the checksum of its results.
[[nodiscard]] std::string identity(const SeriesKey& key);

/// The columns read by seriesAt, from `series s`, `models m` and `ablations a`.
inline constexpr const char* kSeriesColumns =
    "m.hash, s.tokenizer, s.dtype, s.device, s.task, s.row_source, s.task_version, a.text, s.scoring_version, s.inputs";
inline constexpr int kSeriesColumnCount = 10;
[[nodiscard]] SeriesKey seriesAt(SQLite::Statement& row, int firstColumn);

/// The columns read by resultAt, from `results r` and `examples e`.
inline constexpr const char* kResultColumns = "e.hash, r.prediction, r.correct, r.correct_norm, r.greedy, "
                                              "r.log_likelihoods, r.generated, r.seconds, r.rejected, r.greedy_choices";
[[nodiscard]] ResultRecord resultAt(SQLite::Statement& row, int firstColumn);

inline constexpr const char* kExampleColumns = "hash, task, file, row, scoring, context, continuations, gold, extra";
[[nodiscard]] ExampleRecord exampleAt(SQLite::Statement& row, int firstColumn);

void insertExamples(SQLite::Database& db, std::span<const ExampleRecord> examples);
/// Returns the number of new results.
std::int64_t insertResults(SQLite::Database& db, const SeriesKey& key, std::span<const ResultRecord> results,
                           bool replace = false);
void upsertModel(SQLite::Database& db, const ModelRecord& model);
void upsertTokenizer(SQLite::Database& db, const TokenizerRecord& tokenizer);
/// Stores a run, whose uid must be set. Replaces name, note, position and series of an existing run.
void saveRun(SQLite::Database& db, const RunRecord& run);
/// Adds series to those that a run shows.
void addSeries(SQLite::Database& db, const std::string& runUid, const std::vector<SeriesKey>& series);
/// Returns whether the ranking was new.
bool insertRanking(SQLite::Database& db, const RankingRecord& ranking);

} // namespace headscope::sessions

// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/rows/analysisrows.h"

#include "sessions/file/connection.h"
#include "sessions/rows/columns.h"
#include "sessions/rows/seriesrows.h"
#include "sessions/sessionstore.h"

#include <cmath>
#include <cstring>

namespace headscope::sessions {

namespace {

constexpr std::int64_t kMostQuestionJson = 1'000'000; // bytes of a question

constexpr const char* kAnalysisQuery =
    "SELECT v.id, m.hash, v.kind, v.dtype, v.device, a.text, v.question, v.source, v.summary, v.created, v.checksum "
    "FROM analyses v JOIN models m ON m.id = v.model_id JOIN ablations a ON a.id = v.ablation_id ";

AnalysisRecord analysisRowAt(SQLite::Statement& row)
{
    RowReader in(row, 1);
    return {.key = {.modelHash = in.text(),
                    .kind = in.text(),
                    .dtype = in.text(),
                    .device = in.text(),
                    .ablation = in.text(),
                    .questionJson = in.json(kMostQuestionJson)},
            .source = in.text(),
            .summary = in.text(),
            .created = in.text()};
}

// SQLite has no NaN: what is not defined is NULL there.
std::optional<double> stored(double value)
{
    return std::isnan(value) ? std::nullopt : std::optional(value);
}

double realOrNaN(SQLite::Statement& row, int column)
{
    return row.getColumn(column).isNull() ? std::nan("") : realAt(row, column);
}

void bindReal(SQLite::Statement& statement, int index, double value)
{
    if (const auto real = stored(value))
        statement.bind(index, *real);
    else
        statement.bind(index);
}

void add(RowChecksum& sum, double value)
{
    std::int64_t bits = 0;
    const double plain = std::isnan(value) || value == 0 ? 0 : value; // SQLite keeps no sign of zero
    std::memcpy(&bits, &plain, sizeof bits);
    sum.add(std::isnan(value) ? std::int64_t{-1} : bits);
}

std::int64_t checksumOf(const AnalysisRecord& analysis)
{
    RowChecksum sum;
    sum.add(analysis.key.kind).add(analysis.key.questionJson).add(analysis.summary);
    for (const AnalysisValue& value : analysis.values) {
        sum.add(value.part).add(value.receiver).add(std::int64_t{value.position}).add(value.measure).add(value.words);
        for (const double number : {value.value, value.low, value.high})
            add(sum, number);
    }
    return sum.value();
}

} // namespace

std::optional<std::int64_t> findAnalysis(SQLite::Database& db, const AnalysisKey& key)
{
    SQLite::Statement query(
        db, "SELECT v.id FROM analyses v JOIN models m ON m.id = v.model_id JOIN ablations a ON a.id = v.ablation_id "
            "WHERE m.hash = ? AND v.kind = ? AND v.dtype = ? AND v.device = ? AND a.text = ? AND v.question = ?");
    bindAll(query, key.modelHash, key.kind, key.dtype, key.device, key.ablation, key.questionJson);
    if (!query.executeStep())
        return std::nullopt;
    return int64At(query, 0);
}

void saveAnalysis(SQLite::Database& db, const AnalysisRecord& analysis)
{
    const AnalysisKey& key = analysis.key;
    if (const auto before = findAnalysis(db, key))
        for (const char* remove :
             {"DELETE FROM analysis_values WHERE analysis_id = ?", "DELETE FROM analyses WHERE id = ?"}) {
            SQLite::Statement statement(db, remove);
            bindAll(statement, *before);
            statement.exec();
        }
    SQLite::Statement insert(db, "INSERT INTO analyses(model_id, kind, dtype, device, ablation_id, question, source, "
                                 "summary, created, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    bindAll(insert, requireModel(db, key.modelHash), key.kind, key.dtype, key.device, ensureAblation(db, key.ablation),
            key.questionJson, analysis.source, analysis.summary,
            analysis.created.empty() ? timestamp() : analysis.created, checksumOf(analysis));
    insert.exec();
    const std::int64_t id = findAnalysis(db, key).value();
    SQLite::Statement value(db, "INSERT INTO analysis_values(analysis_id, number, part, receiver, position, measure, "
                                "words, value, low, high) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    int number = 0;
    for (const AnalysisValue& one : analysis.values) {
        bindAll(value, id, number++, one.part, one.receiver, one.position, one.measure, one.words);
        int column = 7;
        for (const double real : {one.value, one.low, one.high})
            bindReal(value, ++column, real);
        value.exec();
    }
}

AnalysisRecord analysisAt(SQLite::Database& db, std::int64_t id)
{
    SQLite::Statement query(db, std::string(kAnalysisQuery) + "WHERE v.id = ?");
    bindAll(query, id);
    if (!query.executeStep())
        throw BadRequest("The session has no analysis number " + std::to_string(id));
    AnalysisRecord analysis = analysisRowAt(query);
    const std::int64_t sum = int64At(query, 10);
    SQLite::Statement values(db, "SELECT part, receiver, position, measure, words, value, low, high "
                                 "FROM analysis_values WHERE analysis_id = ? ORDER BY number");
    bindAll(values, id);
    while (values.executeStep()) {
        RowReader in(values);
        analysis.values.push_back({.part = in.text(),
                                   .receiver = in.text(),
                                   .position = in.integer(),
                                   .measure = in.text(),
                                   .value = realOrNaN(values, 5),
                                   .low = realOrNaN(values, 6),
                                   .high = realOrNaN(values, 7),
                                   .words = textAt(values, 4)});
    }
    if (checksumOf(analysis) != sum)
        throw BadRow("the analysis number " + std::to_string(id) + " was changed after it was stored");
    return analysis;
}

std::vector<std::pair<std::int64_t, AnalysisRecord>> analysisRecords(SQLite::Database& db)
{
    std::vector<std::pair<std::int64_t, AnalysisRecord>> all;
    for (SQLite::Statement query(db, std::string(kAnalysisQuery) + "ORDER BY v.id"); query.executeStep();)
        all.emplace_back(int64At(query, 0), analysisRowAt(query));
    return all;
}

Result<void> putAnalysis(SessionStore& session, const AnalysisRecord& analysis)
{
    return session.connection().write([&](SQLite::Database& db) { saveAnalysis(db, analysis); });
}

Result<std::vector<AnalysisRecord>> analyses(SessionStore& session)
{
    return session.connection().read<std::vector<AnalysisRecord>>([](SQLite::Database& db) {
        std::vector<AnalysisRecord> all;
        for (auto& [id, record] : analysisRecords(db))
            all.push_back(std::move(record));
        return all;
    });
}

Result<std::optional<AnalysisRecord>> storedAnalysis(SessionStore& session, const AnalysisKey& key)
{
    return session.connection().read<std::optional<AnalysisRecord>>(
        [&](SQLite::Database& db) -> std::optional<AnalysisRecord> {
            const auto id = findAnalysis(db, key);
            return id ? std::optional(analysisAt(db, *id)) : std::nullopt;
        });
}

Result<std::optional<AnalysisRecord>> newestAnalysis(SessionStore& session, const std::string& modelHash,
                                                     const std::string& kind)
{
    return session.connection().read<std::optional<AnalysisRecord>>(
        [&](SQLite::Database& db) -> std::optional<AnalysisRecord> {
            SQLite::Statement query(db, "SELECT v.id FROM analyses v JOIN models m ON m.id = v.model_id "
                                        "WHERE v.kind = ? AND (? = '' OR m.hash = ?) ORDER BY v.id DESC LIMIT 1");
            bindAll(query, kind, modelHash, modelHash);
            return query.executeStep() ? std::optional(analysisAt(db, int64At(query, 0))) : std::nullopt;
        });
}

} // namespace headscope::sessions

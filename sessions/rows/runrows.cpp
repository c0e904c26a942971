// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/rows/storedrows.h"

#include "sessions/rows/columns.h"
#include "sessions/rows/seriesrows.h"

#include <fmt/format.h>

namespace headscope::sessions {

namespace {

void bindModel(SQLite::Statement& statement, int index, SQLite::Database& db, const std::string& hash)
{
    if (hash.empty())
        statement.bind(index);
    else
        statement.bind(index, requireModel(db, hash));
}

} // namespace

void saveRun(SQLite::Database& db, const RunRecord& run)
{
    requireFits("The run's name", "name", run.name);
    SQLite::Statement insert(db, "INSERT INTO runs(uid, name, note, created, position, model_id, ablation_id) VALUES "
                                 "(?1, ?2, ?3, ?4, ?5, ?6, ?7) "
                                 "ON CONFLICT(uid) DO UPDATE SET name = ?2, note = ?3, position = ?5");
    bindText(insert, 1, run.uid);
    bindText(insert, 2, run.name);
    bindText(insert, 3, run.note);
    bindText(insert, 4, run.created.empty() ? timestamp() : run.created);
    insert.bind(5, run.position);
    bindModel(insert, 6, db, run.modelHash);
    insert.bind(7, ensureAblation(db, run.ablation));
    insert.exec();
    SQLite::Statement clear(db, "DELETE FROM run_series WHERE run_id = (SELECT id FROM runs WHERE uid = ?)");
    bindText(clear, 1, run.uid);
    clear.exec();
    addSeries(db, run.uid, run.series);
}

void addSeries(SQLite::Database& db, const std::string& runUid, const std::vector<SeriesKey>& series)
{
    SQLite::Statement link(db, "INSERT INTO run_series(run_id, series_id) VALUES ((SELECT id FROM runs WHERE uid = ?), "
                               "?) ON CONFLICT DO NOTHING");
    for (const SeriesKey& key : series) {
        link.reset();
        bindText(link, 1, runUid);
        link.bind(2, ensureSeries(db, key));
        link.exec();
    }
}

Result<std::string> putRun(Connection& connection, const RunRecord& run)
{
    RunRecord saved = run;
    if (saved.uid.empty())
        saved.uid = newUid();
    auto stored = connection.write([&saved](SQLite::Database& db) { saveRun(db, saved); });
    if (!stored.has_value())
        return stored.error();
    return saved.uid;
}

Result<void> listRun(Connection& connection, const RunRecord& run)
{
    return connection.write([&run](SQLite::Database& db) {
        SQLite::Statement same(db, "SELECT u.uid FROM runs u JOIN models m ON m.id = u.model_id JOIN ablations a ON "
                                   "a.id = u.ablation_id WHERE m.hash = ? AND a.text = ? ORDER BY u.position, u.id");
        bindAll(same, run.modelHash, run.ablation);
        if (same.executeStep())
            return addSeries(db, textAt(same, 0), run.series);
        RunRecord last = run;
        last.uid = newUid();
        last.position = db.execAndGet("SELECT count(*) FROM runs").getInt();
        saveRun(db, last);
    });
}

Result<std::vector<RunRecord>> runs(Connection& connection)
{
    return connection.read<std::vector<RunRecord>>([](SQLite::Database& db) {
        SQLite::Statement query(
            db, "SELECT u.id, u.uid, u.name, u.note, u.created, coalesce(m.hash, ''), a.text, u.position FROM runs u "
                "LEFT JOIN models m ON m.id = u.model_id JOIN ablations a ON a.id = u.ablation_id ORDER BY u.position, "
                "u.id");
        SQLite::Statement series(
            db,
            fmt::format(
                "SELECT {} FROM run_series l JOIN series s ON s.id = l.series_id JOIN models m ON m.id = s.model_id "
                "JOIN ablations a ON a.id = s.ablation_id WHERE l.run_id = ? ORDER BY s.id",
                kSeriesColumns));
        std::vector<RunRecord> all;
        while (query.executeStep()) {
            RunRecord run;
            run.uid = textAt(query, 1);
            run.name = textAt(query, 2);
            run.note = textAt(query, 3);
            run.created = textAt(query, 4);
            run.modelHash = textAt(query, 5);
            run.ablation = textAt(query, 6);
            run.position = intAt(query, 7);
            series.reset();
            series.bind(1, int64At(query, 0));
            while (series.executeStep())
                run.series.push_back(seriesAt(series, 0));
            all.push_back(std::move(run));
        }
        return all;
    });
}

Result<void> removeRun(Connection& connection, std::string_view uid)
{
    return connection.write([&](SQLite::Database& db) {
        SQLite::Statement remove(db, "DELETE FROM runs WHERE uid = ?");
        bindText(remove, 1, uid);
        if (remove.exec() == 0)
            throw BadRequest("The session has no run '" + std::string(uid) + "'");
    });
}

Result<void> addHistory(Connection& connection, const HistoryEntry& entry)
{
    return connection.write([&](SQLite::Database& db) {
        SQLite::Statement insert(db, "INSERT INTO history(created, label, model_id, ablation_id) VALUES (?, ?, ?, ?)");
        bindText(insert, 1, entry.created.empty() ? timestamp() : entry.created);
        requireFits("The step's description", "label", entry.label);
        bindText(insert, 2, entry.label);
        bindModel(insert, 3, db, entry.modelHash);
        insert.bind(4, ensureAblation(db, entry.ablation));
        insert.exec();
    });
}

Result<std::vector<HistoryEntry>> history(Connection& connection)
{
    return connection.read<std::vector<HistoryEntry>>([](SQLite::Database& db) {
        SQLite::Statement query(
            db, "SELECT h.id, h.created, h.label, coalesce(m.hash, ''), a.text FROM history h "
                "LEFT JOIN models m ON m.id = h.model_id JOIN ablations a ON a.id = h.ablation_id ORDER BY h.id");
        std::vector<HistoryEntry> all;
        while (query.executeStep())
            all.push_back({int64At(query, 0), textAt(query, 1), textAt(query, 2), textAt(query, 3), textAt(query, 4)});
        return all;
    });
}

} // namespace headscope::sessions

// SPDX-License-Identifier: GPL-3.0-or-later
// The part of SessionStore that keeps what people add to scores: runs, history, rankings, figures, labels, window
// state.
#include "sessions/connection.h"
#include "sessions/rows/rows.h"
#include "sessions/rows/sessionrows.h"
#include "sessions/sessionstore.h"

#include "core/base/hash.h"

#include <fmt/format.h>

namespace headscope::sessions {

namespace {

constexpr std::int64_t kMostUiState = 16'000'000; // bytes; of reports, the largest, a hundred are as long

std::string rankingUid(const RankingRecord& ranking)
{
    Sha256 hash;
    const auto add = [&hash](std::string_view field) {
        hash.add(std::to_string(field.size()) + ":");
        hash.add(field);
    };
    for (const std::string& field :
         {ranking.modelHash, ranking.dtype, ranking.device, ranking.task, ranking.method, ranking.ablation})
        add(field);
    add(std::to_string(ranking.n));
    for (const RankedHead& head : ranking.heads) {
        add(head.head);
        add(listText(std::vector<double>{head.value, head.delta, head.low, head.high}));
    }
    return hash.hex();
}

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
    SQLite::Statement link(db, "INSERT INTO run_series(run_id, series_id) VALUES ((SELECT id FROM runs WHERE uid = ?), "
                               "?) ON CONFLICT DO NOTHING");
    for (const SeriesKey& key : run.series) {
        link.reset();
        bindText(link, 1, run.uid);
        link.bind(2, ensureSeries(db, key));
        link.exec();
    }
}

Result<std::string> SessionStore::putRun(const RunRecord& run)
{
    RunRecord saved = run;
    if (saved.uid.empty())
        saved.uid = newUid();
    auto stored = m_connection->write([&saved](SQLite::Database& db) { saveRun(db, saved); });
    if (!stored.has_value())
        return stored.error();
    return saved.uid;
}

Result<std::vector<RunRecord>> SessionStore::runs()
{
    return m_connection->read<std::vector<RunRecord>>([](SQLite::Database& db) {
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

Result<void> SessionStore::removeRun(std::string_view uid)
{
    return m_connection->write([&](SQLite::Database& db) {
        SQLite::Statement remove(db, "DELETE FROM runs WHERE uid = ?");
        bindText(remove, 1, uid);
        if (remove.exec() == 0)
            throw BadRequest("The session has no run '" + std::string(uid) + "'");
    });
}

Result<void> SessionStore::addHistory(const HistoryEntry& entry)
{
    return m_connection->write([&](SQLite::Database& db) {
        SQLite::Statement insert(db, "INSERT INTO history(created, label, model_id, ablation_id) VALUES (?, ?, ?, ?)");
        bindText(insert, 1, entry.created.empty() ? timestamp() : entry.created);
        bindText(insert, 2, entry.label);
        bindModel(insert, 3, db, entry.modelHash);
        insert.bind(4, ensureAblation(db, entry.ablation));
        insert.exec();
    });
}

Result<std::vector<HistoryEntry>> SessionStore::history()
{
    return m_connection->read<std::vector<HistoryEntry>>([](SQLite::Database& db) {
        SQLite::Statement query(
            db, "SELECT h.id, h.created, h.label, coalesce(m.hash, ''), a.text FROM history h "
                "LEFT JOIN models m ON m.id = h.model_id JOIN ablations a ON a.id = h.ablation_id ORDER BY h.id");
        std::vector<HistoryEntry> all;
        while (query.executeStep())
            all.push_back({int64At(query, 0), textAt(query, 1), textAt(query, 2), textAt(query, 3), textAt(query, 4)});
        return all;
    });
}

bool insertRanking(SQLite::Database& db, const RankingRecord& ranking)
{
    SQLite::Statement insert(
        db, "INSERT INTO rankings(uid, model_id, dtype, device, task, method, ablation_id, n, created) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
    bindText(insert, 1, rankingUid(ranking));
    insert.bind(2, requireModel(db, ranking.modelHash));
    bindText(insert, 3, ranking.dtype);
    bindText(insert, 4, ranking.device);
    bindText(insert, 5, ranking.task);
    bindText(insert, 6, ranking.method);
    insert.bind(7, ensureAblation(db, ranking.ablation));
    insert.bind(8, ranking.n);
    bindText(insert, 9, ranking.created.empty() ? timestamp() : ranking.created);
    if (insert.exec() == 0)
        return false;
    const std::int64_t id = db.getLastInsertRowid();
    SQLite::Statement head(
        db,
        "INSERT INTO ranking_heads(ranking_id, position, head, value, delta, low, high) VALUES (?, ?, ?, ?, ?, ?, ?)");
    for (std::size_t i = 0; i < ranking.heads.size(); ++i) {
        const RankedHead& ranked = ranking.heads[i];
        head.reset();
        head.bind(1, id);
        head.bind(2, static_cast<std::int64_t>(i));
        bindText(head, 3, ranked.head);
        head.bind(4, ranked.value);
        head.bind(5, ranked.delta);
        head.bind(6, ranked.low);
        head.bind(7, ranked.high);
        head.exec();
    }
    return true;
}

Result<std::string> SessionStore::addRanking(const RankingRecord& ranking)
{
    auto stored = m_connection->write([&ranking](SQLite::Database& db) { insertRanking(db, ranking); });
    if (!stored.has_value())
        return stored.error();
    return rankingUid(ranking);
}

Result<std::vector<RankingRecord>> SessionStore::rankings()
{
    return m_connection->read<std::vector<RankingRecord>>([](SQLite::Database& db) {
        SQLite::Statement query(
            db,
            "SELECT k.id, k.uid, m.hash, k.dtype, k.device, k.task, k.method, a.text, k.created, k.n FROM rankings k "
            "JOIN models m ON m.id = k.model_id JOIN ablations a ON a.id = k.ablation_id ORDER BY k.id");
        SQLite::Statement heads(
            db, "SELECT head, value, delta, low, high FROM ranking_heads WHERE ranking_id = ? ORDER BY position");
        std::vector<RankingRecord> all;
        while (query.executeStep()) {
            RankingRecord ranking{
                textAt(query, 1), textAt(query, 2), textAt(query, 3), textAt(query, 4), textAt(query, 5),
                textAt(query, 6), textAt(query, 7), textAt(query, 8), intAt(query, 9),  {}};
            heads.reset();
            heads.bind(1, int64At(query, 0));
            while (heads.executeStep())
                ranking.heads.push_back(
                    {textAt(heads, 0), realAt(heads, 1), realAt(heads, 2), realAt(heads, 3), realAt(heads, 4)});
            all.push_back(std::move(ranking));
        }
        return all;
    });
}

Result<void> SessionStore::putFigure(const FigureRecipe& figure)
{
    return m_connection->write([&](SQLite::Database& db) {
        SQLite::Statement insert(db, "INSERT INTO figures(name, recipe, created) VALUES (?1, ?2, ?3) ON CONFLICT(name) "
                                     "DO UPDATE SET recipe = ?2");
        bindText(insert, 1, figure.name);
        bindText(insert, 2, figure.recipeJson);
        bindText(insert, 3, figure.created.empty() ? timestamp() : figure.created);
        insert.exec();
    });
}

Result<std::vector<FigureRecipe>> SessionStore::figures()
{
    return m_connection->read<std::vector<FigureRecipe>>([](SQLite::Database& db) {
        SQLite::Statement query(db, "SELECT name, recipe, created FROM figures ORDER BY name");
        std::vector<FigureRecipe> all;
        while (query.executeStep())
            all.push_back({textAt(query, 0), textAt(query, 1), textAt(query, 2)});
        return all;
    });
}

Result<void> SessionStore::removeFigure(std::string_view name)
{
    return m_connection->write([&](SQLite::Database& db) {
        SQLite::Statement remove(db, "DELETE FROM figures WHERE name = ?");
        bindText(remove, 1, name);
        if (remove.exec() == 0)
            throw BadRequest("The session has no figure '" + std::string(name) + "'");
    });
}

Result<void> SessionStore::putLabel(const HeadLabel& label)
{
    return m_connection->write([&](SQLite::Database& db) {
        const bool remove = label.name.empty() && label.colour.empty();
        SQLite::Statement change(
            db, remove ? "DELETE FROM head_labels WHERE model_id = ?1 AND head = ?2"
                       : "INSERT INTO head_labels(model_id, head, name, colour) VALUES (?1, ?2, ?3, ?4) "
                         "ON CONFLICT(model_id, head) DO UPDATE SET name = ?3, colour = ?4");
        change.bind(1, requireModel(db, label.modelHash));
        bindText(change, 2, label.head);
        if (!remove) {
            bindText(change, 3, label.name);
            bindText(change, 4, label.colour);
        }
        change.exec();
    });
}

Result<std::vector<HeadLabel>> SessionStore::labels(std::string_view modelHash)
{
    return m_connection->read<std::vector<HeadLabel>>([modelHash](SQLite::Database& db) {
        SQLite::Statement query(
            db, "SELECT m.hash, l.head, l.name, l.colour FROM head_labels l JOIN models m ON m.id = l.model_id "
                "WHERE m.hash = ? ORDER BY l.head");
        bindText(query, 1, modelHash);
        std::vector<HeadLabel> all;
        while (query.executeStep())
            all.push_back({textAt(query, 0), textAt(query, 1), textAt(query, 2), textAt(query, 3)});
        return all;
    });
}

Result<std::vector<ConflictRecord>> SessionStore::conflicts()
{
    return m_connection->read<std::vector<ConflictRecord>>([](SQLite::Database& db) {
        SQLite::Statement query(db, "SELECT kind, what, theirs, origin FROM conflicts ORDER BY id");
        std::vector<ConflictRecord> all;
        while (query.executeStep())
            all.push_back({textAt(query, 0), textAt(query, 1), textAt(query, 2), textAt(query, 3)});
        return all;
    });
}

Result<void> SessionStore::setUiState(std::string_view key, std::string_view value)
{
    return m_connection->write([&](SQLite::Database& db) {
        SQLite::Statement insert(
            db, "INSERT INTO ui_state(key, value) VALUES (?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2");
        bindText(insert, 1, key);
        insert.bind(2, value.data() == nullptr ? "" : value.data(), static_cast<int>(value.size()));
        insert.exec();
    });
}

Result<std::optional<std::string>> SessionStore::uiState(std::string_view key)
{
    return m_connection->read<std::optional<std::string>>([key](SQLite::Database& db) -> std::optional<std::string> {
        SQLite::Statement query(db, "SELECT value FROM ui_state WHERE key = ?");
        bindText(query, 1, key);
        if (!query.executeStep())
            return std::nullopt;
        return blobAt(query, 0, kMostUiState);
    });
}

Result<void> SessionStore::setTour(const TourProgress& progress)
{
    return m_connection->write([&](SQLite::Database& db) {
        SQLite::Statement insert(db, "INSERT INTO tours(tour, step, finished) VALUES (?1, ?2, ?3) ON CONFLICT(tour) DO "
                                     "UPDATE SET step = ?2, finished = ?3");
        bindText(insert, 1, progress.tour);
        insert.bind(2, progress.step);
        insert.bind(3, progress.finished ? 1 : 0);
        insert.exec();
    });
}

Result<std::vector<TourProgress>> SessionStore::tours()
{
    return m_connection->read<std::vector<TourProgress>>([](SQLite::Database& db) {
        SQLite::Statement query(db, "SELECT tour, step, finished FROM tours ORDER BY tour");
        std::vector<TourProgress> all;
        while (query.executeStep())
            all.push_back({textAt(query, 0), intAt(query, 1), int64At(query, 2) != 0});
        return all;
    });
}

} // namespace headscope::sessions

// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/rows/storedrows.h"

#include "sessions/rows/columns.h"
#include "sessions/rows/seriesrows.h"

namespace headscope::sessions {

namespace {

constexpr std::int64_t kMostUiState = 16'000'000; // bytes; of reports, the largest, a hundred are as long

} // namespace

Result<void> putFigure(Connection& connection, const FigureRecipe& figure)
{
    return connection.write([&](SQLite::Database& db) {
        SQLite::Statement insert(db, "INSERT INTO figures(name, recipe, created) VALUES (?1, ?2, ?3) ON CONFLICT(name) "
                                     "DO UPDATE SET recipe = ?2");
        requireFits("The figure's name", "name", figure.name);
        bindText(insert, 1, figure.name);
        bindText(insert, 2, figure.recipeJson);
        bindText(insert, 3, figure.created.empty() ? timestamp() : figure.created);
        insert.exec();
    });
}

Result<std::vector<FigureRecipe>> figures(Connection& connection)
{
    return connection.read<std::vector<FigureRecipe>>([](SQLite::Database& db) {
        SQLite::Statement query(db, "SELECT name, recipe, created FROM figures ORDER BY name");
        std::vector<FigureRecipe> all;
        while (query.executeStep())
            all.push_back({textAt(query, 0), textAt(query, 1), textAt(query, 2)});
        return all;
    });
}

Result<void> removeFigure(Connection& connection, std::string_view name)
{
    return connection.write([&](SQLite::Database& db) {
        SQLite::Statement remove(db, "DELETE FROM figures WHERE name = ?");
        bindText(remove, 1, name);
        if (remove.exec() == 0)
            throw BadRequest("The session has no figure '" + std::string(name) + "'");
    });
}

Result<void> putLabel(Connection& connection, const LabelChange& change)
{
    return connection.write([&](SQLite::Database& db) {
        const std::int64_t model = requireModel(db, change.modelHash);
        requireFits("The head's name", "name", change.name.value_or(""));
        SQLite::Statement put(db, "INSERT INTO head_labels(model_id, head, name, colour) "
                                  "VALUES (?1, ?2, coalesce(?3, ''), coalesce(?4, '')) ON CONFLICT(model_id, head) "
                                  "DO UPDATE SET name = coalesce(?3, name), colour = coalesce(?4, colour)");
        put.bind(1, model);
        bindText(put, 2, change.head);
        if (change.name)
            bindText(put, 3, *change.name);
        if (change.colour)
            bindText(put, 4, *change.colour);
        put.exec();
        SQLite::Statement remove(
            db, "DELETE FROM head_labels WHERE model_id = ?1 AND head = ?2 AND name = '' AND colour = ''");
        remove.bind(1, model);
        bindText(remove, 2, change.head);
        remove.exec();
    });
}

Result<std::vector<HeadLabel>> labels(Connection& connection, std::string_view modelHash)
{
    return connection.read<std::vector<HeadLabel>>([modelHash](SQLite::Database& db) {
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

Result<std::vector<ConflictRecord>> conflicts(Connection& connection)
{
    return connection.read<std::vector<ConflictRecord>>([](SQLite::Database& db) {
        SQLite::Statement query(db, "SELECT kind, what, theirs, origin FROM conflicts ORDER BY id");
        std::vector<ConflictRecord> all;
        while (query.executeStep())
            all.push_back({textAt(query, 0), textAt(query, 1), textAt(query, 2), textAt(query, 3)});
        return all;
    });
}

Result<void> setUiState(Connection& connection, std::string_view key, std::string_view value)
{
    return connection.write([&](SQLite::Database& db) {
        SQLite::Statement insert(
            db, "INSERT INTO ui_state(key, value) VALUES (?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2");
        bindText(insert, 1, key);
        insert.bind(2, value.data() == nullptr ? "" : value.data(), static_cast<int>(value.size()));
        insert.exec();
    });
}

Result<std::optional<std::string>> uiState(Connection& connection, std::string_view key)
{
    return connection.read<std::optional<std::string>>([key](SQLite::Database& db) -> std::optional<std::string> {
        SQLite::Statement query(db, "SELECT value FROM ui_state WHERE key = ?");
        bindText(query, 1, key);
        if (!query.executeStep())
            return std::nullopt;
        return stateAt(query, 0, kMostUiState);
    });
}

Result<void> setTour(Connection& connection, const TourProgress& progress)
{
    return connection.write([&](SQLite::Database& db) {
        SQLite::Statement insert(db, "INSERT INTO tours(tour, step, finished) VALUES (?1, ?2, ?3) ON CONFLICT(tour) DO "
                                     "UPDATE SET step = ?2, finished = ?3");
        bindText(insert, 1, progress.tour);
        insert.bind(2, progress.step);
        insert.bind(3, progress.finished ? 1 : 0);
        insert.exec();
    });
}

Result<std::vector<TourProgress>> tours(Connection& connection)
{
    return connection.read<std::vector<TourProgress>>([](SQLite::Database& db) {
        SQLite::Statement query(db, "SELECT tour, step, finished FROM tours ORDER BY tour");
        std::vector<TourProgress> all;
        while (query.executeStep())
            all.push_back({textAt(query, 0), intAt(query, 1), int64At(query, 2) != 0});
        return all;
    });
}

} // namespace headscope::sessions

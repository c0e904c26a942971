// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/sessionstore.h"

#include "sessions/file/connection.h"
#include "sessions/file/sessionpaths.h"
#include "sessions/rows/columns.h"
#include "sessions/rows/modelheadrows.h"
#include "sessions/rows/seriesrows.h"
#include "sessions/rows/storedrows.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope::sessions {

namespace {

constexpr int kMostLayers = 10000; // loops run over them

constexpr const char* kModelQuery = "SELECT m.hash, m.name, m.source, m.revision, m.family, m.dtype, m.device, "
                                    "coalesce(t.hash, ''), m.layers, m.heads, m.parameters "
                                    "FROM models m LEFT JOIN tokenizers t ON t.id = m.tokenizer_id ";

ModelRecord modelAt(SQLite::Statement& row)
{
    ModelRecord model;
    model.hash = textAt(row, 0);
    model.name = textAt(row, 1);
    model.source = textAt(row, 2);
    model.revision = textAt(row, 3);
    model.family = textAt(row, 4);
    model.dtype = textAt(row, 5);
    model.device = textAt(row, 6);
    model.tokenizerHash = textAt(row, 7);
    model.layers = intAt(row, 8);
    if (model.layers < 0 || model.layers > kMostLayers)
        throw BadRow(fmt::format("a model has {} layers, expected 0 to {}", model.layers, kMostLayers));
    model.headsJson = jsonAt(row, 9, kMostHeadsJson);
    model.parameters = int64At(row, 10);
    return model;
}

std::vector<std::string> texts(SQLite::Database& db, const char* sql)
{
    SQLite::Statement query(db, sql);
    std::vector<std::string> all;
    while (query.executeStep())
        all.push_back(textAt(query, 0));
    return all;
}

} // namespace

SessionStore::SessionStore(std::unique_ptr<Connection> connection) : m_connection(std::move(connection)) {}
SessionStore::SessionStore(SessionStore&&) noexcept = default;
SessionStore& SessionStore::operator=(SessionStore&&) noexcept = default;
SessionStore::~SessionStore() = default;

Result<SessionStore> SessionStore::open(const std::filesystem::path& path, const OpenOptions& options)
{
    auto connection = Connection::open(path, options);
    if (!connection.has_value())
        return connection.error();
    const auto handIn = (*connection)->read<bool>([](SQLite::Database& db) {
        refuseLongTexts(db, false);
        return isHandIn(db);
    });
    if (!handIn.has_value())
        return handIn.error();
    // Its totals stand without the results that they are of: more of these would be added to the wrong sums.
    if (*handIn && !(*connection)->readOnly())
        return open(path, {.create = false, .readOnly = true});
    SessionStore store(std::move(*connection));
    if (options.again)
        store.m_measured.emplace();
    return store;
}

const std::filesystem::path& SessionStore::path() const
{
    return m_connection->path();
}
bool SessionStore::readOnly() const
{
    return m_connection->readOnly();
}
const std::vector<std::string>& SessionStore::notices() const
{
    return m_connection->notices();
}

Result<std::string> SessionStore::uid()
{
    return m_connection->read<std::string>([](SQLite::Database& db) {
        const auto found = texts(db, "SELECT value FROM session_info WHERE key = 'uid'");
        if (found.empty())
            throw BadRow("it has no uid");
        return found.front();
    });
}

Result<std::int64_t> SessionStore::dataVersion()
{
    return m_connection->read<std::int64_t>(
        [](SQLite::Database& db) { return db.execAndGet("PRAGMA data_version").getInt64(); });
}

Result<void> SessionStore::putTokenizer(const TokenizerRecord& tokenizer)
{
    return m_connection->write([&](SQLite::Database& db) { upsertTokenizer(db, tokenizer); });
}

Result<std::vector<TokenizerRecord>> SessionStore::tokenizers()
{
    return m_connection->read<std::vector<TokenizerRecord>>([](SQLite::Database& db) {
        SQLite::Statement query(db, "SELECT hash, kind, source, vocabulary FROM tokenizers ORDER BY id");
        std::vector<TokenizerRecord> all;
        while (query.executeStep())
            all.push_back({textAt(query, 0), textAt(query, 1), textAt(query, 2), intAt(query, 3)});
        return all;
    });
}

Result<void> SessionStore::putModel(const ModelRecord& model)
{
    return m_connection->write([&](SQLite::Database& db) { upsertModel(db, model); });
}

Result<std::vector<ModelRecord>> SessionStore::models()
{
    return m_connection->read<std::vector<ModelRecord>>([](SQLite::Database& db) {
        SQLite::Statement query(db, std::string(kModelQuery) + "ORDER BY m.id");
        std::vector<ModelRecord> all;
        while (query.executeStep())
            all.push_back(modelAt(query));
        return all;
    });
}

Result<std::optional<ModelRecord>> SessionStore::model(std::string_view hash)
{
    return m_connection->read<std::optional<ModelRecord>>([hash](SQLite::Database& db) -> std::optional<ModelRecord> {
        SQLite::Statement query(db, std::string(kModelQuery) + "WHERE m.hash = ?");
        bindText(query, 1, hash);
        if (!query.executeStep())
            return std::nullopt;
        return modelAt(query);
    });
}

Result<void> SessionStore::putExamples(std::span<const ExampleRecord> examples)
{
    return m_connection->write([&](SQLite::Database& db) { insertExamples(db, examples); });
}

Result<bool> SessionStore::holds(const ModelRecord& model, std::span<const std::string> exampleHashes)
{
    const auto stored = this->model(model.hash);
    if (!stored.has_value())
        return stored.error();
    if (*stored != model)
        return false;
    return m_connection->read<bool>([&](SQLite::Database& db) {
        SQLite::Statement example(db, "SELECT 1 FROM examples WHERE hash = ?");
        return std::ranges::all_of(exampleHashes, [&](const std::string& hash) {
            bindAll(example, hash);
            return example.executeStep();
        });
    });
}

Result<std::optional<ExampleRecord>> SessionStore::example(std::string_view hash)
{
    return m_connection->read<std::optional<ExampleRecord>>(
        [hash](SQLite::Database& db) -> std::optional<ExampleRecord> {
            SQLite::Statement query(db, fmt::format("SELECT {} FROM examples WHERE hash = ?", kExampleColumns));
            bindText(query, 1, hash);
            if (!query.executeStep())
                return std::nullopt;
            return exampleAt(query, 0);
        });
}

Result<std::vector<std::int64_t>> SessionStore::exampleIds(std::string_view task)
{
    return m_connection->read<std::vector<std::int64_t>>([task](SQLite::Database& db) {
        SQLite::Statement query(db, "SELECT id FROM examples WHERE task = ? ORDER BY row, id");
        bindText(query, 1, task);
        std::vector<std::int64_t> ids;
        while (query.executeStep())
            ids.push_back(int64At(query, 0));
        return ids;
    });
}

Result<std::vector<ExampleRecord>> SessionStore::examples(std::span<const std::int64_t> ids)
{
    return m_connection->read<std::vector<ExampleRecord>>([ids](SQLite::Database& db) {
        SQLite::Statement query(db, fmt::format("SELECT {} FROM examples WHERE id = ?", kExampleColumns));
        std::vector<ExampleRecord> page;
        page.reserve(ids.size());
        for (const std::int64_t id : ids) {
            query.reset();
            query.bind(1, id);
            if (!query.executeStep())
                throw BadRequest(fmt::format("The session has no example number {}", id));
            page.push_back(exampleAt(query, 0));
        }
        return page;
    });
}

Result<std::int64_t> SessionStore::exampleCount()
{
    return m_connection->read<std::int64_t>(
        [](SQLite::Database& db) { return db.execAndGet("SELECT count(*) FROM examples").getInt64(); });
}

Result<std::vector<std::string>> SessionStore::tasks()
{
    return m_connection->read<std::vector<std::string>>(
        [](SQLite::Database& db) { return texts(db, "SELECT DISTINCT task FROM examples ORDER BY task"); });
}

Result<void> SessionStore::putAblation(std::string_view text)
{
    return m_connection->write([&](SQLite::Database& db) { static_cast<void>(ensureAblation(db, text)); });
}

Result<std::vector<std::string>> SessionStore::ablations()
{
    return m_connection->read<std::vector<std::string>>(
        [](SQLite::Database& db) { return texts(db, "SELECT text FROM ablations ORDER BY id"); });
}

Result<void> SessionStore::putResults(const SeriesKey& key, std::span<const ResultRecord> results)
{
    return m_connection->write([&](SQLite::Database& db) { insert(db, key, results); });
}

void SessionStore::insert(SQLite::Database& db, const SeriesKey& key, std::span<const ResultRecord> results)
{
    insertResults(db, key, results, again());
    if (m_measured)
        for (const ResultRecord& result : results)
            m_measured->insert(identity(key) + result.exampleHash);
}

bool SessionStore::answers(const SeriesKey& key, const std::string& exampleHash) const
{
    return !m_measured || m_measured->contains(identity(key) + exampleHash);
}

Result<std::unordered_set<std::string>> SessionStore::doneExamples(const SeriesKey& key)
{
    return m_connection->read<std::unordered_set<std::string>>([&](SQLite::Database& db) {
        std::unordered_set<std::string> hashes;
        if (const auto series = findSeries(db, key)) {
            SQLite::Statement query(
                db, "SELECT e.hash FROM results r JOIN examples e ON e.id = r.example_id WHERE r.series_id = ?");
            query.bind(1, *series);
            while (query.executeStep())
                hashes.insert(textAt(query, 0));
        }
        std::erase_if(hashes, [&](const std::string& hash) { return !answers(key, hash); });
        return hashes;
    });
}

Result<std::vector<ResultRecord>> SessionStore::results(const SeriesKey& key)
{
    return m_connection->read<std::vector<ResultRecord>>([&](SQLite::Database& db) {
        std::vector<ResultRecord> all;
        if (const auto series = findSeries(db, key)) {
            SQLite::Statement query(db, fmt::format("SELECT {} FROM results r JOIN examples e ON e.id = r.example_id "
                                                    "WHERE r.series_id = ? ORDER BY e.row, e.id",
                                                    kResultColumns));
            query.bind(1, *series);
            while (query.executeStep())
                all.push_back(resultAt(query, 0));
        }
        std::erase_if(all, [&](const ResultRecord& result) { return !answers(key, result.exampleHash); });
        return all;
    });
}

Result<std::optional<ResultRecord>> SessionStore::result(const SeriesKey& key, std::string_view exampleHash)
{
    return m_connection->read<std::optional<ResultRecord>>([&](SQLite::Database& db) -> std::optional<ResultRecord> {
        const auto series = findSeries(db, key);
        if (!series)
            return std::nullopt;
        SQLite::Statement query(
            db, fmt::format("SELECT {} FROM examples e JOIN results r ON r.series_id = ? AND r.example_id = e.id "
                            "WHERE e.hash = ?",
                            kResultColumns));
        query.bind(1, *series);
        bindText(query, 2, exampleHash);
        if (!query.executeStep())
            return std::nullopt;
        return resultAt(query, 0);
    });
}

Result<std::vector<SeriesKey>> SessionStore::seriesOf(std::string_view modelHash, std::string_view ablation)
{
    return m_connection->read<std::vector<SeriesKey>>([&](SQLite::Database& db) {
        SQLite::Statement query(
            db,
            fmt::format(
                "SELECT {} FROM series s JOIN models m ON m.id = s.model_id JOIN ablations a ON a.id = s.ablation_id "
                "WHERE m.hash = ? AND a.text = ? ORDER BY s.id",
                kSeriesColumns));
        bindAll(query, modelHash, ablation);
        std::vector<SeriesKey> all;
        while (query.executeStep())
            all.push_back(seriesAt(query, 0));
        return all;
    });
}

Result<std::vector<SeriesScore>> SessionStore::scores()
{
    return m_connection->read<std::vector<SeriesScore>>([](SQLite::Database& db) {
        SQLite::Statement query(
            db,
            fmt::format(
                "SELECT {}, m.name, s.id, {} FROM series_totals t JOIN series s ON s.id = t.series_id "
                "JOIN models m ON m.id = s.model_id "
                "JOIN ablations a ON a.id = s.ablation_id ORDER BY m.id, s.task, s.dtype, s.device, s.row_source = '', "
                "s.row_source, s.task_version, a.text <> '', s.id",
                kSeriesColumns, kTotalsColumns));
        std::vector<SeriesScore> all;
        while (query.executeStep()) {
            const SeriesTotals totals = totalsAt(query, kSeriesColumnCount + 2);
            all.push_back({.series = seriesAt(query, 0),
                           .modelName = textAt(query, kSeriesColumnCount),
                           .n = totals.n,
                           .rejected = totals.rejected,
                           .correct = totals.correct,
                           .nNorm = totals.nNorm,
                           .correctNorm = totals.correctNorm,
                           .seconds = totals.seconds,
                           .id = int64At(query, kSeriesColumnCount + 1)});
        }
        return all;
    });
}

Result<void> SessionStore::putFigure(const FigureRecipe& figure)
{
    return sessions::putFigure(*m_connection, figure);
}

Result<std::vector<FigureRecipe>> SessionStore::figures()
{
    return sessions::figures(*m_connection);
}

Result<void> SessionStore::removeFigure(std::string_view name)
{
    return sessions::removeFigure(*m_connection, name);
}

Result<void> SessionStore::putLabel(const LabelChange& change)
{
    return sessions::putLabel(*m_connection, change);
}

Result<std::vector<HeadLabel>> SessionStore::labels(std::string_view modelHash)
{
    return sessions::labels(*m_connection, modelHash);
}

Result<std::vector<ConflictRecord>> SessionStore::conflicts()
{
    return sessions::conflicts(*m_connection);
}

Result<void> SessionStore::setUiState(std::string_view key, std::string_view value)
{
    return sessions::setUiState(*m_connection, key, value);
}

Result<std::optional<std::string>> SessionStore::uiState(std::string_view key)
{
    return sessions::uiState(*m_connection, key);
}

Result<void> SessionStore::setTour(const TourProgress& progress)
{
    return sessions::setTour(*m_connection, progress);
}

Result<std::vector<TourProgress>> SessionStore::tours()
{
    return sessions::tours(*m_connection);
}

Result<PatternInfo> SessionStore::putPattern(const PatternRecord& pattern)
{
    return sessions::putPattern(*m_connection, pattern);
}

Result<std::vector<PatternInfo>> SessionStore::patterns()
{
    return sessions::patterns(*m_connection);
}

Result<PatternRecord> SessionStore::pattern(std::int64_t id)
{
    return sessions::pattern(*m_connection, id);
}

Result<std::string> SessionStore::addRanking(const RankingRecord& ranking)
{
    return sessions::addRanking(*m_connection, ranking);
}

Result<std::vector<RankingRecord>> SessionStore::rankings()
{
    return sessions::rankings(*m_connection);
}

Result<std::string> SessionStore::putRun(const RunRecord& run)
{
    return sessions::putRun(*m_connection, run);
}

Result<void> SessionStore::listRun(const RunRecord& run)
{
    return sessions::listRun(*m_connection, run);
}

Result<std::vector<RunRecord>> SessionStore::runs()
{
    return sessions::runs(*m_connection);
}

Result<void> SessionStore::removeRun(std::string_view uid)
{
    return sessions::removeRun(*m_connection, uid);
}

Result<void> SessionStore::addHistory(const HistoryEntry& entry)
{
    return sessions::addHistory(*m_connection, entry);
}

Result<std::vector<HistoryEntry>> SessionStore::history()
{
    return sessions::history(*m_connection);
}

} // namespace headscope::sessions

// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/rows/seriesrows.h"

#include "sessions/rows/columns.h"

namespace headscope::sessions {

namespace {

constexpr std::int64_t kMostExtra = 16'000'000; // bytes

std::optional<std::int64_t> firstId(SQLite::Statement& query)
{
    if (!query.executeStep())
        return std::nullopt;
    return int64At(query, 0);
}

std::optional<std::int64_t> findId(SQLite::Database& db, const char* sql, std::string_view identity)
{
    SQLite::Statement query(db, sql);
    bindAll(query, identity);
    return firstId(query);
}

std::optional<std::int64_t> findAblation(SQLite::Database& db, std::string_view text)
{
    return findId(db, "SELECT id FROM ablations WHERE text = ?", text);
}

std::optional<std::int64_t> storedSeries(SQLite::Database& db, const SeriesKey& key, std::int64_t model,
                                         std::int64_t ablation)
{
    SQLite::Statement query(
        db, "SELECT id FROM series WHERE model_id = ? AND tokenizer = ? AND dtype = ? AND device = ? "
            "AND task = ? AND row_source = ? AND task_version = ? AND ablation_id = ? AND scoring_version "
            "= ? AND inputs = ?");
    bindAll(query, model, key.tokenizerHash, key.dtype, key.device, key.task, key.rowSource, key.taskVersion, ablation,
            key.scoringVersion, key.inputs);
    return firstId(query);
}

void addTotals(SQLite::Database& db, std::int64_t series, const SeriesTotals& more)
{
    SQLite::Statement add(db, "INSERT INTO series_totals(series_id, results, n, correct, n_norm, correct_norm, "
                              "rejected, seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
                              "ON CONFLICT DO UPDATE SET results = results + excluded.results, n = n + excluded.n, "
                              "correct = correct + excluded.correct, "
                              "n_norm = n_norm + excluded.n_norm, correct_norm = correct_norm + excluded.correct_norm, "
                              "rejected = rejected + excluded.rejected, "
                              "seconds = seconds + excluded.seconds");
    bindAll(add, series, more.results, more.n, more.correct, more.nNorm, more.correctNorm, more.rejected, more.seconds);
    add.exec();
}

// Where results were replaced: what they added before is not known here.
void sumTotals(SQLite::Database& db, std::int64_t series)
{
    SQLite::Statement sum(db, "INSERT OR REPLACE INTO series_totals SELECT series_id, count(*), count(correct), "
                              "coalesce(sum(correct), 0), count(correct_norm), coalesce(sum(correct_norm), 0), "
                              "sum(rejected <> ''), sum(seconds) FROM results WHERE series_id = ? GROUP BY series_id");
    bindAll(sum, series);
    sum.exec();
}

} // namespace

std::optional<std::int64_t> findModel(SQLite::Database& db, std::string_view hash)
{
    return findId(db, "SELECT id FROM models WHERE hash = ?", hash);
}

std::int64_t requireModel(SQLite::Database& db, std::string_view hash)
{
    if (const auto id = findModel(db, hash))
        return *id;
    throw BadRequest("The session has no model with the hash '" + std::string(hash) + "'");
}

std::int64_t ensureAblation(SQLite::Database& db, std::string_view text)
{
    requireFits("The ablation", "text", text);
    SQLite::Statement insert(db, "INSERT INTO ablations(text) VALUES (?) ON CONFLICT DO NOTHING");
    bindAll(insert, text);
    insert.exec();
    return findAblation(db, text).value();
}

std::optional<std::int64_t> findSeries(SQLite::Database& db, const SeriesKey& key)
{
    const auto model = findModel(db, key.modelHash);
    const auto ablation = findAblation(db, key.ablation);
    if (!model || !ablation)
        return std::nullopt;
    return storedSeries(db, key, *model, *ablation);
}

std::int64_t ensureSeries(SQLite::Database& db, const SeriesKey& key)
{
    const std::int64_t model = requireModel(db, key.modelHash);
    const std::int64_t ablation = ensureAblation(db, key.ablation);
    if (const auto known = storedSeries(db, key, model, ablation))
        return *known;
    SQLite::Statement insert(
        db, "INSERT INTO series(model_id, tokenizer, dtype, device, task, row_source, task_version, ablation_id, "
            "scoring_version, inputs, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    bindAll(insert, model, key.tokenizerHash, key.dtype, key.device, key.task, key.rowSource, key.taskVersion, ablation,
            key.scoringVersion, key.inputs, timestamp());
    insert.exec();
    return db.getLastInsertRowid();
}

void SeriesTotals::add(const ResultRecord& result)
{
    ++results;
    n += result.correct.has_value() ? 1 : 0;
    correct += result.correct.value_or(false) ? 1 : 0;
    nNorm += result.correctNorm.has_value() ? 1 : 0;
    correctNorm += result.correctNorm.value_or(false) ? 1 : 0;
    rejected += result.rejected.empty() ? 0 : 1;
    seconds += result.seconds;
}

std::string identity(const SeriesKey& key)
{
    std::string text;
    for (const std::string& field :
         {key.modelHash, key.tokenizerHash, key.dtype, key.device, key.task, key.ablation, key.inputs})
        text += std::to_string(field.size()) + ":" + field;
    text += std::to_string(key.scoringVersion);
    if (!key.rowSource.empty() || !key.taskVersion.empty()) // results of earlier files keep their checksums
        text += " " + std::to_string(key.rowSource.size()) + ":" + key.rowSource
                + std::to_string(key.taskVersion.size()) + ":" + key.taskVersion;
    return text;
}

SeriesKey seriesAt(SQLite::Statement& row, int firstColumn)
{
    RowReader in(row, firstColumn);
    return {.modelHash = in.text(),
            .tokenizerHash = in.text(),
            .dtype = in.text(),
            .device = in.text(),
            .task = in.text(),
            .rowSource = in.text(),
            .taskVersion = in.text(),
            .ablation = in.text(),
            .scoringVersion = in.integer(),
            .inputs = in.text()};
}

SeriesTotals totalsAt(SQLite::Statement& row, int firstColumn)
{
    RowReader in(row, firstColumn);
    const SeriesTotals totals{.results = in.int64(),
                              .n = in.int64(),
                              .correct = in.int64(),
                              .nNorm = in.int64(),
                              .correctNorm = in.int64(),
                              .rejected = in.int64(),
                              .seconds = in.real()};
    const auto parts = [](std::int64_t part, std::int64_t whole) { return part >= 0 && part <= whole; };
    if (!parts(totals.n, totals.results) || !parts(totals.correct, totals.n) || !parts(totals.nNorm, totals.results)
        || !parts(totals.correctNorm, totals.nNorm) || !parts(totals.rejected, totals.results))
        throw BadRow("the totals of a series are not sums");
    return totals;
}

ResultRecord resultAt(SQLite::Statement& row, int firstColumn)
{
    RowReader in(row, firstColumn);
    ResultRecord result;
    result.exampleHash = in.text();
    result.prediction = in.integer();
    result.correct = in.flag();
    result.correctNorm = in.flag();
    const std::optional<bool> greedy = in.flag();
    result.logLikelihoods = doublesFromText(in.text());
    result.generated = in.text();
    result.seconds = in.real();
    result.rejected = in.text();
    result.greedy = flagsOf(greedy, in.text());
    return result;
}

ExampleRecord exampleAt(SQLite::Statement& row, int firstColumn)
{
    RowReader in(row, firstColumn);
    return {.hash = in.text(),
            .task = in.text(),
            .file = in.text(),
            .row = in.integer(),
            .scoring = in.text(),
            .context = in.text(),
            .continuations = stringsOf(in.text()),
            .gold = in.integer(),
            .extraJson = in.json(kMostExtra)};
}

void insertExamples(SQLite::Database& db, std::span<const ExampleRecord> examples)
{
    SQLite::Statement insert(
        db, "INSERT INTO examples(hash, task, file, row, scoring, context, continuations, gold, extra, checksum) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
    for (const ExampleRecord& example : examples) {
        bindAll(insert, example.hash, example.task, example.file, example.row, example.scoring, example.context,
                listText(example.continuations), example.gold, example.extraJson, checksum(example));
        insert.exec();
    }
}

std::int64_t insertResults(SQLite::Database& db, const SeriesKey& key, std::span<const ResultRecord> results,
                           bool replace)
{
    const std::int64_t series = ensureSeries(db, key);
    const std::string seriesIdentity = identity(key);
    SQLite::Statement find(db, "SELECT id FROM examples WHERE hash = ?");
    SQLite::Statement insert(
        db, "INSERT INTO results(series_id, example_id, prediction, correct, correct_norm, greedy, log_likelihoods, "
            "generated, rejected, seconds, checksum, greedy_choices) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON "
            "CONFLICT DO NOTHING");
    SQLite::Statement remove(db, "DELETE FROM results WHERE series_id = ? AND example_id = ?");
    SeriesTotals added;
    for (const ResultRecord& result : results) {
        bindAll(find, result.exampleHash);
        const auto example = firstId(find);
        if (!example)
            throw BadRequest("The session has no example with the hash '" + result.exampleHash
                             + "', so its result was not stored");
        if (replace) {
            bindAll(remove, series, *example);
            remove.exec();
        }
        bindAll(insert, series, *example, result.prediction, result.correct, result.correctNorm,
                onlyFlag(result.greedy), listText(result.logLikelihoods), result.generated, result.rejected,
                result.seconds, checksum(seriesIdentity, result), flagsText(result.greedy));
        if (insert.exec() > 0)
            added.add(result);
    }
    if (replace)
        sumTotals(db, series);
    else if (added.results > 0)
        addTotals(db, series, added);
    return added.results;
}

void upsertModel(SQLite::Database& db, const ModelRecord& model)
{
    SQLite::Statement insert(
        db,
        "INSERT INTO models(hash, name, source, revision, family, dtype, device, tokenizer_id, layers, heads, "
        "parameters, added) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, (SELECT id FROM tokenizers WHERE hash = ?8), ?9, ?10, ?11, ?12) "
        "ON CONFLICT(hash) DO UPDATE SET name = ?2, source = ?3, revision = ?4, family = ?5, dtype = ?6, device = ?7, "
        "tokenizer_id = excluded.tokenizer_id, layers = ?9, heads = ?10, parameters = ?11");
    bindAll(insert, model.hash, model.name, model.source, model.revision, model.family, model.dtype, model.device,
            model.tokenizerHash, model.layers, model.headsJson, model.parameters, timestamp());
    insert.exec();
}

void upsertTokenizer(SQLite::Database& db, const TokenizerRecord& tokenizer)
{
    SQLite::Statement insert(db, "INSERT INTO tokenizers(hash, kind, source, vocabulary) VALUES (?1, ?2, ?3, ?4) "
                                 "ON CONFLICT(hash) DO UPDATE SET kind = ?2, source = ?3, vocabulary = ?4");
    bindAll(insert, tokenizer.hash, tokenizer.kind, tokenizer.source, tokenizer.vocabulary);
    insert.exec();
}

} // namespace headscope::sessions

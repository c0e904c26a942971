// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/sessionrows.h"

#include "sessions/rows.h"

namespace headscope::sessions {

namespace {

void bindSeries(SQLite::Statement& statement, const SeriesKey& key, std::int64_t model, std::int64_t ablation)
{
    statement.bind(1, model);
    bindText(statement, 2, key.tokenizerHash);
    bindText(statement, 3, key.dtype);
    bindText(statement, 4, key.device);
    bindText(statement, 5, key.task);
    statement.bind(6, ablation);
    statement.bind(7, key.scoringVersion);
    bindText(statement, 8, key.inputs);
}

std::optional<std::int64_t> firstId(SQLite::Statement& query)
{
    if (!query.executeStep())
        return std::nullopt;
    return int64At(query, 0);
}

} // namespace

std::optional<std::int64_t> findModel(SQLite::Database& db, std::string_view hash)
{
    SQLite::Statement query(db, "SELECT id FROM models WHERE hash = ?");
    bindText(query, 1, hash);
    return firstId(query);
}

std::int64_t requireModel(SQLite::Database& db, std::string_view hash)
{
    if (const auto id = findModel(db, hash))
        return *id;
    throw BadRequest("The session has no model with the hash '" + std::string(hash) + "'");
}

std::int64_t ensureAblation(SQLite::Database& db, std::string_view text)
{
    SQLite::Statement insert(db, "INSERT INTO ablations(text) VALUES (?) ON CONFLICT DO NOTHING");
    bindText(insert, 1, text);
    insert.exec();
    SQLite::Statement query(db, "SELECT id FROM ablations WHERE text = ?");
    bindText(query, 1, text);
    return firstId(query).value();
}

std::optional<std::int64_t> findSeries(SQLite::Database& db, const SeriesKey& key)
{
    const auto model = findModel(db, key.modelHash);
    SQLite::Statement ablation(db, "SELECT id FROM ablations WHERE text = ?");
    bindText(ablation, 1, key.ablation);
    const auto ablationId = firstId(ablation);
    if (!model || !ablationId)
        return std::nullopt;
    SQLite::Statement query(db, "SELECT id FROM series WHERE model_id = ? AND tokenizer = ? AND dtype = ? AND device = ? "
                                "AND task = ? AND ablation_id = ? AND scoring_version = ? AND inputs = ?");
    bindSeries(query, key, *model, *ablationId);
    return firstId(query);
}

std::int64_t ensureSeries(SQLite::Database& db, const SeriesKey& key)
{
    const std::int64_t model = requireModel(db, key.modelHash);
    const std::int64_t ablation = ensureAblation(db, key.ablation);
    SQLite::Statement insert(db, "INSERT INTO series(model_id, tokenizer, dtype, device, task, ablation_id, scoring_version, inputs, created) "
                                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
    bindSeries(insert, key, model, ablation);
    insert.bind(9, timestamp());
    insert.exec();
    return findSeries(db, key).value();
}

std::string identity(const SeriesKey& key)
{
    std::string text;
    for (const std::string& field : {key.modelHash, key.tokenizerHash, key.dtype, key.device, key.task, key.ablation, key.inputs})
        text += std::to_string(field.size()) + ":" + field;
    return text + std::to_string(key.scoringVersion);
}

SeriesKey seriesAt(SQLite::Statement& row, int firstColumn)
{
    SeriesKey key;
    key.modelHash = textAt(row, firstColumn);
    key.tokenizerHash = textAt(row, firstColumn + 1);
    key.dtype = textAt(row, firstColumn + 2);
    key.device = textAt(row, firstColumn + 3);
    key.task = textAt(row, firstColumn + 4);
    key.ablation = textAt(row, firstColumn + 5);
    key.scoringVersion = intAt(row, firstColumn + 6);
    key.inputs = textAt(row, firstColumn + 7);
    return key;
}

ResultRecord resultAt(SQLite::Statement& row, int firstColumn)
{
    ResultRecord result;
    result.exampleHash = textAt(row, firstColumn);
    result.prediction = intAt(row, firstColumn + 1);
    result.correct = flagAt(row, firstColumn + 2);
    result.correctNorm = flagAt(row, firstColumn + 3);
    result.greedy = flagAt(row, firstColumn + 4);
    result.logLikelihoods = doublesOf(textAt(row, firstColumn + 5));
    result.generated = textAt(row, firstColumn + 6);
    result.rejected = textAt(row, firstColumn + 7);
    result.seconds = realAt(row, firstColumn + 8);
    return result;
}

ExampleRecord exampleAt(SQLite::Statement& row, int firstColumn)
{
    ExampleRecord example;
    example.hash = textAt(row, firstColumn);
    example.task = textAt(row, firstColumn + 1);
    example.file = textAt(row, firstColumn + 2);
    example.row = intAt(row, firstColumn + 3);
    example.scoring = textAt(row, firstColumn + 4);
    example.context = textAt(row, firstColumn + 5);
    example.continuations = stringsOf(textAt(row, firstColumn + 6));
    example.gold = intAt(row, firstColumn + 7);
    example.extraJson = textAt(row, firstColumn + 8);
    return example;
}

void insertExamples(SQLite::Database& db, std::span<const ExampleRecord> examples)
{
    SQLite::Statement insert(db, "INSERT INTO examples(hash, task, file, row, scoring, context, continuations, gold, extra, checksum) "
                                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
    for (const ExampleRecord& example : examples) {
        insert.reset();
        bindText(insert, 1, example.hash);
        bindText(insert, 2, example.task);
        bindText(insert, 3, example.file);
        insert.bind(4, example.row);
        bindText(insert, 5, example.scoring);
        bindText(insert, 6, example.context);
        bindText(insert, 7, listText(example.continuations));
        insert.bind(8, example.gold);
        bindText(insert, 9, example.extraJson);
        insert.bind(10, checksum(example));
        insert.exec();
    }
}

std::int64_t insertResults(SQLite::Database& db, const SeriesKey& key, std::span<const ResultRecord> results)
{
    const std::int64_t series = ensureSeries(db, key);
    const std::string seriesIdentity = identity(key);
    SQLite::Statement find(db, "SELECT id FROM examples WHERE hash = ?");
    SQLite::Statement insert(db, "INSERT INTO results(series_id, example_id, prediction, correct, correct_norm, greedy, log_likelihoods, "
                                 "generated, rejected, seconds, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
    std::int64_t added = 0;
    for (const ResultRecord& result : results) {
        find.reset();
        bindText(find, 1, result.exampleHash);
        const auto example = firstId(find);
        if (!example)
            throw BadRequest("The session has no example with the hash '" + result.exampleHash + "', so its result was not stored");
        insert.reset();
        insert.bind(1, series);
        insert.bind(2, *example);
        insert.bind(3, result.prediction);
        bindFlag(insert, 4, result.correct);
        bindFlag(insert, 5, result.correctNorm);
        bindFlag(insert, 6, result.greedy);
        bindText(insert, 7, listText(result.logLikelihoods));
        bindText(insert, 8, result.generated);
        bindText(insert, 9, result.rejected);
        insert.bind(10, result.seconds);
        insert.bind(11, checksum(seriesIdentity, result));
        added += insert.exec();
    }
    return added;
}

void upsertModel(SQLite::Database& db, const ModelRecord& model)
{
    SQLite::Statement insert(
        db, "INSERT INTO models(hash, name, source, revision, family, dtype, device, tokenizer_id, layers, heads, parameters, added) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, (SELECT id FROM tokenizers WHERE hash = ?8), ?9, ?10, ?11, ?12) "
            "ON CONFLICT(hash) DO UPDATE SET name = ?2, source = ?3, revision = ?4, family = ?5, dtype = ?6, device = ?7, "
            "tokenizer_id = excluded.tokenizer_id, layers = ?9, heads = ?10, parameters = ?11");
    bindText(insert, 1, model.hash);
    bindText(insert, 2, model.name);
    bindText(insert, 3, model.source);
    bindText(insert, 4, model.revision);
    bindText(insert, 5, model.family);
    bindText(insert, 6, model.dtype);
    bindText(insert, 7, model.device);
    bindText(insert, 8, model.tokenizerHash);
    insert.bind(9, model.layers);
    bindText(insert, 10, model.headsJson);
    insert.bind(11, model.parameters);
    insert.bind(12, timestamp());
    insert.exec();
}

void upsertTokenizer(SQLite::Database& db, const TokenizerRecord& tokenizer)
{
    SQLite::Statement insert(db, "INSERT INTO tokenizers(hash, kind, source, vocabulary) VALUES (?1, ?2, ?3, ?4) "
                                 "ON CONFLICT(hash) DO UPDATE SET kind = ?2, source = ?3, vocabulary = ?4");
    bindText(insert, 1, tokenizer.hash);
    bindText(insert, 2, tokenizer.kind);
    bindText(insert, 3, tokenizer.source);
    insert.bind(4, tokenizer.vocabulary);
    insert.exec();
}

} // namespace headscope::sessions

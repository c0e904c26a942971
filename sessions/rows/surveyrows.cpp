// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/rows/surveyrows.h"

#include "sessions/file/connection.h"
#include "sessions/rows/columns.h"
#include "sessions/rows/seriesrows.h"
#include "sessions/sessionstore.h"
#include "sessions/surveys.h"

#include <nlohmann/json.hpp>

namespace headscope::sessions {

namespace {

constexpr std::int64_t kMostSurveyJson = 1'000'000; // bytes of settings, state, reads
constexpr std::int64_t kMostTokens = 16'000'000;    // bytes of a text's tokens

constexpr const char* kSurveyQuery =
    "SELECT v.id, m.hash, v.tokenizer, v.dtype, v.device, a.text, v.texts, v.settings, v.version, v.source, v.state, "
    "v.tokens, v.finished, v.created FROM surveys v JOIN models m ON m.id = v.model_id "
    "JOIN ablations a ON a.id = v.ablation_id ";

SurveyRecord surveyRowAt(SQLite::Statement& row)
{
    RowReader in(row, 1);
    return {.key = {.modelHash = in.text(),
                    .tokenizerHash = in.text(),
                    .dtype = in.text(),
                    .device = in.text(),
                    .ablation = in.text(),
                    .texts = in.text(),
                    .settingsJson = in.json(kMostSurveyJson),
                    .version = in.integer()},
            .source = in.text(),
            .stateJson = in.json(kMostSurveyJson),
            .tokens = in.int64(),
            .finished = in.flag().value_or(false),
            .created = in.text()};
}

std::string readsText(const std::vector<std::pair<int, double>>& reads)
{
    nlohmann::json list = nlohmann::json::array();
    for (const auto& [token, share] : reads)
        list.push_back({token, share});
    return list.dump();
}

std::vector<std::pair<int, double>> readsOf(const std::string& text, std::size_t tokens)
{
    const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
    const auto fail = [&text] {
        throw BadRow("expected a list of tokens and shares, got '" + text.substr(0, 40) + "'");
    };
    if (!list.is_array())
        fail();
    std::vector<std::pair<int, double>> reads;
    for (const nlohmann::json& item : list) {
        if (!item.is_array() || item.size() != 2 || !item[0].is_number_integer() || !item[1].is_number())
            fail();
        const auto token = item[0].get<std::int64_t>();
        if (token < 0 || std::cmp_greater_equal(token, tokens))
            fail();
        reads.emplace_back(static_cast<int>(token), item[1].get<double>());
    }
    return reads;
}

void removeRows(SQLite::Database& db, const char* table, std::int64_t survey)
{
    SQLite::Statement remove(db, std::string("DELETE FROM ") + table + " WHERE survey_id = ?");
    bindAll(remove, survey);
    remove.exec();
}

std::vector<SurveyHead> headsOf(SQLite::Database& db, std::int64_t survey)
{
    std::vector<SurveyHead> heads;
    SQLite::Statement query(db, "SELECT head, profile, data, checksum FROM survey_heads WHERE survey_id = ? "
                                "ORDER BY position");
    SQLite::Statement values(db, "SELECT metric, n, mean, deviation, q05, q25, median, q75, q95, largest "
                                 "FROM survey_values WHERE survey_id = ? AND head = ? ORDER BY position");
    bindAll(query, survey);
    while (query.executeStep()) {
        RowReader in(query);
        SurveyHead head;
        head.head = in.text();
        head.profile = doublesFromText(in.text());
        head.data = in.blob();
        if (checksum(head) != in.int64())
            throw BadRow("the survey of head " + oneLine(head.head) + " was changed after it was stored");
        bindAll(values, survey, head.head);
        while (values.executeStep()) {
            RowReader cell(values);
            head.values.push_back({.metric = cell.text(),
                                   .n = cell.int64(),
                                   .mean = cell.real(),
                                   .deviation = cell.real(),
                                   .q05 = cell.real(),
                                   .q25 = cell.real(),
                                   .median = cell.real(),
                                   .q75 = cell.real(),
                                   .q95 = cell.real(),
                                   .largest = cell.real()});
        }
        heads.push_back(std::move(head));
    }
    return heads;
}

} // namespace

std::int64_t checksum(const SurveyHead& head)
{
    return RowChecksum().add(head.head).add(head.data).value();
}

std::optional<std::int64_t> findSurvey(SQLite::Database& db, const SurveyKey& key)
{
    SQLite::Statement query(
        db, "SELECT v.id FROM surveys v JOIN models m ON m.id = v.model_id JOIN ablations a ON a.id = v.ablation_id "
            "WHERE m.hash = ? AND v.tokenizer = ? AND v.dtype = ? AND v.device = ? AND a.text = ? AND v.texts = ? AND "
            "v.settings = ? AND v.version = ?");
    bindAll(query, key.modelHash, key.tokenizerHash, key.dtype, key.device, key.ablation, key.texts, key.settingsJson,
            key.version);
    if (!query.executeStep())
        return std::nullopt;
    return int64At(query, 0);
}

void saveSurvey(SQLite::Database& db, const SurveyRecord& survey, std::span<const SurveyHead> heads)
{
    const SurveyKey& key = survey.key;
    SQLite::Statement insert(
        db, "INSERT INTO surveys(model_id, tokenizer, dtype, device, ablation_id, texts, settings, version, source, "
            "state, tokens, finished, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE "
            "SET source = excluded.source, state = excluded.state, tokens = excluded.tokens, "
            "finished = excluded.finished");
    bindAll(insert, requireModel(db, key.modelHash), key.tokenizerHash, key.dtype, key.device,
            ensureAblation(db, key.ablation), key.texts, key.settingsJson, key.version, survey.source, survey.stateJson,
            survey.tokens, survey.finished ? 1 : 0, survey.created.empty() ? timestamp() : survey.created);
    insert.exec();
    const std::int64_t id = findSurvey(db, key).value();
    removeRows(db, "survey_values", id);
    removeRows(db, "survey_heads", id);
    SQLite::Statement head(db, "INSERT INTO survey_heads(survey_id, position, head, profile, data, checksum) "
                               "VALUES (?, ?, ?, ?, ?, ?)");
    SQLite::Statement value(db, "INSERT INTO survey_values(survey_id, head, position, metric, n, mean, deviation, "
                                "q05, q25, median, q75, q95, largest) "
                                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    int position = 0;
    for (const SurveyHead& one : heads) {
        bindAll(head, id, position++, one.head, listText(one.profile), Blob{one.data}, checksum(one));
        head.exec();
        int column = 0;
        for (const SurveyValue& cell : one.values) {
            bindAll(value, id, one.head, column++, cell.metric, cell.n, cell.mean, cell.deviation, cell.q05, cell.q25,
                    cell.median, cell.q75, cell.q95, cell.largest);
            value.exec();
        }
    }
}

void saveSurveyPlaces(SQLite::Database& db, std::int64_t survey, std::span<const SurveyPlace> places,
                      std::span<const SurveyText> texts)
{
    removeRows(db, "survey_places", survey);
    removeRows(db, "survey_texts", survey);
    SQLite::Statement text(db, "INSERT INTO survey_texts(survey_id, number, source, tokens) VALUES (?, ?, ?, ?)");
    int number = 0;
    for (const SurveyText& one : texts) {
        bindAll(text, survey, number++, one.source, listText(one.tokens));
        text.exec();
    }
    SQLite::Statement insert(db, "INSERT INTO survey_places(survey_id, head, metric, kind, rank, value, text, "
                                 "position, reads) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const SurveyPlace& place : places) {
        if (place.text < 0 || std::cmp_greater_equal(place.text, texts.size()) || place.position < 0
            || std::cmp_greater_equal(place.position, texts[static_cast<std::size_t>(place.text)].tokens.size()))
            throw BadRequest("A place of head " + place.head + " is outside of the survey's texts");
        bindAll(insert, survey, place.head, place.metric, place.ordinary ? "ordinary" : "top", place.rank, place.value,
                place.text, place.position, readsText(place.reads));
        insert.exec();
    }
}

std::vector<SurveyRecord> surveyRecords(SQLite::Database& db)
{
    std::vector<SurveyRecord> all;
    for (SQLite::Statement query(db, std::string(kSurveyQuery) + "ORDER BY v.id"); query.executeStep();)
        all.push_back(surveyRowAt(query));
    return all;
}

StoredSurvey surveyAt(SQLite::Database& db, std::int64_t id)
{
    SQLite::Statement query(db, std::string(kSurveyQuery) + "WHERE v.id = ?");
    bindAll(query, id);
    if (!query.executeStep())
        throw BadRequest("The session has no survey number " + std::to_string(id));
    StoredSurvey stored{surveyRowAt(query), headsOf(db, id), {}, {}};
    SQLite::Statement texts(db, "SELECT source, tokens FROM survey_texts WHERE survey_id = ? ORDER BY number");
    bindAll(texts, id);
    while (texts.executeStep())
        stored.texts.push_back({textAt(texts, 0), stringsOf(textAt(texts, 1, kMostTokens))});
    SQLite::Statement places(db, "SELECT head, metric, kind, rank, value, text, position, reads FROM survey_places "
                                 "WHERE survey_id = ? ORDER BY head, metric, kind DESC, rank");
    bindAll(places, id);
    while (places.executeStep()) {
        RowReader in(places);
        SurveyPlace place{.head = in.text(),
                          .metric = in.text(),
                          .ordinary = in.text() == "ordinary",
                          .rank = in.integer(),
                          .value = in.real(),
                          .text = in.integer(),
                          .position = in.integer()};
        if (place.text < 0 || std::cmp_greater_equal(place.text, stored.texts.size()))
            throw BadRow("a place of a survey names a text that does not exist");
        const std::size_t tokens = stored.texts[static_cast<std::size_t>(place.text)].tokens.size();
        if (place.position < 0 || std::cmp_greater_equal(place.position, tokens))
            throw BadRow("a place of a survey is outside of its text");
        place.reads = readsOf(in.json(kMostSurveyJson), tokens);
        stored.places.push_back(std::move(place));
    }
    return stored;
}

namespace {

/// Tokens that are measured, -1 where it is not stored, and whether they are all.
std::pair<std::int64_t, bool> progressOf(SQLite::Database& db, const SurveyKey& key)
{
    const auto id = findSurvey(db, key);
    if (!id)
        return {-1, false};
    SQLite::Statement query(db, "SELECT tokens, finished FROM surveys WHERE id = ?");
    bindAll(query, *id);
    query.executeStep();
    return {int64At(query, 0), flagAt(query, 1).value_or(false)};
}

} // namespace

Result<std::int64_t> surveyTokens(SessionStore& session, const SurveyKey& key)
{
    return session.connection().read<std::int64_t>([&](SQLite::Database& db) { return progressOf(db, key).first; });
}

Result<void> putSurvey(SessionStore& session, const SurveyRecord& survey, std::span<const SurveyHead> heads)
{
    return session.connection().write([&](SQLite::Database& db) {
        const auto [tokens, finished] = progressOf(db, survey.key);
        if (tokens < survey.tokens || (tokens == survey.tokens && (!finished || session.again())))
            saveSurvey(db, survey, heads);
    });
}

Result<void> putSurveyPlaces(SessionStore& session, const SurveyRecord& survey, std::span<const SurveyPlace> places,
                             std::span<const SurveyText> texts)
{
    return session.connection().write([&](SQLite::Database& db) {
        const auto id = findSurvey(db, survey.key);
        if (!id)
            throw BadRequest("The session has no such survey");
        if (progressOf(db, survey.key).first <= survey.tokens)
            saveSurveyPlaces(db, *id, places, texts);
    });
}

Result<std::vector<SurveyRecord>> surveys(SessionStore& session)
{
    return session.connection().read<std::vector<SurveyRecord>>([](SQLite::Database& db) { return surveyRecords(db); });
}

Result<std::optional<StoredSurvey>> survey(SessionStore& session, const SurveyKey& key)
{
    return session.connection().read<std::optional<StoredSurvey>>([&](SQLite::Database& db) {
        const auto id = findSurvey(db, key);
        return id ? std::optional(surveyAt(db, *id)) : std::nullopt;
    });
}

} // namespace headscope::sessions

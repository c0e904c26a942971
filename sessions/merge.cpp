// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/merge.h"

#include "sessions/file/connection.h"
#include "sessions/parts.h"
#include "sessions/results/chunkresults.h"
#include "sessions/rows/analysisrows.h"
#include "sessions/rows/columns.h"
#include "sessions/rows/seriesrows.h"
#include "sessions/rows/surveyrows.h"
#include "sessions/sessionstore.h"

#include "core/base/hash.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <stdexcept>

namespace headscope::sessions {

namespace {

constexpr std::size_t kChunk = 500;

struct Stopped : std::runtime_error {
    Stopped() : std::runtime_error("stopped") {}
};

struct FromFailed : std::runtime_error {
    explicit FromFailed(Error e) : std::runtime_error(e.message), error(std::move(e)) {}
    Error error;
};

template <typename T> T need(Result<T> result)
{
    if (!result.has_value())
        throw FromFailed(result.error());
    return std::move(*result);
}

std::string dump(const nlohmann::json& json)
{
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json flagJson(const std::optional<bool>& flag)
{
    return flag.has_value() ? nlohmann::json(*flag) : nlohmann::json(nullptr);
}

std::string resultJson(const ResultRecord& result)
{
    return dump({{"prediction", result.prediction},
                 {"correct", flagJson(result.correct)},
                 {"correct_norm", flagJson(result.correctNorm)},
                 {"greedy", result.greedy},
                 {"log_likelihoods", listText(result.logLikelihoods)},
                 {"generated", result.generated},
                 {"rejected", result.rejected}});
}

/// Flags that one side does not know, having been stored by schema 4 or before, are no difference.
bool differ(ResultRecord theirs, ResultRecord mine)
{
    if (theirs.greedy.empty() || mine.greedy.empty())
        theirs.greedy = mine.greedy = {};
    return resultJson(theirs) != resultJson(mine);
}

std::string exampleJson(const ExampleRecord& example)
{
    return dump({{"task", example.task},
                 {"file", example.file},
                 {"row", example.row},
                 {"scoring", example.scoring},
                 {"context", example.context},
                 {"continuations", example.continuations},
                 {"gold", example.gold},
                 {"extra", example.extraJson}});
}

class Merger
{
public:
    Merger(SQLite::Database& db, SessionStore& from, const Control& control)
        : m_db(db), m_from(from), m_source(from.connection().db()), m_control(control), m_origin(need(from.uid()))
    {
    }

    MergeReport run()
    {
        models();
        examples();
        results();
        runs();
        for (const RankingRecord& ranking : need(m_from.rankings()))
            m_report.rankings += insertRanking(m_db, ranking) ? 1 : 0;
        patterns();
        surveys();
        analyses();
        figures();
        labels();
        history();
        reports();
        for (const PartRecord& part : need(parts(m_from)))
            savePart(m_db, part);
        mergeChunks(m_db, m_source, [this](const std::string& work, int chunk) {
            conflict("chunk", work + " " + std::to_string(chunk), "{}", m_origin);
        });
        earlierConflicts();
        return m_report;
    }

private:
    void step(const char* stage, std::int64_t done, std::int64_t total) const
    {
        if (m_control.stopped())
            throw Stopped();
        m_control.progress(stage, done, total);
    }

    void conflict(const std::string& kind, const std::string& what, const std::string& theirs,
                  const std::string& origin)
    {
        SQLite::Statement insert(
            m_db, "INSERT INTO conflicts(kind, what, theirs, origin) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
        bindText(insert, 1, kind);
        bindText(insert, 2, what);
        bindText(insert, 3, theirs);
        bindText(insert, 4, origin);
        m_report.conflicts += insert.exec();
    }

    void models()
    {
        for (const TokenizerRecord& tokenizer : need(m_from.tokenizers())) {
            SQLite::Statement known(m_db, "SELECT 1 FROM tokenizers WHERE hash = ?");
            bindText(known, 1, tokenizer.hash);
            if (!known.executeStep())
                upsertTokenizer(m_db, tokenizer);
        }
        for (const ModelRecord& model : need(m_from.models())) {
            if (findModel(m_db, model.hash))
                continue;
            upsertModel(m_db, model);
            ++m_report.models;
        }
    }

    void examples()
    {
        const std::int64_t total = need(m_from.exampleCount());
        SQLite::Statement query(m_source, fmt::format("SELECT {} FROM examples ORDER BY id", kExampleColumns));
        SQLite::Statement known(m_db, fmt::format("SELECT {} FROM examples WHERE hash = ?", kExampleColumns));
        std::int64_t done = 0;
        while (query.executeStep()) {
            if (done++ % static_cast<std::int64_t>(kChunk) == 0)
                step("merging examples", done - 1, total);
            const ExampleRecord theirs = exampleAt(query, 0);
            known.reset();
            bindText(known, 1, theirs.hash);
            if (!known.executeStep()) {
                insertExamples(m_db, std::span(&theirs, 1));
                ++m_report.examples;
            } else if (exampleAt(known, 0) != theirs) {
                conflict("example", theirs.hash, exampleJson(theirs), m_origin);
            }
        }
    }

    void results()
    {
        SQLite::Statement all(m_source, fmt::format("SELECT {}, s.id FROM series s JOIN models m ON m.id = s.model_id "
                                                    "JOIN ablations a ON a.id = s.ablation_id ORDER BY s.id",
                                                    kSeriesColumns));
        while (all.executeStep())
            oneSeries(seriesAt(all, 0), int64At(all, kSeriesColumnCount));
    }

    void oneSeries(const SeriesKey& key, std::int64_t theirId)
    {
        const std::int64_t ours = ensureSeries(m_db, key);
        SQLite::Statement query(
            m_source,
            fmt::format("SELECT {} FROM results r JOIN examples e ON e.id = r.example_id WHERE r.series_id = ? "
                        "ORDER BY r.example_id",
                        kResultColumns));
        SQLite::Statement known(
            m_db, fmt::format("SELECT {} FROM examples e JOIN results r ON r.series_id = ? AND r.example_id = e.id "
                              "WHERE e.hash = ?",
                              kResultColumns));
        query.bind(1, theirId);
        std::vector<ResultRecord> fresh;
        while (query.executeStep()) {
            ResultRecord theirs = resultAt(query, 0);
            known.reset();
            known.bind(1, ours);
            bindText(known, 2, theirs.exampleHash);
            if (!known.executeStep())
                fresh.push_back(std::move(theirs));
            else if (ResultRecord mine = resultAt(known, 0); differ(theirs, std::move(mine)))
                conflict("result", identity(key) + " " + theirs.exampleHash, resultJson(theirs), m_origin);
            if (fresh.size() == kChunk)
                add(key, fresh);
        }
        add(key, fresh);
    }

    void add(const SeriesKey& key, std::vector<ResultRecord>& fresh)
    {
        step("merging results", m_report.results, 0);
        m_report.results += insertResults(m_db, key, fresh);
        fresh.clear();
    }

    // A run that was renamed on both sides becomes two, the second with a uid made of the first's and its content.
    void runs()
    {
        for (RunRecord run : need(m_from.runs())) {
            const std::string base = run.uid.substr(0, run.uid.find('~'));
            SQLite::Statement same(
                m_db, "SELECT name, note, uid FROM runs WHERE uid = ?1 OR substr(uid, 1, length(?1) + 1) = ?1 || '~'");
            bindText(same, 1, base);
            bool known = false;
            std::string identical; // its uid
            while (same.executeStep()) {
                known = true;
                if (textAt(same, 0) == run.name && textAt(same, 1) == run.note)
                    identical = textAt(same, 2);
            }
            if (!identical.empty()) {
                addSeries(m_db, identical, run.series);
                continue;
            }
            if (known) {
                run.uid = base + "~" + sha256Hex(run.name + '\0' + run.note).substr(0, 12);
                if (hasRun(run.uid)) { // came before; what was written about it since stays
                    addSeries(m_db, run.uid, run.series);
                    continue;
                }
                ++m_report.conflicts;
            }
            saveRun(m_db, run);
            ++m_report.runs;
        }
    }

    [[nodiscard]] bool hasRun(const std::string& uid)
    {
        SQLite::Statement run(m_db, "SELECT 1 FROM runs WHERE uid = ?");
        bindText(run, 1, uid);
        return run.executeStep();
    }

    // The key under which content comes beside the rows that `known` finds (their first column is a blob): its own, or
    // where other content has that, a conflict, one made of the content. Nothing where the same content is there.
    std::optional<std::string> keyBeside(SQLite::Statement& known, const std::string& key, const std::string& content)
    {
        bool taken = false, identical = false;
        while (known.executeStep()) {
            taken = true;
            identical = identical || blobAt(known, 0) == content;
        }
        if (identical)
            return std::nullopt;
        m_report.conflicts += taken ? 1 : 0;
        return taken ? key + "~" + sha256Hex(content).substr(0, 12) : key;
    }

    void patterns()
    {
        SQLite::Statement query(
            m_source,
            "SELECT m.hash, a.text, p.prompt_hash, p.data, p.dtype, p.head, p.matrix, p.shown, p.earlier_words, "
            "p.with_d, p.with_dt, p.with_gate, p.rows, p.cols, p.checksum, p.scale, p.max_error, p.prompt, p.tokens, "
            "p.encoding, p.created, p.segments, p.source, p.inputs FROM patterns p "
            "JOIN models m ON m.id = p.model_id JOIN ablations a ON a.id = p.ablation_id ORDER BY p.id");
        SQLite::Statement known(m_db, "SELECT data FROM patterns WHERE model_id = ? AND ablation_id = ? AND "
                                      "substr(prompt_hash, 1, 64) = ? AND dtype = ? AND head = ? AND matrix = ? AND "
                                      "shown = ? AND earlier_words = ? AND with_d = ? AND with_dt = ? AND "
                                      "with_gate = ? AND inputs = ?");
        SQLite::Statement insert(m_db, "INSERT INTO patterns(model_id, ablation_id, prompt_hash, data, dtype, head, "
                                       "matrix, shown, earlier_words, with_d, with_dt, with_gate, rows, cols, "
                                       "checksum, scale, max_error, prompt, tokens, encoding, created, segments, "
                                       "source, inputs) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                                       "?, ?, ?, ?, ?, ?)");
        while (query.executeStep()) {
            step("merging patterns", m_report.patterns, 0);
            const std::int64_t model = requireModel(m_db, textAt(query, 0));
            const std::int64_t ablation = ensureAblation(m_db, textAt(query, 1));
            const std::string promptHash = textAt(query, 2).substr(0, 64);
            const std::string data = blobAt(query, 3);
            known.reset();
            known.bind(1, model);
            known.bind(2, ablation);
            bindText(known, 3, promptHash);
            for (int column = 4; column <= 8; ++column)
                bindText(known, column, textAt(query, column));
            for (int column = 9; column <= 11; ++column)
                known.bind(column, int64At(query, column));
            bindText(known, 12, textAt(query, 23));
            const auto key = keyBeside(known, promptHash, data);
            if (!key)
                continue;
            insert.reset();
            insert.bind(1, model);
            insert.bind(2, ablation);
            bindText(insert, 3, *key);
            insert.bind(4, data.data(), static_cast<int>(data.size()));
            for (const int column : {4, 5, 6, 7, 8, 17, 18, 19, 20, 21, 22, 23})
                bindText(insert, column + 1, textAt(query, column));
            for (const int column : {9, 10, 11, 12, 13, 14})
                insert.bind(column + 1, int64At(query, column));
            for (const int column : {15, 16})
                insert.bind(column + 1, realAt(query, column));
            insert.exec();
            ++m_report.patterns;
        }
    }

    // The same survey gives the same numbers, so of two the one that is further stays.
    void surveys()
    {
        for (const SurveyRecord& record : surveyRecords(m_source)) {
            step("merging surveys", m_report.surveys, 0);
            const StoredSurvey theirs = surveyAt(m_source, findSurvey(m_source, record.key).value());
            const auto ours = findSurvey(m_db, record.key);
            if (ours && surveyAt(m_db, *ours).record.tokens >= record.tokens)
                continue;
            saveSurvey(m_db, theirs.record, theirs.heads);
            saveSurveyPlaces(m_db, findSurvey(m_db, record.key).value(), theirs.places, theirs.texts);
            ++m_report.surveys;
        }
    }

    // The same question has the same answer: of two the one stored here stays.
    void analyses()
    {
        std::int64_t done = 0;
        for (const auto& [id, record] : analysisRecords(m_source)) {
            step("merging analyses", done++, 0);
            if (!findAnalysis(m_db, record.key))
                saveAnalysis(m_db, analysisAt(m_source, id));
        }
    }

    void figures()
    {
        SQLite::Statement known(m_db, "SELECT recipe FROM figures WHERE name = ?");
        SQLite::Statement insert(m_db,
                                 "INSERT INTO figures(name, recipe, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
        for (FigureRecipe figure : need(m_from.figures())) {
            known.reset();
            bindText(known, 1, figure.name);
            const bool taken = known.executeStep();
            if (taken) {
                if (textAt(known, 0) == figure.recipeJson)
                    continue;
                figure.name += " (" + sha256Hex(figure.recipeJson).substr(0, 8) + ")";
            }
            insert.reset();
            bindText(insert, 1, figure.name);
            bindText(insert, 2, figure.recipeJson);
            bindText(insert, 3, figure.created);
            const int added = insert.exec();
            m_report.figures += added;
            m_report.conflicts += taken ? added : 0;
        }
    }

    void labels()
    {
        SQLite::Statement known(m_db, "SELECT name, colour FROM head_labels WHERE model_id = ? AND head = ?");
        SQLite::Statement insert(m_db, "INSERT INTO head_labels(model_id, head, name, colour) VALUES (?, ?, ?, ?)");
        for (const ModelRecord& model : need(m_from.models())) {
            for (const HeadLabel& label : need(m_from.labels(model.hash))) {
                const std::int64_t id = requireModel(m_db, label.modelHash);
                known.reset();
                known.bind(1, id);
                bindText(known, 2, label.head);
                if (known.executeStep()) {
                    if (textAt(known, 0) != label.name || textAt(known, 1) != label.colour)
                        conflict("label", label.modelHash + " " + label.head,
                                 dump({{"name", label.name}, {"colour", label.colour}}), m_origin);
                    continue;
                }
                insert.reset();
                insert.bind(1, id);
                bindText(insert, 2, label.head);
                bindText(insert, 3, label.name);
                bindText(insert, 4, label.colour);
                m_report.labels += insert.exec();
            }
        }
    }

    void history()
    {
        SQLite::Statement insert(
            m_db, "INSERT INTO history(created, label, model_id, ablation_id) SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS "
                  "(SELECT 1 FROM history WHERE created = ?1 AND label = ?2 AND model_id IS ?3 AND ablation_id = ?4)");
        for (const HistoryEntry& entry : need(m_from.history())) {
            insert.reset();
            insert.clearBindings();
            bindText(insert, 1, entry.created);
            bindText(insert, 2, entry.label);
            if (!entry.modelHash.empty())
                insert.bind(3, requireModel(m_db, entry.modelHash));
            insert.bind(4, ensureAblation(m_db, entry.ablation));
            m_report.history += insert.exec();
        }
    }

    // What an experiment found; one that was run on both sides becomes two, the second under a key made of its content.
    void reports()
    {
        SQLite::Statement query(m_source, "SELECT key, value FROM ui_state WHERE key LIKE 'experiment/%' ORDER BY key");
        SQLite::Statement known(
            m_db, "SELECT value FROM ui_state WHERE key = ?1 OR substr(key, 1, length(?1) + 1) = ?1 || '~'");
        SQLite::Statement insert(m_db, "INSERT INTO ui_state(key, value) VALUES (?, ?) ON CONFLICT DO NOTHING");
        while (query.executeStep()) {
            std::string key = textAt(query, 0);
            key = key.substr(0, key.find('~'));
            const std::string report = blobAt(query, 1);
            if (!isShallow(report)) // not from this program
                continue;
            bindAll(known, key);
            const auto free = keyBeside(known, key, report);
            if (!free)
                continue;
            bindAll(insert, *free, Blob{report});
            m_report.reports += insert.exec();
        }
    }

    void earlierConflicts()
    {
        for (const ConflictRecord& record : need(m_from.conflicts()))
            conflict(record.kind, record.what, record.theirs, record.origin);
    }

    SQLite::Database& m_db;
    SessionStore& m_from;
    SQLite::Database& m_source;
    const Control& m_control;
    std::string m_origin;
    MergeReport m_report;
};

} // namespace

Result<MergeReport> merge(SessionStore& into, SessionStore& from, const Control& control)
{
    std::error_code ignored;
    if (std::filesystem::equivalent(into.path(), from.path(), ignored))
        return inputError("Session '" + into.path().string() + "' cannot be merged with itself.");
    MergeReport report;
    std::optional<Error> theirs;
    bool stopped = false;
    auto done = into.connection().write([&](SQLite::Database& db) {
        try {
            report = Merger(db, from, control).run();
        } catch (const FromFailed& failed) {
            theirs = failed.error;
            throw;
        } catch (const BadRow& bad) {
            theirs = inputError("Session '" + from.path().string() + "' is damaged: " + bad.what()
                                + "; nothing was merged.");
            throw;
        } catch (const Stopped&) {
            stopped = true;
            throw;
        }
    });
    if (stopped)
        return cancelledError();
    if (theirs.has_value())
        return *theirs;
    if (!done.has_value())
        return done.error();
    return report;
}

} // namespace headscope::sessions

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Small records for the session tests, all different where identities differ. Any thread.

#include "core/base/hash.h"
#include "core/base/result.h"
#include "sessions/records.h"
#include "sessions/rows/examplerows.h"
#include "sessions/sessionstore.h"

#include <string>
#include <vector>

namespace headscope::testing {

inline sessions::ModelRecord exampleModel(const std::string& name = "tiny-transformer")
{
    sessions::ModelRecord model;
    model.hash = sha256Hex("model " + name);
    model.name = name;
    model.source = "resources/models/" + name;
    model.family = "llama";
    model.dtype = "fp32";
    model.device = "cpu";
    model.layers = 3;
    model.headsJson = R"([{"kind":"attention","heads":8}])";
    model.parameters = 123456;
    return model;
}

inline sessions::ExampleRecord exampleAt(int row, const std::string& task = "toy_kv:pairs=8")
{
    sessions::ExampleRecord example;
    example.task = task;
    example.file = "generated";
    example.row = row;
    example.scoring = "multiple_choice";
    example.context = "red Paris blue Oslo, number " + std::to_string(row) + ": red";
    example.continuations = {" Paris", " Oslo"};
    example.gold = row % 2;
    example.extraJson = R"({"norm_lengths":[6,5]})";
    example.hash = sha256Hex(example.task + example.context);
    return example;
}

inline std::vector<sessions::ExampleRecord> examples(int count, const std::string& task = "toy_kv:pairs=8")
{
    std::vector<sessions::ExampleRecord> all;
    for (int row = 0; row < count; ++row)
        all.push_back(exampleAt(row, task));
    return all;
}

inline sessions::SeriesKey series(const std::string& ablation = "")
{
    sessions::SeriesKey key;
    key.modelHash = exampleModel().hash;
    key.dtype = "fp32";
    key.device = "cpu";
    key.task = "toy_kv:pairs=8";
    key.ablation = ablation;
    return key;
}

inline sessions::ResultRecord resultFor(const sessions::ExampleRecord& example, bool right)
{
    sessions::ResultRecord result;
    result.exampleHash = example.hash;
    result.prediction = right ? example.gold : 1 - example.gold;
    result.correct = right;
    result.correctNorm = right;
    result.greedy = {true, false};
    result.logLikelihoods = {-0.1 * example.row - 1.0 / 3.0, -12.25};
    result.seconds = 0.001;
    return result;
}

/// Reads all that a session holds; what cannot be read is passed over. Returns how many records there were.
inline std::size_t readEverything(sessions::SessionStore& session)
{
    std::size_t count = 0;
    const auto sizeOf = [&count](const auto& list) { count += list.has_value() ? list->size() : 0; };
    sizeOf(session.models());
    sizeOf(session.tokenizers());
    sizeOf(session.ablations());
    sizeOf(session.runs());
    sizeOf(session.history());
    sizeOf(session.rankings());
    sizeOf(session.figures());
    sizeOf(session.conflicts());
    sizeOf(session.tours());
    if (const auto state = session.uiState("geometry"); state.has_value())
        count += state->has_value() ? 1 : 0;
    if (const auto models = session.models(); models.has_value())
        for (const auto& model : *models)
            sizeOf(session.labels(model.hash));
    if (const auto tasks = session.tasks(); tasks.has_value())
        for (const auto& task : *tasks)
            if (const auto ids = session.exampleIds(task); ids.has_value())
                sizeOf(session.examples(*ids));
    if (const auto scores = session.scores(); scores.has_value())
        for (const auto& row : *scores) {
            sizeOf(session.results(row.series));
            sizeOf(session.doneExamples(row.series));
            if (const auto pairs = sessions::pairedExamples(session, scores->front().series, row.series);
                pairs.has_value()) {
                std::vector<std::int64_t> ids;
                for (const auto& pair : *pairs)
                    ids.push_back(pair.id);
                sizeOf(sessions::examplePairs(session, scores->front().series, row.series, ids));
            }
        }
    if (const auto patterns = session.patterns(); patterns.has_value())
        for (const auto& pattern : *patterns)
            count += session.pattern(pattern.id).has_value() ? 1 : 0;
    return count;
}

/// A session with something of every kind in it; empty when it was made, else why not.
inline std::string fill(sessions::SessionStore& session, int rows = 12)
{
    std::string problem;
    const auto check = [&problem](const auto& result) {
        problem = problem.empty() && !result.has_value() ? result.error().message : problem;
    };
    const auto some = examples(rows);
    std::vector<sessions::ResultRecord> before, after;
    for (const auto& example : some) {
        before.push_back(resultFor(example, true));
        after.push_back(resultFor(example, example.row % 4 == 0));
    }
    sessions::PatternRecord pattern;
    pattern.modelHash = exampleModel().hash;
    pattern.dtype = "fp32";
    pattern.head = "L2H5";
    pattern.prompt = "a b";
    pattern.tokens = {"a", "b"};
    pattern.values = Matrix(2, 2);
    pattern.values.values = {1.0F, 0.0F, 0.25F, 0.75F};
    sessions::RunRecord run;
    run.name = "without L2H5";
    run.modelHash = exampleModel().hash;
    run.ablation = "L2H5";
    run.series = {series("L2H5")};
    sessions::RankingRecord ranking;
    ranking.modelHash = exampleModel().hash;
    ranking.dtype = "fp32";
    ranking.task = "toy_kv:pairs=8";
    ranking.method = "exact";
    ranking.heads = {{"L2H5", 0.03, -0.95, -0.97, -0.92}};
    check(session.putTokenizer({sha256Hex("tokenizer"), "WordLevel", "tokenizer.json", 321}));
    check(session.putModel(exampleModel()));
    check(session.putExamples(some));
    check(session.putResults(series(), before));
    check(session.putResults(series("L2H5"), after));
    check(session.putRun(run));
    check(session.addRanking(ranking));
    check(session.putPattern(pattern));
    check(session.putFigure({"fig 1", "{}", {}}));
    check(session.putLabel({exampleModel().hash, "L2H5", "the aggregator", "#cc0000"}));
    check(session.addHistory({0, {}, "L2H5 off", exampleModel().hash, "L2H5"}));
    check(session.setUiState("geometry", "bytes"));
    check(session.setTour({"first steps", 2, false}));
    return problem;
}

/// The same as a file that is closed again, so that all is in the one file.
inline std::string fillFile(const std::string& path)
{
    auto session = sessions::SessionStore::open(path);
    return session.has_value() ? fill(*session) : session.error().message;
}

/// Empty when all is well, else the sentence; evaluates its argument once.
template <typename T> std::string failure(const Result<T>& result)
{
    return result.has_value() ? std::string() : result.error().message;
}

} // namespace headscope::testing

#define VERIFY_OK(result) QCOMPARE(headscope::testing::failure(result), std::string())

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A session with what the figures of the paper need, and a figure of one panel from it.

#include "app/figures/documents/sessionfigure.h"
#include "app/figures/figurerecipe.h"
#include "core/analysis/convention.h"
#include "sessions/surveys.h"
#include "tests/support/sessionfixture.h"

#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::testing {

inline constexpr int kRows = 20; ///< of each task

/// Scores of one state on one task, so many of kRows right; `how` changes the conditions.
inline void score(sessions::SessionStore& session, const std::string& task, const std::string& ablation, int right,
                  const std::string& version = {}, const std::function<void(sessions::SeriesKey&)>& how = {})
{
    const auto some = examples(kRows, task);
    QCOMPARE(failure(session.putExamples(some)), std::string());
    std::vector<sessions::ResultRecord> results;
    for (const auto& example : some)
        results.push_back(resultFor(example, example.row < right));
    auto key = series(ablation);
    key.task = task;
    key.taskVersion = version;
    if (how)
        how(key);
    QCOMPARE(failure(session.putResults(key, results)), std::string());
}

inline sessions::PatternRecord pattern(const std::string& head, int tokens, float diagonal)
{
    sessions::PatternRecord record;
    record.modelHash = exampleModel().hash;
    record.dtype = "fp32";
    record.head = head;
    record.convention = {};
    record.prompt = "red Paris blue Oslo : red";
    record.values = Matrix(tokens, tokens);
    for (int r = 0; r < tokens; ++r) {
        record.tokens.push_back("t" + std::to_string(r));
        for (int c = 0; c <= r; ++c)
            record.values.at(r, c) = c == r ? diagonal : (1 - diagonal) / static_cast<float>(r);
    }
    record.segments = {{Role::Key, 1, 2, true},
                       {Role::Value, 2, 3, true},
                       {Role::Key, 3, 4, false},
                       {Role::Value, 4, 5, false},
                       {Role::Query, 6, 8, false}};
    record.source = "toy_kv:pairs=8, sample 0";
    return record;
}

/// What the commands leave behind when a person has measured all that the figures need.
inline std::string fillAll(sessions::SessionStore& session)
{
    if (const std::string problem = fill(session); !problem.empty())
        return problem;
    int right = kRows;
    for (const char* task : {"toy_kv:pairs=4", "toy_kv:pairs=16", "toy_kv:pairs=24"}) {
        score(session, task, "", right--);
        score(session, task, "L2H5", right - 12);
    }
    score(session, "toy_mc", "", 18);
    for (const char* ablation : {"L2H5", "skip:L0", "skip:L1", "skip:L2", "upto:L0", "upto:L1"})
        score(session, "toy_mc", ablation, 5);
    sessions::RankingRecord ranking;
    ranking.modelHash = exampleModel().hash;
    ranking.dtype = "fp32";
    ranking.device = "cpu";
    ranking.task = "toy_kv:pairs=8";
    for (const char* method : {"exact", "gather", "aggregate"}) {
        ranking.method = method;
        ranking.heads = {
            {"L2H5", 0.03, -0.95, -0.97, -0.92}, {"L0H1", 0.5, -0.5, -0.6, -0.4}, {"L1H0", 0.98, 0, -0.01, 0.01}};
        if (ranking.method == "gather")
            ranking.heads[1].value = 0.9;
        if (ranking.method == "aggregate")
            ranking.heads[0].value = 0.8;
        if (const auto added = session.addRanking(ranking); !added.has_value())
            return added.error().message;
    }
    sessions::SurveyRecord survey{{exampleModel().hash, "tokenizer", "fp32", "cpu", "", "texts", "{}", 1}, "stories"};
    survey.tokens = 1000;
    std::vector<sessions::SurveyHead> heads;
    for (const auto& [head, aggregate] : {std::pair("L2H5", 0.7), std::pair("L0H1", 0.2), std::pair("L1H0", 0.1)})
        heads.push_back({head, {1}, {{"aggregate", 900, aggregate}}, "x"});
    if (const auto put = sessions::putSurvey(session, survey, heads); !put.has_value())
        return put.error().message;
    for (const auto& [head, diagonal] : {std::pair("L0H1", 0.1F), std::pair("L2H5", 0.8F)})
        if (const auto put = session.putPattern(pattern(head, 9, diagonal)); !put.has_value())
            return put.error().message;
    return {};
}

inline sessions::ModelRecord threeLayers()
{
    sessions::ModelRecord model = exampleModel();
    model.headsJson =
        R"([[{"kind":"attention","heads":8}],[{"kind":"attention","heads":8}],[{"kind":"attention","heads":8},{"kind":"mamba2","heads":4}]])";
    return model;
}

class FigureFixture
{
public:
    /// Empty when all is well, else why not.
    [[nodiscard]] std::string open()
    {
        auto opened = sessions::SessionStore::open(file().toStdString());
        if (!opened.has_value())
            return opened.error().message;
        m_session.emplace(std::move(*opened));
        const std::string problem = fillAll(*m_session);
        return problem.empty() ? failure(m_session->putModel(threeLayers())) : problem;
    }
    [[nodiscard]] QString file() const { return m_folder.filePath(QStringLiteral("a.session")); }
    [[nodiscard]] sessions::SessionStore& session() { return *m_session; }
    /// Of one panel; where it cannot be drawn its title says why.
    [[nodiscard]] widgets::Figure made(const figures::PanelRecipe& panel)
    {
        const auto figure = figures::makeFigure(*m_session, figures::Recipe{.panels = {panel}});
        return figure.has_value() ? *figure : widgets::Figure{.title = QString::fromStdString(figure.error().message)};
    }

private:
    QTemporaryDir m_folder;
    std::optional<sessions::SessionStore> m_session;
};

} // namespace headscope::testing

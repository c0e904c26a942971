// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/models/trust.h"

#include "core/analysis/statistics.h"

#include <algorithm>
#include <cmath>

namespace headscope::app {

namespace {

constexpr int kFirstHeads = 10; // whose sharing is told

bool sameAnswer(tasks::Scoring scoring, const engine::Rows& a, const engine::Rows& b, std::size_t row)
{
    const tasks::Judgement &one = *a.results[row].judgement, &other = *b.results[row].judgement;
    switch (scoring) {
    case tasks::Scoring::MultipleChoice: return one.prediction == other.prediction;
    case tasks::Scoring::LogLikelihood: return one.correct == other.correct;
    case tasks::Scoring::Generation: return a.outcomes[row]->generated == b.outcomes[row]->generated;
    }
    return false;
}

void compareLikelihoods(const tasks::Outcome& reference, const tasks::Outcome& other, TrustedTask& told)
{
    const std::size_t count = std::min(reference.logLikelihoods.size(), other.logLikelihoods.size());
    for (std::size_t i = 0; i < count; ++i) {
        const double difference = other.logLikelihoods[i] - reference.logLikelihoods[i];
        told.meanDifference += difference;
        told.meanAbsolute += std::abs(difference);
        told.largest = std::max(told.largest, std::abs(difference));
        ++told.continuations;
    }
}

void judgeRows(const TaskMeasured& reference, const TaskMeasured& other, TrustedTask& told)
{
    for (const tasks::LeafTask& leaf : reference.benchmark->set().leaves)
        for (std::size_t row = leaf.begin; row < leaf.end; ++row) {
            const auto &before = reference.rows.results[row], &now = other.rows.results[row];
            if (!before.judgement || !now.judgement || !reference.rows.outcomes[row] || !other.rows.outcomes[row])
                continue;
            ++told.examples;
            told.changed += !sameAnswer(leaf.scoring, reference.rows, other.rows, row);
            told.lost += before.judgement->correct && !now.judgement->correct;
            told.gained += !before.judgement->correct && now.judgement->correct;
            compareLikelihoods(*reference.rows.outcomes[row], *other.rows.outcomes[row], told);
        }
    if (told.continuations > 0) {
        told.meanDifference /= static_cast<double>(told.continuations);
        told.meanAbsolute /= static_cast<double>(told.continuations);
    }
}

Result<void> compareScores(const TaskMeasured& reference, const TaskMeasured& other, TrustedTask& told)
{
    for (const auto& [measured, value] : {std::pair(&reference, &told.reference), std::pair(&other, &told.value)}) {
        const auto scores = tasks::aggregate(measured->benchmark->set(), measured->rows.results, {0});
        if (!scores.has_value())
            return scores.error();
        if (scores->empty())
            continue;
        *value = scores->front().value;
        told.metric = scores->front().metric;
    }
    return {};
}

void compareHeads(const TaskMeasured& reference, const TaskMeasured& other, TrustedTask& told)
{
    std::vector<double> before, now;
    for (const auto& [head, same] : engine::sameHeads(reference.heads, other.heads)) {
        if (!head->fault.empty() || !same->fault.empty())
            continue;
        before.push_back(head->margin); // tells heads apart where the score does not
        now.push_back(same->margin);
    }
    const auto correlation = analysis::spearman(before, now);
    if (!correlation.has_value())
        return;
    told.heads = *correlation;
    told.headsInterval = analysis::rankInterval(*correlation);
    told.first = std::min(kFirstHeads, static_cast<int>(before.size()) / 2);
    told.shared = static_cast<int>(engine::sameTop(reference.heads, other.heads, told.first));
}

} // namespace

Result<TaskMeasured> measureTask(OpenModel& open, sessions::SessionStore* session, const Settings& settings,
                                 tasks::TaskSet set, std::optional<RankMethod> method, const Control& control)
{
    TaskMeasured measured;
    auto benchmark = makeBenchmark(open, std::move(set), settings.boundary);
    if (!benchmark.has_value())
        return benchmark.error();
    measured.benchmark = *benchmark;
    auto rows = rowsWithInterventions(open, session, *measured.benchmark, {}, control);
    if (!rows.has_value())
        return rows.error();
    measured.rows = std::move(*rows);
    if (!method)
        return measured;
    HeadRanking ranking(open, settings, *measured.benchmark, {.method = *method});
    for (bool more = true; more;) {
        const auto stepped = ranking.step(session, control);
        if (!stepped.has_value())
            return stepped.error();
        more = *stepped;
    }
    measured.heads = ranking.sorted();
    return measured;
}

Result<TrustedTask> compareForms(const TaskMeasured& reference, const TaskMeasured& other)
{
    if (reference.benchmark->hashes() != other.benchmark->hashes())
        return inputError("The two runs of '" + reference.benchmark->set().name + "' used different examples.");
    TrustedTask told;
    told.task = reference.benchmark->set().name;
    judgeRows(reference, other, told);
    if (const auto scores = compareScores(reference, other, told); !scores.has_value())
        return scores.error();
    compareHeads(reference, other, told);
    return told;
}

} // namespace headscope::app

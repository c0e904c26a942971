// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ranking/race.h"

#include "core/base/shuffle.h"
#include "core/engine/ranking/margin.h"
#include "core/engine/replacements.h"
#include "core/tasks/task.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope::engine {

using interventions::HeadRef;
using interventions::InterventionSet;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double scoreOf(const Rows& rows, std::size_t example)
{
    const auto& judgement = rows.results[example].judgement;
    return judgement && !judgement->values.empty() ? judgement->values.front() : kNone;
}

double marginOf(const tasks::TaskSet& set, const Rows& rows, std::size_t example)
{
    return rows.outcomes[example] ? margin(set.examples[example], *rows.outcomes[example]).value_or(kNone) : kNone;
}

/// Means over the rows that both have, and the interval of their difference.
struct Difference {
    double mean = 0; ///< one minus other
    analysis::Interval interval;
    bool known = false;
};

Difference difference(const std::vector<double>& one, const std::vector<double>& other, double confidence,
                      std::size_t all)
{
    std::vector<double> a, b;
    const std::size_t count = std::min(one.size(), other.size());
    for (std::size_t i = 0; i < count; ++i) {
        if (!std::isfinite(one[i]) || !std::isfinite(other[i]))
            continue;
        a.push_back(one[i]);
        b.push_back(other[i]);
    }
    const auto t = analysis::pairedT(b, a, confidence);
    if (!t.has_value())
        return {};
    // Examples are drawn without replacement: with all of them taken nothing is left uncertain.
    const double left = std::sqrt(std::max(0.0, 1.0 - static_cast<double>(count) / static_cast<double>(all)));
    return {t->difference,
            {t->difference - left * (t->difference - t->interval.low),
             t->difference + left * (t->interval.high - t->difference)},
            true};
}

double meanOf(const std::vector<double>& values)
{
    double sum = 0;
    int n = 0;
    for (const double value : values)
        if (std::isfinite(value)) {
            sum += value;
            ++n;
        }
    return n > 0 ? sum / n : 0;
}

} // namespace

Result<Race> Race::start(const Benchmark& benchmark, InterventionSet fixed, std::vector<HeadRef> heads,
                         const Scorer& scorer, Measure measure, const RaceOptions& options)
{
    if (dependsOnAllExamples(fixed))
        return inputError(
            "'" + fixed.canonical()
            + "' uses values of all examples, but a race runs only some of them; rank with --method exact.");
    if (const auto count = static_cast<int>(heads.size()); options.top < 1 || options.top >= count) {
        std::string sentence = "A race is for the first 1 to ";
        sentence.append(std::to_string(count - 1)).append(" of ").append(std::to_string(count)).append(" heads; got ");
        sentence.append(std::to_string(options.top)).append(".");
        return inputError(std::move(sentence));
    }
    Race race;
    race.m_benchmark = &benchmark;
    race.m_fixed = std::move(fixed);
    race.m_scorer = &scorer;
    race.m_measure = std::move(measure);
    race.m_options = options;
    for (const HeadRef& head : heads)
        race.m_heads.push_back({.head = head});
    race.m_order.resize(benchmark.set().examples.size());
    std::iota(race.m_order.begin(), race.m_order.end(), std::size_t{0});
    shuffle(race.m_order, options.seed);
    return race;
}

Result<void> Race::startRound()
{
    const std::size_t first = m_taken;
    const std::size_t taken = nextRound();
    std::vector<std::size_t> examples(m_order.begin() + static_cast<std::ptrdiff_t>(first),
                                      m_order.begin() + static_cast<std::ptrdiff_t>(taken));
    std::sort(examples.begin(), examples.end());
    if (!m_nextPart) {
        auto part = m_benchmark->part(examples, *m_scorer);
        if (!part.has_value())
            return part.error();
        m_nextPart = std::move(*part);
    }
    if (m_options.prepare) {
        std::vector<HeadRef> running;
        for (const Runner& runner : m_heads)
            if (runner.status == Status::Running)
                running.push_back(runner.head);
        if (const auto prepared = m_options.prepare(*m_nextPart, removalStates(m_fixed, running));
            !prepared.has_value())
            return prepared;
    }
    auto rows = m_measure(*m_nextPart, m_fixed);
    if (!rows.has_value())
        return rows.error();
    m_part = std::move(m_nextPart);
    m_partBaseline = std::move(*rows);
    m_taken = taken;
    for (std::size_t i = 0; i < examples.size(); ++i)
        m_baselineScores.push_back(scoreOf(m_partBaseline, i));
    if (m_metric.empty()) {
        const auto scores = tasks::aggregate(m_part->set(), m_partBaseline.results, {.bootstrapResamples = 0});
        if (!scores.has_value())
            return scores.error();
        if (scores->empty())
            return inputError("None of the first " + std::to_string(taken) + " rows of '" + m_benchmark->set().name
                              + "' could be scored, so heads cannot be ranked by it.");
        m_metric = scores->front().metric;
        m_higherIsBetter = scores->front().higherIsBetter;
    }
    m_next = 0;
    return {};
}

Result<void> Race::step()
{
    if (!m_part)
        return startRound();
    while (m_next < m_heads.size() && m_heads[m_next].status != Status::Running)
        ++m_next;
    if (m_next < m_heads.size()) {
        Runner& runner = m_heads[m_next];
        const auto rows = m_measure(*m_part, without(m_fixed, std::span(&runner.head, 1)));
        if (!rows.has_value())
            return rows.error();
        const tasks::TaskSet& set = m_part->set();
        for (std::size_t i = 0; i < set.examples.size(); ++i) {
            runner.score.push_back(scoreOf(*rows, i) - scoreOf(m_partBaseline, i));
            runner.margin.push_back(marginOf(set, *rows, i) - marginOf(set, m_partBaseline, i));
        }
        m_runs += static_cast<std::int64_t>(set.examples.size());
        ++m_next;
    }
    const bool roundIsOver = std::none_of(m_heads.begin() + static_cast<std::ptrdiff_t>(m_next), m_heads.end(),
                                          [](const Runner& r) { return r.status == Status::Running; });
    if (!roundIsOver)
        return {};
    m_part.reset();
    decide();
    return {};
}

bool Race::ahead(const Runner& one, const Runner& other, double confidence) const
{
    const Difference score = difference(one.score, other.score, confidence, m_order.size());
    if (score.known && score.interval.high < 0)
        return true;
    if (score.known && (score.interval.low > 0 || score.mean > 0))
        return false;
    const Difference margins = difference(one.margin, other.margin, confidence, m_order.size());
    if (!margins.known || margins.interval.high >= 0)
        return false;
    const auto change = [&](const Runner& runner) {
        return difference(runner.margin, std::vector<double>(runner.margin.size(), 0.0), confidence, m_order.size())
            .interval;
    };
    return change(one).high < -kNoMarginChange || change(other).low > kNoMarginChange; // else neither change counts
}

bool Race::same(const Runner& one, const Runner& other) const
{
    int rows = 0;
    for (std::size_t i = 0; i < std::min(one.margin.size(), other.margin.size()); ++i) {
        if (!std::isfinite(one.margin[i]) || !std::isfinite(other.margin[i]))
            continue;
        if (one.margin[i] != other.margin[i] || one.score[i] != other.score[i])
            return false;
        ++rows;
    }
    return rows >= m_options.firstExamples;
}

void Race::decide()
{
    if (m_taken == m_order.size()) {
        m_done = true; // the order is exact now
        return;
    }
    // A wrong set needs a head of the true set that is thrown out, or one from outside that is let in: either way one
    // of top * (heads - top) comparisons, by score or by margin, went wrong at one of the looks.
    const auto heads = m_heads.size(), top = static_cast<std::size_t>(m_options.top);
    const double looks =
        1 + std::ceil(std::log2(std::max(1.0, static_cast<double>(m_order.size()) / m_options.firstExamples)));
    const double each = m_options.errorProbability / (2 * static_cast<double>(top * (heads - top)) * looks),
                 confidence = 1 - 2 * each;
    const std::vector<std::size_t> order = ordered();
    std::vector<std::size_t> settledPairs(heads);
    for (std::size_t i = 0; i < top; ++i)
        for (std::size_t j = top; j < heads; ++j) {
            const Runner &inside = m_heads[order[i]], &outside = m_heads[order[j]];
            const bool settled = inside.status == Status::In || outside.status == Status::Out || same(inside, outside);
            if (settled || ahead(inside, outside, confidence)) {
                ++settledPairs[order[i]];
                ++settledPairs[order[j]];
            }
        }
    for (std::size_t i = 0; i < heads; ++i) {
        Runner& runner = m_heads[order[i]];
        if (runner.status == Status::Running && settledPairs[order[i]] == (i < top ? heads - top : top))
            runner.status = i < top ? Status::In : Status::Out;
    }
    m_done = undecided() == 0 || nextRound() <= m_taken;
}

// Examples taken after the next round: twice as many, unless that is more than all, or more work than is allowed.
std::size_t Race::nextRound() const
{
    const std::size_t doubled = m_taken == 0 ? static_cast<std::size_t>(m_options.firstExamples) : 2 * m_taken;
    if (m_taken == 0 || m_options.work >= 1)
        return std::min(doubled, m_order.size());
    const double left = m_options.work * static_cast<double>(runsOfAll()) - static_cast<double>(m_runs);
    const auto affordable = static_cast<std::size_t>(std::max(0.0, left) / std::max(1, undecided()));
    return std::min({doubled, m_order.size(), m_taken + affordable});
}

int Race::certain() const
{
    return exact() ? m_options.top
                   : static_cast<int>(std::count_if(m_heads.begin(), m_heads.end(),
                                                    [](const Runner& runner) { return runner.status == Status::In; }));
}

int Race::undecided() const
{
    return static_cast<int>(std::count_if(m_heads.begin(), m_heads.end(),
                                          [](const Runner& runner) { return runner.status == Status::Running; }));
}

std::vector<std::size_t> Race::ordered() const
{
    std::vector<std::size_t> order(m_heads.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::pair<double, double>> key;
    for (const Runner& runner : m_heads)
        key.emplace_back(meanOf(runner.score), orderedMargin(meanOf(runner.margin)));
    const auto group = [&](std::size_t i) {
        return m_heads[i].status == Status::In ? 0 : m_heads[i].status == Status::Running ? 1 : 2;
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return group(a) != group(b) ? group(a) < group(b) : key[a] < key[b];
    });
    // Within the set that was found, heads that left early stand by what was measured of them.
    std::stable_sort(order.begin(),
                     order.begin() + std::min<std::ptrdiff_t>(m_options.top, static_cast<std::ptrdiff_t>(order.size())),
                     [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
    return order;
}

RankedHead Race::rankedHead(const Runner& runner) const
{
    std::vector<double> before, after;
    analysis::PairedCounts counts;
    bool binary = true;
    for (std::size_t i = 0; i < runner.score.size(); ++i) {
        if (!std::isfinite(runner.score[i]))
            continue;
        before.push_back(m_baselineScores[i]);
        after.push_back(m_baselineScores[i] + runner.score[i]);
        binary = binary && (before.back() == 0 || before.back() == 1) && (after.back() == 0 || after.back() == 1);
        counts.add(before.back() == 1, after.back() == 1);
    }
    RankedHead head{.head = runner.head,
                    .value = meanOf(after),
                    .delta = meanOf(after) - meanOf(before),
                    .margin = meanOf(runner.margin),
                    .n = static_cast<int>(after.size())};
    if (!m_higherIsBetter) { // perplexity: rows are log-likelihoods
        head.value = std::exp(-meanOf(after));
        head.delta = head.value - std::exp(-meanOf(before));
    }
    const auto t = analysis::pairedT(before, after);
    if (binary) {
        const analysis::PairedChange change = analysis::pairedChange(counts);
        head.interval = change.interval;
        head.p = change.p;
    } else if (t.has_value()) {
        head.p = t->p;
        head.kind = analysis::kMeanInterval;
        head.interval =
            m_higherIsBetter
                ? t->interval
                : analysis::Interval{std::exp(-meanOf(before) - t->interval.high) - std::exp(-meanOf(before)),
                                     std::exp(-meanOf(before) - t->interval.low) - std::exp(-meanOf(before))};
    }
    return head;
}

std::vector<RankedHead> Race::sorted() const
{
    std::vector<RankedHead> heads;
    for (const std::size_t i : ordered())
        if (!m_heads[i].score.empty())
            heads.push_back(rankedHead(m_heads[i]));
    return heads;
}

tasks::Score Race::baseline() const
{
    tasks::Score score{.task = m_benchmark->set().name,
                       .metric = m_metric,
                       .filter = "none",
                       .extent = "subset",
                       .higherIsBetter = m_higherIsBetter};
    score.n = static_cast<int>(std::count_if(m_baselineScores.begin(), m_baselineScores.end(),
                                             [](double value) { return std::isfinite(value); }));
    score.value = m_higherIsBetter ? meanOf(m_baselineScores) : std::exp(-meanOf(m_baselineScores));
    return score;
}

} // namespace headscope::engine

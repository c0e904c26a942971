// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/heads/headranking.h"

#include "app/workbench/scores/workportion.h"

#include <algorithm>
#include <set>

namespace headscope::app {

namespace {
constexpr int kRaceFor = 10; // heads
} // namespace

HeadRanking::HeadRanking(OpenModel& open, const Settings& settings, const engine::Benchmark& benchmark,
                         RankOptions options)
    : m_open(&open), m_settings(settings), m_benchmark(&benchmark), m_options(std::move(options))
{
    if (m_options.heads.empty())
        m_options.heads = engine::allHeads(open.spec());
    if (m_options.top == 0)
        m_options.top = std::min(kRaceFor, std::max(static_cast<int>(m_options.heads.size()) - 1, 1));
}

// One portion a step: who drives the ranking can do other things behind each.
Result<engine::Rows> HeadRanking::measure(const engine::Benchmark& benchmark, const interventions::InterventionSet& set)
{
    if (!m_measuring || m_measuring->hashes != benchmark.hashes() || !(m_measuring->set == set))
        m_measuring = Measuring{benchmark.hashes(), set, m_session, &benchmark, benchmark.emptyRows(), {}};
    Measuring& now = *m_measuring;
    if (!now.evaluation || now.session != m_session || now.benchmark != &benchmark) {
        auto begun = Evaluation::begin(m_session, m_open->subject, benchmark, set, now.rows, {});
        if (!begun.has_value())
            return begun.error();
        now.evaluation = std::move(*begun);
        now.session = m_session;
        now.benchmark = &benchmark;
    }
    const auto portion = engine::nextPortion(benchmark, now.rows, portionTokens(m_open->spec()));
    if (!portion.rows.empty())
        if (const auto ran =
                now.evaluation->run(*m_open->scorer, m_open->donors, now.rows, {}, {m_stop, {}}, portion.rows);
            !ran.has_value())
            return ran.error();
    if (!engine::nextPortion(benchmark, now.rows, 0).rows.empty())
        return cancelledError();
    engine::Rows rows = std::move(now.rows);
    m_measuring.reset();
    return rows;
}

// A measurement that is not over looks like one that was stopped.
Result<bool> HeadRanking::unlessUnfinished(Result<bool> more) const
{
    const bool unfinished = !more.has_value() && more.error().kind == Error::Kind::Cancelled && m_measuring;
    return unfinished && !m_stop.stop_requested() ? Result<bool>(true) : more;
}

Result<bool> HeadRanking::step(sessions::SessionStore* session, const Control& control)
{
    m_session = session;
    m_stop = control.stop;
    const bool exact = m_options.method == RankMethod::Exact, race = m_options.method == RankMethod::Race;
    if ((exact && !m_removal) || (race && !m_race))
        if (const auto fits = engine::checkRemovals(m_open->spec(), m_options.fixed, m_options.heads, m_open->donors);
            !fits.has_value())
            return fits.error();
    if (exact)
        return unlessUnfinished(stepExact(control));
    if (race)
        return unlessUnfinished(stepRace(control));
    if (m_options.method == RankMethod::Estimate)
        return stepEstimate(control);
    if (m_whole)
        return false;
    const auto done = byPattern(control);
    return done.has_value() ? Result<bool>(false) : Result<bool>(done.error());
}

void HeadRanking::add(const std::vector<interventions::HeadRef>& heads)
{
    if (m_removal)
        m_removal->add(heads);
    else
        m_options.heads.insert(m_options.heads.end(), heads.begin(), heads.end());
}

Result<bool> HeadRanking::stepExact(const Control& control)
{
    if (!m_removal) {
        auto removal = engine::RemovalRanking::start(
            *m_benchmark, m_options.fixed, m_options.heads,
            [this](const interventions::InterventionSet& set) { return measure(*m_benchmark, set); });
        if (!removal.has_value())
            return removal.error();
        m_removal = std::move(*removal);
        return !m_removal->done();
    }
    if (!m_removal->done()) {
        if (const auto measured = m_removal->step(); !measured.has_value())
            return measured.error();
        control.progress("removing one head after the other", static_cast<std::int64_t>(m_removal->measured().size()),
                         m_removal->total());
    }
    return !m_removal->done();
}

Result<bool> HeadRanking::stepRace(const Control& control)
{
    if (!m_race) {
        auto race =
            engine::Race::start(*m_benchmark, m_options.fixed, m_options.heads, *m_open->scorer,
                                [this](const engine::Benchmark& part, const interventions::InterventionSet& set) {
                                    return measure(part, set);
                                },
                                {.top = m_options.top,
                                 .errorProbability = m_options.errorProbability,
                                 .seed = m_settings.seed,
                                 .prepare = m_options.prepare,
                                 .work = m_options.work});
        if (!race.has_value())
            return race.error();
        m_race = std::move(*race);
        return true;
    }
    if (!m_race->done())
        if (const auto stepped = m_race->step(); !stepped.has_value())
            return stepped.error();
    control.progress("racing, " + std::to_string(m_race->undecided()) + " heads open", m_race->runsDone(),
                     m_race->runsOfAll());
    return !m_race->done();
}

Result<void> HeadRanking::startEstimate()
{
    const std::int64_t weights = m_open->loaded.resident + m_open->memoryTaken;
    auto estimate = engine::RemovalEstimate::start(
        *m_benchmark, *m_open->loaded.model, m_options.fixed, m_open->donors,
        {.steps = m_options.steps,
         .agreement = m_options.agreement,
         .seed = m_settings.seed,
         .memory = m_settings.memory > 0 ? std::max<std::int64_t>(m_settings.memory - weights, 1) : 0});
    if (!estimate.has_value())
        return estimate.error();
    m_estimate = std::move(*estimate);
    return {};
}

Result<void> HeadRanking::measurePieces(const Control& control)
{
    const auto started = startEstimate();
    return started.has_value() ? m_estimate->measureAll(m_options.pieces, control) : started;
}

Result<bool> HeadRanking::stepEstimate(const Control& control)
{
    if (!m_estimate)
        if (const auto started = startEstimate(); !started.has_value())
            return started.error();
    const std::int64_t before = m_estimate->examples();
    const auto all = [&] {
        const auto ran = m_estimate->run(m_options.pieces, control);
        return ran.has_value() ? Result<bool>(false) : Result<bool>(ran.error());
    };
    const auto more = m_options.pieces ? all() : m_estimate->step(control);
    if (m_estimate->examples() > before) {
        engine::Estimate estimate = m_estimate->estimate();
        m_whole = std::move(estimate.heads);
        m_agreement = estimate.agreement;
        m_forecast = estimate.forecast;
    }
    return more;
}

Result<void> HeadRanking::byPattern(const Control& control)
{
    const auto kind =
        m_options.method == RankMethod::Gather ? engine::PatternScore::Gather : engine::PatternScore::Aggregate;
    const engine::PatternPrompts prompts{m_benchmark->set(), *m_open->tokenizer, m_open->subject.bos};
    auto scored = engine::rankByPattern(*m_open->loaded.model, prompts, kind, m_options.fixed, control);
    if (!scored.has_value())
        return scored.error();
    const auto uniform = engine::uniformPatternScore(prompts, kind);
    if (!uniform.has_value())
        return uniform.error();
    m_whole = std::move(*scored);
    m_uniform = *uniform;
    return {};
}

std::vector<engine::RankedHead> HeadRanking::measured() const
{
    return m_removal ? m_removal->measured() : sorted();
}

std::vector<engine::RankedHead> HeadRanking::sorted() const
{
    if (m_removal)
        return m_removal->sorted();
    if (m_race)
        return m_race->done() ? m_race->sorted() : std::vector<engine::RankedHead>();
    std::vector<engine::RankedHead> chosen = m_whole.value_or(std::vector<engine::RankedHead>());
    if (chosen.size() != m_options.heads.size()) {
        const std::set<interventions::HeadRef> wanted(m_options.heads.begin(), m_options.heads.end());
        std::erase_if(chosen, [&](const engine::RankedHead& head) { return !wanted.contains(head.head); });
    }
    return chosen;
}

std::int64_t HeadRanking::known() const
{
    if (m_removal)
        return static_cast<std::int64_t>(m_removal->measured().size());
    return m_estimate ? m_estimate->examples() : static_cast<std::int64_t>(sorted().size());
}

tasks::Score HeadRanking::baseline() const
{
    if (m_removal)
        return m_removal->baseline();
    return m_race ? m_race->baseline() : tasks::Score();
}

std::optional<RaceReport> HeadRanking::race() const
{
    if (!m_race || !m_race->done())
        return std::nullopt;
    return RaceReport{m_race->exact(),
                      m_race->certain(),
                      m_race->exact() ? 0 : m_options.errorProbability,
                      static_cast<double>(m_race->runsDone()) / static_cast<double>(m_race->runsOfAll()),
                      m_options.top,
                      m_race->examplesUsed()};
}

} // namespace headscope::app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/ranking.h"

#include "core/engine/ranking/attribution.h"

namespace headscope::app {

using interventions::InterventionSet;

namespace {
constexpr int kRaceFor = 10;      // heads
constexpr int kEstimateSteps = 4; // one alone sees little in a model that is sure of its answers
} // namespace

bool RankJob::fits(Backend::State& state) const
{
    const auto open = state.opened(m_request.side);
    return open.has_value() && (!m_model || *open == m_model);
}

Result<void> RankJob::start(Backend::State& state)
{
    const auto model = state.opened(m_request.side);
    if (!model.has_value())
        return model.error();
    const auto benchmark = state.benchmark(**model, m_request.task, m_request.limit);
    if (!benchmark.has_value())
        return benchmark.error();
    m_model = *model;
    m_benchmark = *benchmark;
    return {};
}

Result<engine::Rows> RankJob::measure(const engine::Benchmark& benchmark, const InterventionSet& set)
{
    engine::Rows rows = benchmark.emptyRows();
    const auto run = evaluate(m_state->session(), m_model->subject, *m_model->scorer, benchmark, set, {}, rows, {},
                              {m_control.stop, {}});
    return run.has_value() ? Result<engine::Rows>(std::move(rows)) : Result<engine::Rows>(run.error());
}

Result<bool> RankJob::step(Backend::State& state, const Control& control)
{
    m_state = &state;
    m_control = control;
    if (!m_model)
        if (const auto started = start(state); !started.has_value())
            return started.error();
    switch (m_request.method) {
    case RankMethod::Exact: return stepExact();
    case RankMethod::Race: return stepRace();
    default: return allAtOnce(state);
    }
}

Result<bool> RankJob::stepExact()
{
    if (!m_removal) {
        auto removal =
            engine::RemovalRanking::start(*m_benchmark, {}, engine::allHeads(m_model->loaded.model->spec()),
                                          [this](const InterventionSet& set) { return measure(*m_benchmark, set); });
        if (!removal.has_value())
            return removal.error();
        m_removal = std::move(*removal);
        return true;
    }
    if (!m_removal->done()) {
        if (const auto measured = m_removal->step(); !measured.has_value())
            return measured.error();
        m_values.push_back(valueOf(m_removal->measured().back()));
        m_control.progress("ranking heads", static_cast<std::int64_t>(m_values.size()), m_removal->total());
    }
    return !m_removal->done();
}

Result<bool> RankJob::stepRace()
{
    const auto heads = engine::allHeads(m_model->loaded.model->spec());
    if (!m_race) {
        auto race = engine::Race::start(
            *m_benchmark, {}, heads,
            [this](tasks::TaskSet set) {
                return engine::Benchmark::make(std::move(set), *m_model->scorer, *m_model->tokenizer,
                                               m_model->subject.bos);
            },
            [this](const engine::Benchmark& part, const InterventionSet& set) { return measure(part, set); },
            {.top = std::min(kRaceFor, static_cast<int>(heads.size()) - 1)});
        if (!race.has_value())
            return race.error();
        m_race = std::move(*race);
        return true;
    }
    if (!m_race->done())
        if (const auto stepped = m_race->step(); !stepped.has_value())
            return stepped.error();
    m_control.progress("racing heads", static_cast<std::int64_t>(heads.size()) - m_race->undecided(),
                       static_cast<std::int64_t>(heads.size()));
    if (!m_race->done())
        return true;
    m_values.clear();
    for (const engine::RankedHead& head : m_race->sorted())
        m_values.push_back(valueOf(head));
    return false;
}

Result<bool> RankJob::allAtOnce(Backend::State& state)
{
    if (!m_values.empty())
        return false;
    const lm::Model& network = *m_model->loaded.model;
    const auto kind =
        m_request.method == RankMethod::Gather ? engine::PatternScore::Gather : engine::PatternScore::Aggregate;
    std::vector<engine::RankedHead> ranked;
    if (m_request.method == RankMethod::Estimate) {
        auto estimate = engine::estimateRemovals(*m_benchmark, network, {}, state.donors(*m_model), m_control,
                                                 {.steps = kEstimateSteps});
        if (!estimate.has_value())
            return estimate.error();
        ranked = std::move(estimate->heads);
    } else {
        auto scored =
            engine::rankByPattern(network, *m_model->tokenizer, m_benchmark->set().examples, kind, {}, m_control);
        if (!scored.has_value())
            return scored.error();
        ranked = std::move(*scored);
    }
    for (const engine::RankedHead& head : ranked)
        m_values.push_back(valueOf(head));
    return false;
}

HeadValue RankJob::valueOf(const engine::RankedHead& ranked) const
{
    const auto mixer = lm::findMixer(m_model->loaded.model->spec(), ranked.head);
    return {.head = ranked.head,
            .attention = (*mixer)->kind == lm::MixerKind::Attention,
            .value = ranked.value,
            .delta = ranked.delta,
            .low = ranked.interval.low,
            .high = ranked.interval.high,
            .margin = ranked.margin,
            .n = ranked.n,
            .estimate = ranked.estimate};
}

} // namespace headscope::app

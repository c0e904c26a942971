// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/ranking.h"

#include "app/backend/promptanalyses.h"
#include "core/engine/ranking/manyheads.h"

#include <algorithm>
#include <map>

namespace headscope::app {

namespace {

/// Those of `first` that are heads of the model, then the others.
std::vector<interventions::HeadRef> inOrder(const std::vector<interventions::HeadRef>& first,
                                            std::vector<interventions::HeadRef> all)
{
    std::map<interventions::HeadRef, std::size_t> places;
    for (const interventions::HeadRef& head : first)
        places.emplace(head, places.size());
    const auto placeOf = [&](const interventions::HeadRef& head) {
        const auto found = places.find(head);
        return found == places.end() ? places.size() : found->second;
    };
    std::ranges::stable_sort(all, {}, placeOf);
    return all;
}

bool isMeasured(RankMethod method)
{
    return method == RankMethod::Exact || method == RankMethod::Race;
}

} // namespace

bool RankJob::fits(Backend::State& state) const
{
    const auto open = state.opened(m_request.side);
    if (!m_model || !open.has_value() || *open != m_model)
        return open.has_value() && !m_model;
    const auto benchmark = state.benchmark(*m_model, m_request.task, m_request.limit); // a task's file may have changed
    return benchmark.has_value() && *benchmark == m_benchmark;
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
    m_identity = rankingQuestion(askedState(*m_model, interventions::InterventionSet()), *m_benchmark);
    RankOptions options{.method = m_request.method, .steps = m_request.steps};
    if (!m_request.first.empty())
        options.heads = inOrder(m_request.first, engine::allHeads(m_model->loaded.model->spec()));
    m_ranking = std::make_unique<HeadRanking>(*m_model, state.options(), *m_benchmark, std::move(options));
    return {};
}

Result<bool> RankJob::step(Backend::State& state, const Control& control)
{
    if (!m_model)
        if (const auto started = start(state); !started.has_value())
            return started.error();
    const auto more = m_ranking->step(state.session(), control);
    if (!more.has_value())
        return more;
    if (const std::int64_t known = m_ranking->known(); known != m_known) {
        m_known = known;
        m_values.clear();
        for (const engine::RankedHead& head : m_ranking->measured())
            m_values.push_back(valueOf(head));
    }
    if (!*more && isMeasured(m_request.method))
        testTogether();
    return more;
}

// When all are in: what one head may say depends on how many were looked at.
void RankJob::testTogether()
{
    const std::vector<engine::RankedHead> sorted = m_ranking->sorted();
    const engine::ManyHeads together = engine::testedTogether(sorted);
    std::map<interventions::HeadRef, std::size_t> places; // a Mamba has tens of thousands of channels
    for (std::size_t i = 0; i < sorted.size(); ++i)
        places.emplace(sorted[i].head, i);
    for (HeadValue& value : m_values) {
        const auto found = places.find(value.head);
        if (found == places.end() || !sorted[found->second].fault.empty())
            continue;
        value.p = sorted[found->second].p;
        value.holm = together.holm[found->second];
        value.falseDiscovery = together.falseDiscovery[found->second];
        value.group = together.group[found->second];
    }
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/scores/ranking.h"

#include "app/backend/why/promptanalyses.h"
#include "app/notebook/evaluation.h"
#include "app/workbench/heads/rankforecast.h"
#include "app/workbench/heads/shippedranking.h"
#include "core/engine/ranking/manyheads.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>

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

bool RankJob::fits(Models& models) const
{
    const auto open = models.opened(m_request.side);
    if (!m_model || !open.has_value() || *open != m_model)
        return open.has_value() && !m_model;
    const auto benchmark =
        models.benchmark(*m_model, m_request.task, m_request.limit); // a task's file may have changed
    return benchmark.has_value() && *benchmark == m_benchmark;
}

Result<void> RankJob::start(Models& models)
{
    const auto model = models.opened(m_request.side);
    if (!model.has_value())
        return model.error();
    const auto benchmark = models.benchmark(**model, m_request.task, m_request.limit);
    if (!benchmark.has_value())
        return benchmark.error();
    m_model = *model;
    m_benchmark = *benchmark;
    m_identity = rankingQuestion(questionState(*m_model, interventions::InterventionSet()), *m_benchmark);
    RankOptions options{.method = m_request.method, .steps = m_request.steps};
    if (!m_request.first.empty())
        options.heads = inOrder(m_request.first, engine::allHeads(m_model->loaded.model->spec()));
    m_ranking = std::make_unique<HeadRanking>(*m_model, models.options(), *m_benchmark, std::move(options));
    return m_request.method == RankMethod::Exact && !m_request.again ? takeShipped(models) : Result<void>();
}

Result<void> RankJob::takeShipped(Models& models)
{
    const interventions::InterventionSet none;
    const auto shipped = shippedRanking(models.options().resources / "rankings",
                                        exactRankingKey(questionState(*m_model, none), *m_benchmark));
    const std::vector<interventions::HeadRef> heads = engine::allHeads(m_model->loaded.model->spec());
    if (shipped.size() != heads.size())
        return {};
    if (models.session()) { // the last one is measured when all others are
        const auto known = Evaluation::known(*models.session(), m_model->subject, *m_benchmark,
                                             engine::without(none, std::span(&heads.back(), 1)));
        if (!known.has_value())
            return known.error();
        if (std::ranges::all_of(*known, std::identity()))
            return {};
    }
    for (const ShippedHead& head : shipped)
        if (const auto mixer = lm::findMixer(m_model->loaded.model->spec(), head.head); mixer.has_value())
            m_values.push_back({.head = head.head,
                                .attention = (*mixer)->kind == lm::MixerKind::Attention,
                                .value = head.value,
                                .delta = head.delta,
                                .low = head.low,
                                .high = head.high,
                                .margin = head.margin,
                                .p = head.p,
                                .holm = head.holm,
                                .falseDiscovery = head.falseDiscovery,
                                .group = head.group,
                                .n = head.n});
    m_shipped = m_values.size() == heads.size();
    if (!m_shipped)
        m_values.clear();
    return {};
}

Result<bool> RankJob::step(Models& models, const Control& control)
{
    if (!m_model)
        if (const auto started = start(models); !started.has_value())
            return started.error();
    if (m_shipped)
        return false;
    const auto more = m_ranking->step(models.session(), control);
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

namespace {

/// A ranking in steps; from the first one on it is held, also when a newer model is opened. `tell` is called behind
/// each with whether that was the last.
template <typename Reply>
Job<Reply> rankJob(const RankRequest& request, std::function<void(const RankJob&, bool, const Send<Reply>&)> news)
{
    const auto held = std::make_shared<std::shared_ptr<RankJob>>();
    return {.urgency = engine::Urgency::Background,
            .step = [=](Models& models, const engine::Turn& turn, const Send<Reply>& send) -> Result<engine::Next> {
                if (!*held)
                    *held = models.ranking(request);
                const auto more = (*held)->step(models, turn);
                if (!more.has_value())
                    return more.error();
                news(**held, !*more, send);
                return *more ? engine::Next::Again : engine::Next::End;
            },
            .failed =
                [request](Models& models, const Error& error) {
                    if (error.kind != Error::Kind::Cancelled)
                        models.forgetRanking(request);
                    return error;
                }};
}

/// Of estimated changes.
std::vector<HeadValue> asLosses(std::vector<HeadValue> heads)
{
    for (HeadValue& head : heads)
        head.value = -head.margin;
    return heads;
}

} // namespace

Job<HeadCosts> jobOf(const RankRequest& request)
{
    const auto known = std::make_shared<std::size_t>(0);
    return rankJob<HeadCosts>(request, [known](const RankJob& job, bool last, const Send<HeadCosts>& send) {
        if (job.values().size() > std::exchange(*known, job.values().size()) || last)
            send(std::make_shared<const HeadCosts>(HeadCosts{job.values(), job.identity(), job.isShipped()}));
    });
}

Job<std::vector<HeadValue>> jobOf(const EstimateRequest& request)
{
    RankRequest ranking = request.of;
    ranking.method = RankMethod::Estimate;
    const auto known = std::make_shared<int>(0);
    using Heads = std::vector<HeadValue>;
    return rankJob<Heads>(ranking, [known](const RankJob& job, bool last, const Send<Heads>& send) {
        const int examples = job.values().empty() ? 0 : job.values().front().n;
        if (examples > std::exchange(*known, examples) || last)
            send(std::make_shared<const Heads>(asLosses(job.values())));
    });
}

Job<RankForecast> jobOf(const ForecastRequest& request)
{
    struct OpenRanking {
        std::shared_ptr<Opened> model;
        std::shared_ptr<const engine::Benchmark> benchmark;
        std::optional<RankForecasting> forecasting;
    };
    return {.urgency = engine::Urgency::Background,
            .step = [of = request.of,
                     held = std::make_shared<OpenRanking>()](Models& models, const engine::Turn& turn,
                                                             const Send<RankForecast>& send) -> Result<engine::Next> {
                if (!held->forecasting) {
                    const auto model = models.opened(of.side);
                    if (!model.has_value())
                        return model.error();
                    const auto benchmark = models.benchmark(**model, of.task, of.limit);
                    if (!benchmark.has_value())
                        return benchmark.error();
                    held->model = *model;
                    held->benchmark = *benchmark;
                    held->forecasting.emplace(**model, **benchmark, of.steps);
                }
                const auto more = held->forecasting->step(turn);
                if (!more.has_value())
                    return more.error();
                if (*more)
                    return engine::Next::Again;
                RankForecast forecast = held->forecasting->forecast();
                // A race takes its examples from the whole benchmark.
                const auto whole = models.benchmark(*held->model, of.task);
                if (!whole.has_value())
                    return whole.error();
                for (RankCost& cost : forecast.costs)
                    if (cost.method == RankMethod::Race)
                        cost.seconds *= static_cast<double>((*whole)->set().examples.size())
                                        / static_cast<double>(std::max<std::size_t>(forecast.examples, 1));
                send(std::make_shared<const RankForecast>(std::move(forecast)));
                return engine::Next::End;
            }};
}

} // namespace headscope::app

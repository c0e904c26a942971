// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/backend.h"

#include "app/backend/continuejob.h"
#include "app/backend/curvejob.h"
#include "app/backend/edgejob.h"
#include "app/backend/factjob.h"
#include "app/backend/headweights.h"
#include "app/backend/knockoutsweep.h"
#include "app/backend/logprobjob.h"
#include "app/backend/mapsjob.h"
#include "app/backend/paircost.h"
#include "app/backend/patchjob.h"
#include "app/backend/patchlook.h"
#include "app/backend/patternjob.h"
#include "app/backend/patternjobs.h"
#include "app/backend/post.h"
#include "app/backend/promptanalyses.h"
#include "app/backend/promptexperts.h"
#include "app/backend/ranking.h"
#include "app/backend/scorejob.h"
#include "app/backend/state.h"
#include "app/backend/surveyjob.h"
#include "app/workbench/rankforecast.h"
#include "core/engine/pattern/patterns.h"
#include "core/engine/questions/question.h"

namespace headscope::app {

using engine::Next;
using engine::Urgency;
using interventions::InterventionSet;

namespace {

/// Of estimated changes.
std::vector<HeadValue> asLosses(std::vector<HeadValue> heads)
{
    for (HeadValue& head : heads)
        head.value = -head.margin;
    return heads;
}

} // namespace

Backend::Backend(BackendOptions options) : m_state(std::make_unique<State>(std::move(options))) {}

Backend::~Backend() = default;

Ticket Backend::openSession(const std::filesystem::path& file, Reply<std::vector<std::string>> done, Failed failed)
{
    return app::post<std::vector<std::string>>(
        *m_state, Urgency::Change, [file](State& state, const Control&) { return state.openSession(file); },
        std::move(done), std::move(failed));
}

Ticket Backend::openModel(Side side, const WantedModel& model, Reply<ModelSummary> done, Failed failed, Report report)
{
    return app::post<ModelSummary>(
        *m_state, Urgency::Change,
        [side, model](State& state, const Control& control) { return state.openModel(side, model, control); },
        std::move(done), std::move(failed), std::move(report));
}

void Backend::closeModel(Side side)
{
    app::post<bool>(
        *m_state, Urgency::Change,
        [side](State& state, const Control&) -> Result<bool> {
            state.closeModel(side);
            return true;
        },
        [](const std::shared_ptr<const bool>&) {}, [](const Error&) {});
}

Ticket Backend::sample(const std::string& task, int index, Reply<Prompt> done, Failed failed)
{
    return app::post<Prompt>(
        *m_state, Urgency::Look, [task, index](State& state, const Control&) { return state.sample(task, index); },
        std::move(done), std::move(failed));
}

Ticket Backend::tokenize(Side side, const Prompt& prompt, Reply<TokenizedPrompt> done, Failed failed)
{
    return app::post<TokenizedPrompt>(
        *m_state, Urgency::Look,
        [side, prompt](State& state, const Control&) -> Result<TokenizedPrompt> {
            const auto model = state.opened(side);
            if (!model.has_value())
                return model.error();
            const auto encoding = state.encode(**model, prompt);
            if (!encoding.has_value())
                return encoding.error();
            // One that is too long has its tokens all the same: it is cut at one of them.
            std::vector<int> read = encoding->ids;
            if (const int most = (*model)->spec().maxPositions; most > 0 && static_cast<int>(read.size()) > most)
                read.resize(static_cast<std::size_t>(most));
            if (const auto fits = engine::checkPrompt(*(*model)->loaded.model, read); !fits.has_value())
                return fits.error();
            return tokenized(prompt.text, *encoding);
        },
        std::move(done), std::move(failed));
}

Ticket Backend::pattern(Side side, const Prompt& prompt, const PatternRequest& request, Reply<PatternReply> done,
                        Failed failed, Report report)
{
    return postJob<PatternReply>(*m_state, Urgency::Look, std::make_shared<PatternJob>(side, prompt, request),
                                 std::move(done), std::move(failed), std::move(report));
}

Ticket Backend::patternRows(Side side, const Prompt& prompt, const PatternRequest& request, int first, int count,
                            Reply<PatternRows> done, Failed failed)
{
    return app::post<PatternRows>(
        *m_state, Urgency::Look,
        [=](State& state, const Control& control) {
            return readRows(state, side, prompt, request, first, count, control);
        },
        std::move(done), std::move(failed));
}

Ticket Backend::previews(Side side, const Prompt& prompt, const std::vector<interventions::HeadRef>& heads,
                         const PatternRequest& like, Reply<PatternPreview> done, Failed failed)
{
    // A head at a time, so that a click is answered between two of them.
    State* state = m_state.get();
    const auto step = [=, next = std::make_shared<std::size_t>(0)](const engine::Turn& turn) {
        if (*next >= heads.size())
            return Next::End;
        auto preview =
            readPreview(*state, side, prompt,
                        {.head = heads[*next], .ablation = like.ablation, .convention = like.convention}, turn);
        if (!preview.has_value()) {
            failed(preview.error());
            return Next::End;
        }
        done(std::make_shared<const PatternPreview>(std::move(*preview)));
        return ++*next < heads.size() ? Next::Again : Next::End;
    };
    return state->postSteps(heads.size() == 1 ? Urgency::Look : Urgency::Preview, step, failed);
}

Ticket Backend::saveMaps(Side side, const Prompt& prompt, const MapsAsk& ask, Reply<SavedMaps> done, Failed failed,
                         Report report)
{
    return postJob(*m_state, Urgency::Preview, std::make_shared<MapsJob>(side, prompt, ask), std::move(done),
                   std::move(failed), std::move(report));
}

Ticket Backend::rowOfHeads(Side side, const Prompt& prompt, int row, const InterventionSet& ablation,
                           Reply<RowOfHeads> done, Failed failed)
{
    return app::post<RowOfHeads>(
        *m_state, Urgency::Look,
        [=](State& state, const Control& control) {
            return readRowOfHeads(state, side, prompt, row, ablation, control);
        },
        std::move(done), std::move(failed));
}

Ticket Backend::nextTokens(Side side, const Prompt& prompt, const InterventionSet& ablation, Reply<NextTokenReply> done,
                           Failed failed)
{
    return app::post<NextTokenReply>(
        *m_state, Urgency::Look,
        [=](State& state, const Control&) -> Result<NextTokenReply> {
            const auto model = state.opened(side);
            if (!model.has_value())
                return model.error();
            const auto encoding = state.encode(**model, prompt);
            if (!encoding.has_value())
                return encoding.error();
            const auto tokens =
                engine::nextTokens(*(*model)->loaded.model, encoding->ids, ablation, (*model)->donors, 10);
            if (!tokens.has_value())
                return tokens.error();
            NextTokenReply reply;
            for (const engine::NextToken& token : *tokens) {
                reply.tokens.emplace_back(engine::tokenText(*(*model)->tokenizer, token.id), token.probability);
            }
            return reply;
        },
        std::move(done), std::move(failed));
}

Ticket Backend::logProbs(const ModelState& now, const Prompt& prompt, Reply<PromptLogProbs> done, Failed failed)
{
    return postJob(*m_state, Urgency::Preview, std::make_shared<LogProbJob>(now, prompt), std::move(done),
                   std::move(failed));
}

Ticket Backend::patch(const PatchQuestion& question, Reply<PatchReply> done, Failed failed, Report report)
{
    return postJob(*m_state, Urgency::Score, std::make_shared<PatchJob>(question), std::move(done), std::move(failed),
                   std::move(report));
}

Ticket Backend::edges(const EdgeQuestion& question, Reply<EdgeReply> done, Failed failed, Report report)
{
    return postJob(*m_state, Urgency::Score, std::make_shared<EdgeJob>(question), std::move(done), std::move(failed),
                   std::move(report));
}

Ticket Backend::cost(const CostQuestion& question, Reply<PairCost> done, Failed failed)
{
    return app::post<PairCost>(
        *m_state, Urgency::Score, [question](State& state, const Control&) { return readCost(state, question); },
        std::move(done), std::move(failed));
}

Ticket Backend::lens(const WhyQuestion& question, Reply<LensReply> done, Failed failed, Report report)
{
    return postRead(*m_state, Urgency::Preview, readLens, question, std::move(done), std::move(failed),
                    std::move(report));
}

Ticket Backend::direct(const WhyQuestion& question, Reply<DirectReply> done, Failed failed, Report report)
{
    return postRead(*m_state, Urgency::Preview, readDirect, question, std::move(done), std::move(failed),
                    std::move(report));
}

Ticket Backend::sources(const WhyQuestion& question, const interventions::HeadRef& head, Reply<SourcesReply> done,
                        Failed failed, Report report)
{
    return app::post<SourcesReply>(
        *m_state, Urgency::Preview,
        [question, head](State& state, const Control& control) { return readSources(state, question, head, control); },
        std::move(done), std::move(failed), std::move(report));
}

Ticket Backend::experts(const ModelState& now, const Prompt& prompt, Reply<ExpertsReply> done, Failed failed)
{
    return app::post<ExpertsReply>(
        *m_state, Urgency::Preview,
        [now, prompt](State& state, const Control& control) { return readExperts(state, now, prompt, control); },
        std::move(done), std::move(failed));
}

Ticket Backend::weights(const WeightsQuestion& question, Reply<WeightsReply> done, Failed failed, Report report)
{
    return postRead(*m_state, Urgency::Background, readWeights, question, std::move(done), std::move(failed),
                    std::move(report));
}

Ticket Backend::probes(const ProbeQuestion& question, Reply<ProbeReply> done, Failed failed, Report report)
{
    return postRead(*m_state, Urgency::Background, readProbes, question, std::move(done), std::move(failed),
                    std::move(report));
}

Ticket Backend::sweep(const SweepQuestion& question, Reply<SweepReply> done, Failed failed, Report report)
{
    return postRead(*m_state, Urgency::Score, readSweep, question, std::move(done), std::move(failed),
                    std::move(report));
}

Ticket Backend::patchLook(const PatchLook& look, Reply<PatchLookReply> done, Failed failed, Report report)
{
    return postRead(*m_state, Urgency::Preview, readLook, look, std::move(done), std::move(failed), std::move(report));
}

Ticket Backend::continueText(Side side, const Prompt& prompt, const InterventionSet& ablation,
                             const ContinueRequest& request, Reply<ContinuationPart> done, Failed failed)
{
    return postJob(*m_state, Urgency::Look, std::make_shared<ContinueJob>(side, prompt, ablation, request),
                   std::move(done), std::move(failed));
}

Ticket Backend::survey(const ModelState& now, const SurveyAsk& ask, Reply<SurveyReply> done, Failed failed,
                       Report report)
{
    State* state = m_state.get();
    const auto job = std::make_shared<SurveyJob>(now, ask);
    // One that is stopped keeps what it has measured.
    const auto ended = [=](const Error& error) {
        const auto kept = error.kind == Error::Kind::Cancelled ? job->keep(*state) : Result<void>();
        failed(kept.has_value() ? error : kept.error());
    };
    const auto step = [=](const engine::Turn& turn) -> Result<Next> {
        const auto more = job->step(*state, turn);
        if (!more.has_value())
            return more.error();
        if (*more && !job->isTimeToTell())
            return Next::Again;
        auto reply = job->reply(!*more);
        if (!reply.has_value())
            return reply.error();
        done(std::make_shared<const SurveyReply>(std::move(*reply)));
        return *more ? Next::Again : Next::End;
    };
    return state->postSteps(Urgency::Background, step, ended, std::move(report));
}

Ticket Backend::headFacts(const ModelState& now, const HeadFactsAsk& ask, Reply<HeadFactsReply> done, Failed failed,
                          Report report)
{
    return postJob(*m_state, Urgency::Background, std::make_shared<FactJob>(now, ask), std::move(done),
                   std::move(failed), std::move(report));
}

void Backend::setDataFolder(const std::filesystem::path& folder)
{
    app::post<bool>(
        *m_state, Urgency::Change,
        [folder](State& state, const Control&) -> Result<bool> {
            Settings settings = state.options();
            settings.dataFolder = folder;
            state.setSettings(settings);
            return true;
        },
        [](const std::shared_ptr<const bool>&) {}, [](const Error&) {});
}

void Backend::setSettings(const Settings& settings)
{
    app::post<bool>(
        *m_state, Urgency::Change,
        [settings](State& state, const Control&) -> Result<bool> {
            state.setSettings(settings);
            return true;
        },
        [](const std::shared_ptr<const bool>&) {}, [](const Error&) {});
}

Ticket Backend::score(const ModelState& now, const ModelState& reference, const std::vector<std::string>& tasks,
                      const std::string& pinned, Reply<ScoreReply> done, Failed failed, Report report)
{
    State* state = m_state.get();
    const auto job = std::make_shared<ScoreJob>(now, reference, tasks, pinned, m_patience);
    const auto step = [=](const engine::Turn& turn) -> Result<Next> {
        const auto more = job->step(*state, done, turn);
        if (!more.has_value())
            return more.error();
        const bool later = *more && !job->isWaitedFor();
        if (later)
            job->goOnLater();
        done(std::make_shared<const ScoreReply>(job->reply()));
        if (!*more)
            return Next::End;
        return later ? Next::AgainLater : Next::Again;
    };
    return state->postSteps(Urgency::Score, step, failed, std::move(report));
}

Ticket Backend::flips(const ModelState& now, const ModelState& reference, const std::string& task,
                      Reply<std::vector<FlipRow>> done, Failed failed)
{
    State* state = m_state.get();
    const auto step = [=](const engine::Turn& turn) -> Result<Next> {
        auto rows = flippedRows(*state, now, reference, task, turn);
        if (!rows.has_value())
            return rows.error();
        done(std::make_shared<const std::vector<FlipRow>>(std::move(*rows)));
        return Next::End;
    };
    return state->postSteps(Urgency::Score, step, failed);
}

Ticket Backend::removalCurve(Side side, const std::string& task, int limit,
                             const std::vector<interventions::HeadRef>& order, int draws, std::uint64_t seed,
                             Reply<RemovalCurveReply> done, Failed failed, Report report)
{
    const CurveAsk ask{side, task, limit, order, draws, seed};
    return postJob(*m_state, Urgency::Background, std::make_shared<CurveJob>(ask), std::move(done), std::move(failed),
                   std::move(report));
}

Ticket Backend::rank(const RankRequest& request, Reply<HeadCosts> done, Failed failed, Report report)
{
    State* state = m_state.get();
    auto held =
        std::make_shared<std::shared_ptr<RankJob>>(); // from the first step on, also when a newer model is opened
    const auto ended = [=](const Error& error) {
        if (error.kind != Error::Kind::Cancelled)
            state->forgetRanking(request);
        failed(error);
    };
    const auto step = [=](const engine::Turn& turn) -> Result<Next> {
        if (!*held)
            *held = state->ranking(request);
        const auto& job = *held;
        const std::size_t before = job->values().size();
        const auto more = job->step(*state, turn);
        if (!more.has_value())
            return more.error();
        const auto values = std::make_shared<const HeadCosts>(HeadCosts{job->values(), job->identity()});
        if (values->size() > before || (!*more && !values->empty()))
            done(values);
        if (*more)
            return Next::Again;
        done(values); // the same again: all are in
        return Next::End;
    };
    return state->postSteps(Urgency::Background, step, ended, std::move(report));
}

Ticket Backend::forecast(const RankRequest& request, Reply<RankForecast> done, Failed failed)
{
    State* state = m_state.get();
    struct Held {
        std::shared_ptr<Opened> model;
        std::shared_ptr<const engine::Benchmark> benchmark;
        std::optional<RankForecasting> forecasting;
    };
    const auto held = std::make_shared<Held>();
    const auto step = [=](const engine::Turn& turn) -> Result<Next> {
        if (!held->forecasting) {
            const auto model = state->opened(request.side);
            if (!model.has_value())
                return model.error();
            const auto benchmark = state->benchmark(**model, request.task, request.limit);
            if (!benchmark.has_value())
                return benchmark.error();
            held->model = *model;
            held->benchmark = *benchmark;
            held->forecasting.emplace(**model, **benchmark, request.steps);
        }
        const auto more = held->forecasting->step(turn);
        if (!more.has_value())
            return more.error();
        if (*more)
            return Next::Again;
        RankForecast forecast = held->forecasting->forecast();
        // A race takes its examples from the whole benchmark.
        const auto whole = state->benchmark(*held->model, request.task);
        if (!whole.has_value())
            return whole.error();
        for (RankCost& cost : forecast.costs)
            if (cost.method == RankMethod::Race)
                cost.seconds *= static_cast<double>((*whole)->set().examples.size())
                                / static_cast<double>(std::max<std::size_t>(forecast.examples, 1));
        done(std::make_shared<const RankForecast>(std::move(forecast)));
        return Next::End;
    };
    return state->postSteps(Urgency::Background, step, std::move(failed));
}

Ticket Backend::estimate(RankRequest request, Reply<std::vector<HeadValue>> done, Failed failed, Report report)
{
    request.method = RankMethod::Estimate;
    State* state = m_state.get();
    const auto held = std::make_shared<std::shared_ptr<RankJob>>();
    const auto ended = [=](const Error& error) {
        if (error.kind != Error::Kind::Cancelled)
            state->forgetRanking(request);
        failed(error);
    };
    const auto step = [=, told = 0](const engine::Turn& turn) mutable -> Result<Next> {
        if (!*held)
            *held = state->ranking(request);
        const auto more = (*held)->step(*state, turn);
        if (!more.has_value())
            return more.error();
        const auto& values = (*held)->values();
        const int examples = values.empty() ? 0 : values.front().n;
        if (examples > std::exchange(told, examples) || !*more) {
            const auto losses = std::make_shared<const std::vector<HeadValue>>(asLosses(values));
            done(losses);
            if (!*more)
                done(losses); // the same again: all are in
        }
        return *more ? Next::Again : Next::End;
    };
    return state->postSteps(Urgency::Background, step, ended, std::move(report));
}

Ticket Backend::headScores(Side side, const Prompt& prompt, const InterventionSet& ablation, Reply<HeadScores> done,
                           Failed failed, Report report)
{
    return app::post<HeadScores>(
        *m_state, Urgency::Preview,
        [=](State& state, const Control& control) { return readHeadScores(state, side, prompt, ablation, control); },
        std::move(done), std::move(failed), std::move(report));
}

Ticket Backend::headScores(Side side, const std::string& task, Reply<HeadScores> done, Failed failed, Report report)
{
    return app::post<HeadScores>(
        *m_state, Urgency::Preview,
        [=](State& state, const Control& control) -> Result<HeadScores> {
            const auto prompt = state.sample(task, 0);
            if (!prompt.has_value())
                return prompt.error();
            return readHeadScores(state, side, *prompt, {}, control);
        },
        std::move(done), std::move(failed), std::move(report));
}

void Backend::cancel(Ticket ticket)
{
    m_state->m_worker.cancel(ticket);
}

void Backend::cancelAll()
{
    m_state->m_worker.cancelAll();
}

} // namespace headscope::app

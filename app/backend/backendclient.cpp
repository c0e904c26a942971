// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/backendclient.h"

#include <algorithm>
#include <utility>

namespace headscope::gui {

using app::Backend;

BackendClient::BackendClient(app::BackendOptions options, QObject* parent)
    : QObject(parent), m_backend(std::make_unique<Backend>(std::move(options)))
{
}

BackendClient::~BackendClient()
{
    m_backend.reset();
}

bool BackendClient::busy() const
{
    return std::any_of(m_lanes.begin(), m_lanes.end(), [](const auto& lane) { return lane.second.running; });
}

std::vector<std::pair<BackendClient::Kind, Side>> BackendClient::running() const
{
    std::vector<std::pair<Kind, Side>> keys;
    for (const auto& [key, lane] : m_lanes)
        if (lane.running)
            keys.push_back(key);
    return keys;
}

bool BackendClient::isRunning(Kind kind, Side side) const
{
    const auto lane = m_lanes.find({kind, side});
    return lane != m_lanes.end() && lane->second.running;
}

void BackendClient::end(const Key& key, const std::function<void()>& tell)
{
    m_lanes[key].running = false;
    tell();
    if (!busy())
        Q_EMIT busyChanged(false);
}

template <typename T>
void BackendClient::start(Kind kind, Side side,
                          std::function<Ticket(Backend::Reply<T>, Backend::Failed, Backend::Report)> post,
                          std::function<void(std::shared_ptr<const T>)> deliver, std::function<bool(const T&)> last)
{
    const Key key{kind, side};
    Lane& lane = m_lanes[key];
    if (lane.running)
        m_backend->cancel(lane.ticket);
    const bool wasBusy = busy();
    lane.running = true;
    const quint64 generation = ++lane.generation;
    // The callbacks run on the worker; everything they do is queued to this thread, and only the newest is listened to.
    const auto here = [this, key, generation](std::function<void()> act) {
        QMetaObject::invokeMethod(
            this,
            [this, key, generation, act = std::move(act)] {
                if (m_lanes[key].generation == generation)
                    act();
            },
            Qt::QueuedConnection);
    };
    const auto done = [=, this](std::shared_ptr<const T> value) {
        here([=, this] {
            deliver(value);
            // Whoever heard of it may have asked anew: then the lane is the new request's.
            if (m_lanes[key].generation == generation && (!last || last(*value)))
                end(key, [=, this] { Q_EMIT finished(kind, side); });
        });
    };
    const auto failure = [=, this](const Error& error) {
        here([=, this] {
            end(key, [=, this] {
                if (error.kind == Error::Kind::Cancelled)
                    Q_EMIT cancelled(kind, side);
                else
                    Q_EMIT failed(kind, side, QString::fromStdString(error.message));
                if (error.kind == Error::Kind::Memory && !error.detail.empty())
                    Q_EMIT smallerTypeFits(side, QString::fromStdString(error.detail));
            });
        });
    };
    const auto report = [=, this](const Progress& progress) {
        here([=, this] {
            Q_EMIT progressed(kind, side, QString::fromStdString(progress.stage), progress.done, progress.total);
        });
    };
    lane.ticket = post(done, failure, report);
    if (!wasBusy)
        Q_EMIT busyChanged(true);
}

void BackendClient::openSession(const QString& file)
{
    start<std::vector<std::string>>(
        Kind::Session, Side::A,
        [=, this](auto done, auto failure, auto) { return m_backend->openSession(file.toStdString(), done, failure); },
        [this](auto notices) {
            QStringList texts;
            for (const std::string& notice : *notices)
                texts.append(QString::fromStdString(notice));
            Q_EMIT sessionOpened(texts);
        });
}

void BackendClient::openModel(Side side, const QString& model, const QString& type)
{
    start<app::ModelSummary>(
        Kind::Model, side,
        [=, this](auto done, auto failure, auto report) {
            return m_backend->openModel(side, {model.toStdString(), type.toStdString()}, done, failure, report);
        },
        [=, this](auto summary) { Q_EMIT modelOpened(side, summary); });
}

void BackendClient::closeModel(Side side)
{
    for (auto& [key, lane] : m_lanes)
        if (key.second == side && lane.running)
            m_backend->cancel(lane.ticket);
    m_backend->closeModel(side);
}

void BackendClient::requestSample(const QString& task, int index)
{
    start<app::Prompt>(
        Kind::Sample, Side::A,
        [=, this](auto done, auto failure, auto) {
            return m_backend->sample(task.toStdString(), index, done, failure);
        },
        [this](auto prompt) { Q_EMIT sampleReady(prompt); });
}

void BackendClient::requestTokens(Side side, const app::Prompt& prompt)
{
    start<app::TokenizedPrompt>(
        Kind::Tokens, side,
        [=, this](auto done, auto failure, auto) { return m_backend->tokenize(side, prompt, done, failure); },
        [=, this](auto tokens) { Q_EMIT tokensReady(side, tokens); });
}

void BackendClient::requestPattern(Side side, const app::Prompt& prompt, const app::PatternRequest& request)
{
    start<app::PatternReply>(
        Kind::Pattern, side,
        [=, this](auto done, auto failure, auto report) {
            return m_backend->pattern(side, prompt, request, done, failure, report);
        },
        [=, this](auto pattern) { Q_EMIT patternReady(side, pattern); },
        [](const app::PatternReply& reply) { return reply.unread == 0; });
}

void BackendClient::requestRows(Kind kind, Side side, const app::Prompt& prompt, const app::PatternRequest& request,
                                int first, int count)
{
    start<app::PatternRows>(
        kind, side,
        [=, this](auto done, auto failure, auto) {
            return m_backend->patternRows(side, prompt, request, first, count, done, failure);
        },
        [=, this](auto rows) { Q_EMIT rowsReady(kind, side, rows); });
}

void BackendClient::requestRowOfHeads(Side side, const app::Prompt& prompt, int row,
                                      const interventions::InterventionSet& ablation)
{
    start<app::RowOfHeads>(
        Kind::RowOfHeads, side,
        [=, this](auto done, auto failure, auto) {
            return m_backend->rowOfHeads(side, prompt, row, ablation, done, failure);
        },
        [=, this](auto heads) { Q_EMIT rowOfHeadsReady(side, heads); });
}

void BackendClient::requestPreviews(Kind kind, Side side, const app::Prompt& prompt,
                                    const std::vector<interventions::HeadRef>& heads, const app::PatternRequest& like)
{
    if (heads.empty())
        return;
    auto left = std::make_shared<std::size_t>(heads.size());
    start<app::PatternPreview>(
        kind, side,
        [=, this](auto done, auto failure, auto) {
            return m_backend->previews(side, prompt, heads, like, done, failure);
        },
        [=, this](auto preview) { Q_EMIT previewReady(side, preview); },
        [left](const app::PatternPreview&) { return --*left == 0; });
}

void BackendClient::setSettings(const app::Settings& settings)
{
    m_backend->setSettings(settings);
}

void BackendClient::setDataFolder(const QString& folder)
{
    m_backend->setDataFolder(folder.toStdString());
}

void BackendClient::requestScores(const app::ModelState& now, const app::ModelState& reference,
                                  const std::vector<std::string>& tasks, const std::string& pinned)
{
    start<app::ScoreReply>(
        Kind::Scores, now.side,
        [=, this](auto done, auto failure, auto report) {
            return m_backend->score(now, reference, tasks, pinned, done, failure, report);
        },
        [=, this](auto scores) { Q_EMIT scoresReady(now.side, scores); },
        [](const app::ScoreReply& scores) { return scores.final; });
}

void BackendClient::requestCurve(const app::ModelState& now, const std::vector<std::string>& tasks)
{
    start<app::ScoreReply>(
        Kind::Curve, now.side,
        [=, this](auto done, auto failure, auto report) {
            return m_backend->score(now, {now.side, {}}, tasks, {}, done, failure, report);
        },
        [=, this](auto scores) { Q_EMIT curveReady(now.side, scores); },
        [](const app::ScoreReply& scores) { return scores.final; });
}

void BackendClient::requestRemovalCurve(Side side, const QString& task, int limit,
                                        const std::vector<interventions::HeadRef>& order, int draws)
{
    start<app::RemovalCurveReply>(
        Kind::Removal, side,
        [=, this](auto done, auto failure, auto report) {
            return m_backend->removalCurve(side, task.toStdString(), limit, order, draws, 0, done, failure, report);
        },
        [=, this](auto curve) { Q_EMIT removalCurveReady(side, curve); },
        [](const app::RemovalCurveReply& curve) { return curve.final; });
}

void BackendClient::requestRank(const app::RankRequest& request)
{
    using Heads = app::HeadCosts;
    // The last answer repeats the one before it; its size tells the end no better than the worker's own finish, so the
    // lane ends when an answer brings no new head.
    auto seen = std::make_shared<std::size_t>(0);
    start<Heads>(
        Kind::Rank, request.side,
        [=, this](auto done, auto failure, auto report) { return m_backend->rank(request, done, failure, report); },
        [=, this](auto heads) { Q_EMIT rankReady(request.side, heads); },
        [seen](const Heads& heads) {
            const bool end = heads.size() == *seen;
            *seen = heads.size();
            return end;
        });
}

void BackendClient::requestRankForecast(const app::RankRequest& request)
{
    const Side side = request.side;
    start<app::RankForecast>(
        Kind::RankForecast, side,
        [=, this](auto done, auto failure, auto) { return m_backend->forecast(request, done, failure); },
        [=, this](auto forecast) { Q_EMIT rankForecastReady(side, forecast); });
}

void BackendClient::requestEstimate(const app::RankRequest& request)
{
    const Side side = request.side;
    using Heads = std::vector<app::HeadValue>;
    // The last answer repeats the one before it, which is of as many examples.
    auto seen = std::make_shared<int>(0);
    start<Heads>(
        Kind::Estimate, side,
        [=, this](auto done, auto failure, auto report) { return m_backend->estimate(request, done, failure, report); },
        [=, this](auto heads) { Q_EMIT estimateReady(side, heads); },
        [seen](const Heads& heads) {
            const int examples = heads.empty() ? 0 : heads.front().n;
            return std::exchange(*seen, examples) == examples;
        });
}

void BackendClient::requestSavedMaps(Side side, const app::Prompt& prompt, const app::MapsAsk& ask)
{
    start<app::SavedMaps>(
        Kind::SaveMaps, side,
        [=, this](auto done, auto failure, auto report) {
            return m_backend->saveMaps(side, prompt, ask, done, failure, report);
        },
        [=, this](auto maps) { Q_EMIT mapsSaved(side, maps); });
}

void BackendClient::requestHeadScores(Side side, const app::Prompt& prompt,
                                      const interventions::InterventionSet& ablation)
{
    start<app::HeadScores>(
        Kind::Metric, side,
        [=, this](auto done, auto failure, auto report) {
            return m_backend->headScores(side, prompt, ablation, done, failure, report);
        },
        [=, this](auto scores) { Q_EMIT headScoresReady(side, scores); });
}

void BackendClient::requestTaskHeadScores(Side side, const QString& task)
{
    start<app::HeadScores>(
        Kind::Found, side,
        [=, this](auto done, auto failure, auto report) {
            return m_backend->headScores(side, task.toStdString(), done, failure, report);
        },
        [=, this](auto scores) { Q_EMIT taskHeadScoresReady(side, scores); });
}

void BackendClient::requestFlips(const app::ModelState& now, const app::ModelState& reference, const QString& task)
{
    start<std::vector<app::FlipRow>>(
        Kind::Flips, now.side,
        [=, this](auto done, auto failure, auto) {
            return m_backend->flips(now, reference, task.toStdString(), done, failure);
        },
        [=, this](auto flips) { Q_EMIT flipsReady(now.side, task, flips); });
}

void BackendClient::requestNextTokens(Side side, const app::Prompt& prompt,
                                      const interventions::InterventionSet& ablation)
{
    start<app::NextTokenReply>(
        Kind::Next, side,
        [=, this](auto done, auto failure, auto) {
            return m_backend->nextTokens(side, prompt, ablation, done, failure);
        },
        [=, this](auto tokens) { Q_EMIT nextTokensReady(side, tokens); });
}

void BackendClient::requestLogProbs(const app::ModelState& state, const app::Prompt& prompt)
{
    start<app::PromptLogProbs>(
        Kind::LogProbs, state.side,
        [=, this](auto done, auto failure, auto) { return m_backend->logProbs(state, prompt, done, failure); },
        [this, side = state.side](auto values) { Q_EMIT logProbsReady(side, values); });
}

void BackendClient::requestPatch(const app::PatchQuestion& question)
{
    start<app::PatchReply>(
        Kind::Patch, question.of.state.side,
        [=, this](auto done, auto failure, auto report) { return m_backend->patch(question, done, failure, report); },
        [this, side = question.of.state.side](auto map) { Q_EMIT patchReady(side, map); },
        [](const app::PatchReply& map) { return map.final; });
}

void BackendClient::requestEdges(const app::EdgeQuestion& question)
{
    start<app::EdgeReply>(
        Kind::Edges, question.of.state.side,
        [=, this](auto done, auto failure, auto report) { return m_backend->edges(question, done, failure, report); },
        [this, side = question.of.state.side](auto edges) { Q_EMIT edgesReady(side, edges); },
        [](const app::EdgeReply& edges) { return edges.final; });
}

void BackendClient::requestCost(const app::CostQuestion& question)
{
    const Kind kind = std::holds_alternative<app::PatchQuestion>(question) ? Kind::PatchCost : Kind::EdgeCost;
    const Side side = std::visit([](const auto& asked) { return asked.of.state.side; }, question);
    start<app::PairCost>(
        kind, side, [=, this](auto done, auto failure, auto) { return m_backend->cost(question, done, failure); },
        [=, this](auto cost) { Q_EMIT costReady(kind, side, cost); });
}

void BackendClient::requestLens(const app::WhyQuestion& question)
{
    start<app::LensReply>(
        Kind::Lens, question.state.side,
        [=, this](auto done, auto failure, auto report) { return m_backend->lens(question, done, failure, report); },
        [this, side = question.state.side](auto lens) { Q_EMIT lensReady(side, lens); });
}

void BackendClient::requestDirect(const app::WhyQuestion& question)
{
    start<app::DirectReply>(
        Kind::Direct, question.state.side,
        [=, this](auto done, auto failure, auto report) { return m_backend->direct(question, done, failure, report); },
        [this, side = question.state.side](auto parts) { Q_EMIT directReady(side, parts); });
}

void BackendClient::requestSources(const app::WhyQuestion& question, const interventions::HeadRef& head)
{
    start<app::SourcesReply>(
        Kind::Sources, question.state.side,
        [=, this](auto done, auto failure, auto report) {
            return m_backend->sources(question, head, done, failure, report);
        },
        [this, side = question.state.side](auto parts) { Q_EMIT sourcesReady(side, parts); });
}

void BackendClient::requestExperts(const app::ModelState& state, const app::Prompt& prompt)
{
    start<app::ExpertsReply>(
        Kind::Experts, state.side,
        [=, this](auto done, auto failure, auto) { return m_backend->experts(state, prompt, done, failure); },
        [this, side = state.side](auto experts) { Q_EMIT expertsReady(side, experts); });
}

void BackendClient::requestWeights(const app::WeightsQuestion& question)
{
    start<app::WeightsReply>(
        Kind::Weights, question.side,
        [=, this](auto done, auto failure, auto report) { return m_backend->weights(question, done, failure, report); },
        [this, side = question.side](auto weights) { Q_EMIT weightsReady(side, weights); });
}

void BackendClient::requestProbes(const app::ProbeQuestion& question)
{
    start<app::ProbeReply>(
        Kind::Probes, question.state.side,
        [=, this](auto done, auto failure, auto report) { return m_backend->probes(question, done, failure, report); },
        [this, side = question.state.side](auto probes) { Q_EMIT probesReady(side, probes); });
}

void BackendClient::requestSweep(const app::SweepQuestion& question)
{
    start<app::SweepReply>(
        Kind::Sweep, question.of.state.side,
        [=, this](auto done, auto failure, auto report) { return m_backend->sweep(question, done, failure, report); },
        [this, side = question.of.state.side](auto sweep) { Q_EMIT sweepReady(side, sweep); });
}

void BackendClient::requestPatchLook(const app::PatchLook& look)
{
    start<app::PatchLookReply>(
        Kind::PatchLook, look.question.of.state.side,
        [=, this](auto done, auto failure, auto report) { return m_backend->patchLook(look, done, failure, report); },
        [this, side = look.question.of.state.side](auto reply) { Q_EMIT patchLookReady(side, reply); });
}

void BackendClient::requestSurvey(const app::ModelState& state, const app::SurveyAsk& ask)
{
    start<app::SurveyReply>(
        Kind::Survey, state.side,
        [=, this](auto done, auto failure, auto report) {
            return m_backend->survey(state, ask, done, failure, report);
        },
        [this, side = state.side](auto survey) { Q_EMIT surveyReady(side, survey); },
        [](const app::SurveyReply& reply) { return reply.survey.record.finished; });
}

void BackendClient::requestHeadFacts(const app::ModelState& state, const app::HeadFactsAsk& ask)
{
    start<app::HeadFactsReply>(
        Kind::HeadFacts, state.side,
        [=, this](auto done, auto failure, auto report) {
            return m_backend->headFacts(state, ask, done, failure, report);
        },
        [this, side = state.side](auto facts) { Q_EMIT headFactsReady(side, facts); },
        [](const app::HeadFactsReply& reply) { return reply.sheet.finished; });
}

void BackendClient::requestContinuation(Side side, const app::Prompt& prompt,
                                        const interventions::InterventionSet& ablation,
                                        const app::ContinueRequest& request)
{
    using Part = app::ContinuationPart;
    start<Part>(
        Kind::Continue, side,
        [=, this](auto done, auto failure, auto) {
            return m_backend->continueText(side, prompt, ablation, request, done, failure);
        },
        [=, this](auto part) { Q_EMIT continuationReady(side, part); },
        [](const Part& part) { return part.ending != Part::Ending::None; });
}

void BackendClient::stop(Kind kind, Side side)
{
    const auto it = m_lanes.find({kind, side});
    if (it != m_lanes.end() && it->second.running)
        m_backend->cancel(it->second.ticket);
}

void BackendClient::stopAll()
{
    m_backend->cancelAll();
}

} // namespace headscope::gui

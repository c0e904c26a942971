// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Turns requests into worker jobs and their answers into signals. GUI thread. A newer request of the same kind for the
// same model stops and replaces the older one; what the older one still sends is dropped here.

#include "app/backend/backend.h"
#include "app/backend/requestkind.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <map>
#include <memory>

namespace headscope::gui {

class BackendClient : public QObject
{
    Q_OBJECT

public:
    using Kind = RequestKind;

    explicit BackendClient(app::BackendOptions options, QObject* parent = nullptr);
    ~BackendClient() override;

    void openSession(const QString& file);
    void openModel(Side side, const QString& model, const QString& type = {}); ///< empty: what the settings say
    void closeModel(Side side);
    void requestSample(const QString& task, int index);
    void requestTokens(Side side, const app::Prompt& prompt);
    void requestPattern(Side side, const app::Prompt& prompt, const app::PatternRequest& request);
    /// kind: Rows or ProfileRow.
    void requestRows(Kind kind, Side side, const app::Prompt& prompt, const app::PatternRequest& request, int first,
                     int count);
    void requestRowOfHeads(Side side, const app::Prompt& prompt, int row,
                           const interventions::InterventionSet& ablation);
    /// kind: Strip or Hover.
    void requestPreviews(Kind kind, Side side, const app::Prompt& prompt,
                         const std::vector<interventions::HeadRef>& heads, const app::PatternRequest& like);
    void requestSavedMaps(Side side, const app::Prompt& prompt, const app::MapsAsk& ask);
    /// Against the same model with all heads on.
    void requestCurve(const app::ModelState& now, const std::vector<std::string>& tasks);
    void requestRank(const app::RankRequest& request);
    void requestRankForecast(const app::RankRequest& request);
    void requestEstimate(const app::RankRequest& request);
    void requestHeadScores(Side side, const app::Prompt& prompt, const interventions::InterventionSet& ablation);
    void requestTaskHeadScores(Side side, const QString& task);
    void setDataFolder(const QString& folder); ///< benchmark files are looked for here from now on
    void setSettings(const app::Settings& settings);
    void setPatience(std::chrono::seconds patience) { m_backend->setPatience(patience); }
    /// A request of the side of `now`; `reference` is what it is compared with.
    void requestScores(const app::ModelState& now, const app::ModelState& reference,
                       const std::vector<std::string>& tasks, const std::string& pinned = {});
    void requestFlips(const app::ModelState& now, const app::ModelState& reference, const QString& task);
    void requestRemovalCurve(Side side, const QString& task, int limit,
                             const std::vector<interventions::HeadRef>& order, int draws);
    void requestNextTokens(Side side, const app::Prompt& prompt, const interventions::InterventionSet& ablation);
    void requestLogProbs(const app::ModelState& state, const app::Prompt& prompt);
    void requestPatch(const app::PatchQuestion& question);
    void requestEdges(const app::EdgeQuestion& question);
    void requestCost(const app::CostQuestion& question);
    void requestLens(const app::WhyQuestion& question);
    void requestDirect(const app::WhyQuestion& question);
    void requestSources(const app::WhyQuestion& question, const interventions::HeadRef& head);
    void requestExperts(const app::ModelState& state, const app::Prompt& prompt);
    void requestWeights(const app::WeightsQuestion& question);
    void requestProbes(const app::ProbeQuestion& question);
    void requestSweep(const app::SweepQuestion& question);
    void requestPatchLook(const app::PatchLook& look);
    void requestSurvey(const app::ModelState& state, const app::SurveyAsk& ask);
    void requestHeadFacts(const app::ModelState& state, const app::HeadFactsAsk& ask);
    void requestContinuation(Side side, const app::Prompt& prompt, const interventions::InterventionSet& ablation,
                             const app::ContinueRequest& request);
    void stop(Kind kind, Side side);
    void stopAll();
    [[nodiscard]] bool busy() const;
    [[nodiscard]] std::vector<std::pair<Kind, Side>> running() const; ///< what is under way
    [[nodiscard]] bool isRunning(Kind kind, Side side) const;

Q_SIGNALS:
    void sessionOpened(const QStringList& notices);
    void modelOpened(headscope::Side side, std::shared_ptr<const headscope::app::ModelSummary> model);
    void sampleReady(std::shared_ptr<const headscope::app::Prompt> prompt);
    void tokensReady(headscope::Side side, std::shared_ptr<const headscope::app::TokenizedPrompt> prompt);
    void patternReady(headscope::Side side, std::shared_ptr<const headscope::app::PatternReply> pattern);
    void scoresReady(headscope::Side side, std::shared_ptr<const headscope::app::ScoreReply> scores);
    void curveReady(headscope::Side side, std::shared_ptr<const headscope::app::ScoreReply> scores);
    void rankReady(headscope::Side side, std::shared_ptr<const headscope::app::HeadCosts> heads);
    void rankForecastReady(headscope::Side side, std::shared_ptr<const headscope::app::RankForecast> forecast);
    void estimateReady(headscope::Side side, std::shared_ptr<const std::vector<headscope::app::HeadValue>> heads);
    void headScoresReady(headscope::Side side, std::shared_ptr<const headscope::app::HeadScores> scores);
    void taskHeadScoresReady(headscope::Side side, std::shared_ptr<const headscope::app::HeadScores> scores);
    void rowsReady(headscope::gui::BackendClient::Kind kind, headscope::Side side,
                   std::shared_ptr<const headscope::app::PatternRows> rows);
    void rowOfHeadsReady(headscope::Side side, std::shared_ptr<const headscope::app::RowOfHeads> row);
    void previewReady(headscope::Side side, std::shared_ptr<const headscope::app::PatternPreview> preview);
    void mapsSaved(headscope::Side side, std::shared_ptr<const headscope::app::SavedMaps> maps);
    void flipsReady(headscope::Side side, const QString& task,
                    std::shared_ptr<const std::vector<headscope::app::FlipRow>> flips);
    void nextTokensReady(headscope::Side side, std::shared_ptr<const headscope::app::NextTokenReply> tokens);
    void logProbsReady(headscope::Side side, std::shared_ptr<const headscope::app::PromptLogProbs> values);
    /// Behind each pair; `final` at the end.
    void patchReady(headscope::Side side, std::shared_ptr<const headscope::app::PatchReply> map);
    void edgesReady(headscope::Side side, std::shared_ptr<const headscope::app::EdgeReply> edges);
    void costReady(headscope::gui::BackendClient::Kind kind, headscope::Side side,
                   std::shared_ptr<const headscope::app::PairCost> cost);
    void lensReady(headscope::Side side, std::shared_ptr<const headscope::app::LensReply> lens);
    void directReady(headscope::Side side, std::shared_ptr<const headscope::app::DirectReply> parts);
    void sourcesReady(headscope::Side side, std::shared_ptr<const headscope::app::SourcesReply> parts);
    void expertsReady(headscope::Side side, std::shared_ptr<const headscope::app::ExpertsReply> experts);
    void weightsReady(headscope::Side side, std::shared_ptr<const headscope::app::WeightsReply> weights);
    void probesReady(headscope::Side side, std::shared_ptr<const headscope::app::ProbeReply> probes);
    void sweepReady(headscope::Side side, std::shared_ptr<const headscope::app::SweepReply> sweep);
    void patchLookReady(headscope::Side side, std::shared_ptr<const headscope::app::PatchLookReply> look);
    void surveyReady(headscope::Side side, std::shared_ptr<const headscope::app::SurveyReply> survey);
    void headFactsReady(headscope::Side side, std::shared_ptr<const headscope::app::HeadFactsReply> facts);
    void removalCurveReady(headscope::Side side, std::shared_ptr<const headscope::app::RemovalCurveReply> curve);
    void continuationReady(headscope::Side side, std::shared_ptr<const headscope::app::ContinuationPart> part);

    void progressed(headscope::gui::BackendClient::Kind kind, headscope::Side side, const QString& stage, qint64 done,
                    qint64 total);
    /// Exactly one of these ends each request that was not replaced by a newer one.
    void finished(headscope::gui::BackendClient::Kind kind, headscope::Side side);
    void failed(headscope::gui::BackendClient::Kind kind, headscope::Side side, const QString& sentence);
    /// After `failed` of a model for which there was too little memory: in this type there would be enough.
    void smallerTypeFits(headscope::Side side, const QString& type);
    void cancelled(headscope::gui::BackendClient::Kind kind, headscope::Side side);
    void busyChanged(bool busy);

private:
    using Key = std::pair<Kind, Side>;
    struct Lane {
        Ticket ticket = 0;
        quint64 generation = 0;
        bool running = false;
    };
    /// `post` gets the callbacks of a job; `deliver` runs here for each answer; `last` says which ends it.
    template <typename T>
    void start(Kind kind, Side side,
               std::function<Ticket(app::Backend::Reply<T>, app::Backend::Failed, app::Backend::Report)> post,
               std::function<void(std::shared_ptr<const T>)> deliver, std::function<bool(const T&)> last = {});
    void end(const Key& key, const std::function<void()>& tell);

    std::map<Key, Lane> m_lanes;
    std::unique_ptr<app::Backend> m_backend; ///< last: the worker is joined before anything it calls is gone
};

} // namespace headscope::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window's door to the engine: requests are copied in, answers are plain values. Methods are called on the GUI
// thread and return at once; every callback runs on the worker thread. No tensor and no Qt type passes here.

#include "app/backend/values.h"
#include "app/backend/values/edges.h"
#include "app/backend/values/experts.h"
#include "app/backend/values/paircost.h"
#include "app/backend/values/patch.h"
#include "app/backend/values/promptlogprobs.h"
#include "app/backend/values/survey.h"
#include "app/backend/values/sweep.h"
#include "app/backend/values/weights.h"
#include "app/backend/values/why.h"
#include "app/workbench/rankcost.h"
#include "app/workbench/settings.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/ticket.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

struct BackendOptions : Settings {
    std::filesystem::path resources; ///< the program's own files
};

class Backend
{
public:
    template <typename T> using Reply = std::function<void(std::shared_ptr<const T>)>;
    using Failed = std::function<void(const Error&)>;
    using Report = std::function<void(const Progress&)>;

    explicit Backend(BackendOptions options);
    ~Backend();

    /// Results are stored here from now on; empty: nowhere. The reply carries what the person should know (read-only
    /// ...).
    Ticket openSession(const std::filesystem::path& file, Reply<std::vector<std::string>> done, Failed failed);
    Ticket openModel(Side side, const WantedModel& model, Reply<ModelSummary> done, Failed failed, Report report);
    void closeModel(Side side);
    /// Sample `index` of a task; wraps around.
    Ticket sample(const std::string& task, int index, Reply<Prompt> done, Failed failed);
    Ticket tokenize(Side side, const Prompt& prompt, Reply<TokenizedPrompt> done, Failed failed);
    /// Whole up to 4,096 tokens, pooled beyond.
    Ticket pattern(Side side, const Prompt& prompt, const PatternRequest& request, Reply<PatternReply> done,
                   Failed failed, Report report);
    /// Rows [first, first + count) of the same map, exact whatever the length; fewer where the prompt ends.
    Ticket patternRows(Side side, const Prompt& prompt, const PatternRequest& request, int first, int count,
                       Reply<PatternRows> done, Failed failed);
    /// Small maps of these heads under the ablation and convention of `like`, one after another: `done` is called for
    /// each.
    Ticket previews(Side side, const Prompt& prompt, const std::vector<interventions::HeadRef>& heads,
                    const PatternRequest& like, Reply<PatternPreview> done, Failed failed);
    /// Whole maps of up to 4,096 tokens, a head at a time, and then the file. Yields to everything else between heads.
    Ticket saveMaps(Side side, const Prompt& prompt, const MapsAsk& ask, Reply<SavedMaps> done, Failed failed,
                    Report report);
    Ticket rowOfHeads(Side side, const Prompt& prompt, int row, const interventions::InterventionSet& ablation,
                      Reply<RowOfHeads> done, Failed failed);
    Ticket nextTokens(Side side, const Prompt& prompt, const interventions::InterventionSet& ablation,
                      Reply<NextTokenReply> done, Failed failed);
    /// How likely each token of the prompt was, and with all heads on.
    Ticket logProbs(const ModelState& state, const Prompt& prompt, Reply<PromptLogProbs> done, Failed failed);
    /// One run with parts of another put in, in steps; `done` is called behind each pair.
    Ticket patch(const PatchQuestion& question, Reply<PatchReply> done, Failed failed, Report report);
    /// Which parts feed one and who listens to it, edge by edge, in steps; `done` is called behind each pair.
    Ticket edges(const EdgeQuestion& question, Reply<EdgeReply> done, Failed failed, Report report);
    /// What either would take.
    Ticket cost(const CostQuestion& question, Reply<PairCost> done, Failed failed);
    /// What the model would say at each layer and position, with the sample's answer followed.
    Ticket lens(const WhyQuestion& question, Reply<LensReply> done, Failed failed, Report report);
    /// What each head, MLP and the embedding add to the answer's lead.
    Ticket direct(const WhyQuestion& question, Reply<DirectReply> done, Failed failed, Report report);
    /// The part of one head by the tokens that it reads.
    Ticket sources(const WhyQuestion& question, const interventions::HeadRef& head, Reply<SourcesReply> done,
                   Failed failed, Report report);
    /// Which experts each token goes to, and with nothing ablated. Fails for a model without experts.
    Ticket experts(const ModelState& state, const Prompt& prompt, Reply<ExpertsReply> done, Failed failed);
    /// What the weights say, whatever is ablated.
    Ticket weights(const WeightsQuestion& question, Reply<WeightsReply> done, Failed failed, Report report);
    /// Scores of every head on probe sequences.
    Ticket probes(const ProbeQuestion& question, Reply<ProbeReply> done, Failed failed, Report report);
    /// What knocking edges out costs, by the window of layers that they are knocked out in.
    Ticket sweep(const SweepQuestion& question, Reply<SweepReply> done, Failed failed, Report report);
    /// Some cells of a map of patches put in together: what the model says then, and a head's map.
    Ticket patchLook(const PatchLook& look, Reply<PatchLookReply> done, Failed failed, Report report);
    /// Every head over many texts. `done` comes now and then without places, the last time with them and finished.
    /// Yields to everything else between batches; what is measured is stored, and gone on with when it is asked again.
    Ticket survey(const ModelState& state, const SurveyAsk& ask, Reply<SurveyReply> done, Failed failed, Report report);
    /// What weights and probes say of heads, and what removing each costs on benchmarks and on next tokens of the same
    /// texts. `done` comes now and then, the last time finished. Yields to everything else.
    Ticket headFacts(const ModelState& state, const HeadFactsAsk& ask, Reply<HeadFactsReply> done, Failed failed,
                     Report report);
    /// Continues the prompt; `done` is called with each new token. Other requests are served between two tokens.
    Ticket continueText(Side side, const Prompt& prompt, const interventions::InterventionSet& ablation,
                        const ContinueRequest& request, Reply<ContinuationPart> done, Failed failed);
    /// Counts from the next request on; models that are open stay as they are, see reopensModels(). What was measured
    /// under other settings is forgotten.
    void setSettings(const Settings& settings);
    /// For how long a person waits for scores that are undecided; then they go on while nothing else is asked for. Of
    /// what is asked for from now on.
    void setPatience(std::chrono::seconds patience) { m_patience = patience; }
    /// The same for the data folder alone.
    void setDataFolder(const std::filesystem::path& folder);
    /// Scores of two states on the same rows, of one model or of two; `done` is called again and again while numbers
    /// stream in, the last time with final set. A benchmark that can not be scored says so in its line.
    Ticket score(const ModelState& now, const ModelState& reference, const std::vector<std::string>& tasks,
                 const std::string& pinned, Reply<ScoreReply> done, Failed failed, Report report);
    /// The rows that are right in one of the two states and wrong in the other.
    Ticket flips(const ModelState& now, const ModelState& reference, const std::string& task,
                 Reply<std::vector<FlipRow>> done, Failed failed);
    /// The score while the first 1, 2, 3 ... of `order` are off, beside as many heads drawn at random, `draws`
    /// times from `seed`; `done` grows while it runs. Yields to everything else between two measurements.
    Ticket removalCurve(Side side, const std::string& task, int limit, const std::vector<interventions::HeadRef>& order,
                        int draws, std::uint64_t seed, Reply<RemovalCurveReply> done, Failed failed, Report report);
    /// Heads ranked; `done` grows while it runs (exact) and comes twice at the end. Yields to everything else between
    /// steps; one that was stopped goes on where it was when it is asked for again.
    Ticket rank(const RankRequest& request, Reply<HeadCosts> done, Failed failed, Report report);
    /// What a ranking of all heads by this request's task and examples would take, by method. Yields to everything.
    Ticket forecast(const RankRequest& request, Reply<RankForecast> done, Failed failed);
    /// What gradients say each head's removal would cost, in log odds; a loss is positive. Whatever the method says.
    Ticket estimate(RankRequest request, Reply<std::vector<HeadValue>> done, Failed failed, Report report);
    /// Every score of every head that a map gives.
    Ticket headScores(Side side, const Prompt& prompt, const interventions::InterventionSet& ablation,
                      Reply<HeadScores> done, Failed failed, Report report);
    /// The same with all heads on, of the first sample of `task`: what heads are for there, whatever is looked at.
    Ticket headScores(Side side, const std::string& task, Reply<HeadScores> done, Failed failed, Report report);
    void cancel(Ticket ticket);
    void cancelAll();

    /// The worker's side; app/backend only.
    struct Opened;
    class State;

private:
    std::unique_ptr<State> m_state; ///< used by the worker only
    std::chrono::seconds m_patience{10};
};

} // namespace headscope::app

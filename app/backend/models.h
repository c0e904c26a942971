// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The worker's state between requests: models, tokenizers, prepared benchmarks, rows already scored, and the session.
// Worker thread only.

#include "app/backend/job.h"
#include "app/backend/pattern/rowcache.h"
#include "app/backend/values.h"
#include "app/workbench/models/openmodel.h"
#include "app/workbench/prompt/prompt.h"
#include "core/engine/pattern/streamstore.h"
#include "core/engine/scoring/pairs/boundary.h"
#include "core/engine/worker.h"
#include "core/tasks/ownmodels.h"
#include "core/text/chattemplate.h"
#include "core/why/lenses/jacobianfile.h"

#include <map>

namespace headscope::app {

class PatternSource;
class RankJob;

/// An open model with everything that was prepared for it.
struct Opened : OpenModel {
    Settings openedWith;
    ModelSummary summary;
    std::optional<text::ChatTemplate> chat{};
    std::map<std::pair<std::string, int>, std::shared_ptr<const engine::Benchmark>> benchmarks; ///< by task and limit
    std::map<std::pair<const engine::Benchmark*, std::string>, engine::MergedRows> merged;      ///< of those, by part
    RowCache rows;
    std::shared_ptr<engine::StreamStore> streams;     ///< activations of recent prompts
    std::pair<std::string, why::JacobianLens> fitted; ///< the lens that was read last, by its file's name and content
};

/// A prompt as tokenized by an open model.
struct ReadPrompt {
    std::shared_ptr<Opened> model;
    text::Encoding encoding;
};

class Models
{
public:
    explicit Models(ModelsOptions options) : m_options(std::move(options)), m_worker(0, {.begins = [this] { rest(); }})
    {
    }

    [[nodiscard]] const ModelsOptions& options() const { return m_options; }
    [[nodiscard]] Result<std::vector<std::string>> openSession(const std::filesystem::path& file);
    [[nodiscard]] Result<ModelSummary> openModel(Side side, const ModelChoice& wanted, const Control& control);
    void closeModel(Side side);
    [[nodiscard]] Result<std::shared_ptr<Opened>> opened(Side side);
    /// Returns the samples of a task, for prompts.
    [[nodiscard]] Result<const tasks::TaskSet*> taskSet(const std::string& task, const Opened* model);
    [[nodiscard]] Result<Prompt> sample(const std::string& task, int index);
    [[nodiscard]] Result<std::shared_ptr<const engine::Benchmark>> benchmark(Opened& model, const std::string& task,
                                                                             int limit = 0);

    using RowSink = engine::Benchmark::RowSink;
    /// Returns the rows that the tokenizer merges at the boundary of context and continuation; counted only once.
    [[nodiscard]] const engine::MergedRows&
    merged(Opened& model, const std::shared_ptr<const engine::Benchmark>& benchmark, const std::string& task);
    /// Returns the rows of a benchmark under a set that memory and session contain.
    [[nodiscard]] Result<std::shared_ptr<engine::Rows>> known(Opened& model,
                                                              const std::shared_ptr<const engine::Benchmark>& benchmark,
                                                              const interventions::InterventionSet& set,
                                                              const RowSink& sink = {});
    /// Scores the missing ones of these examples (empty: of all) and stores them. Calls `sink` with new rows.
    [[nodiscard]] Result<void> run(Opened& model, const std::shared_ptr<const engine::Benchmark>& benchmark,
                                   const interventions::InterventionSet& set, const std::vector<bool>& only,
                                   const RowSink& sink, const Control& control);
    /// Returns how long undecided scores run as urgent work; after that they continue while the worker is idle.
    [[nodiscard]] std::chrono::seconds patience() const { return m_patience; }
    void setPatience(std::chrono::seconds patience) { m_patience = patience; }
    [[nodiscard]] engine::Worker& worker() { return m_worker; }
    /// Computes some layers of the prompt on the screen in advance, a layer at a time while the worker is otherwise
    /// idle, so that maps of their heads appear at once.
    void runAhead(Side side, const Prompt& prompt, const interventions::InterventionSet& ablation);
    void setSettings(const Settings& settings);
    /// Tokenizes a prompt for a side. Fails if the side has no model.
    [[nodiscard]] Result<ReadPrompt> read(Side side, const Prompt& prompt);
    /// Tokenizes a prompt for a model; samples are encoded by the rules of their task.
    [[nodiscard]] Result<text::Encoding> encode(const Opened& model, const Prompt& prompt);
    [[nodiscard]] sessions::SessionStore* session() { return m_session ? &*m_session : nullptr; }
    /// Returns the job of this ranking: the one that was stopped, or a new one.
    [[nodiscard]] std::shared_ptr<RankJob> ranking(const RankRequest& request);
    void forgetRanking(const RankRequest& request) { m_rankings.erase(request); }
    /// The source of the last map of this side; may be null.
    [[nodiscard]] std::shared_ptr<const PatternSource>& patternSource(Side side) { return m_patterns[side]; }

private:
    [[nodiscard]] Result<std::shared_ptr<KnownRows>> begun(Opened& model,
                                                           const std::shared_ptr<const engine::Benchmark>& benchmark,
                                                           const interventions::InterventionSet& set,
                                                           const RowSink& sink);
    /// Releases memory of the open models' scorers while the worker is idle.
    void rest();
    [[nodiscard]] std::int64_t memoryOfOtherSide(Side side) const;
    /// Returns the bytes available for stored activations of a model, by its scorer and as streams of prompts.
    [[nodiscard]] std::int64_t keptBytes(const Opened& model) const;
    [[nodiscard]] std::int64_t streamBytes(const Opened& model) const;
    ModelsOptions m_options;
    std::chrono::seconds m_patience{10};
    std::map<Side, std::shared_ptr<Opened>> m_models; ///< shared with jobs in steps, which may outlast the model here
    std::map<RankRequest, std::shared_ptr<RankJob>> m_rankings; ///< of the open models, including finished rankings
    std::map<Side, std::shared_ptr<const PatternSource>> m_patterns;
    std::map<Side, Ticket> m_ahead;                                            ///< the ticket of the last runAhead()
    std::map<std::pair<std::string, tasks::OwnModel>, tasks::TaskSet> m_tasks; ///< for prompts
    std::optional<sessions::SessionStore> m_session;
    std::uint64_t m_sessions = 0; ///< number of sessions opened and closed so far
    engine::Worker m_worker;      ///< last: joined first
};

[[nodiscard]] PromptOrigin originOf(const Prompt& prompt);
[[nodiscard]] ModelSummary summaryOf(const lm::LoadedModel& loaded, const std::string& name, const std::string& path);
/// Returns each token with the part of `text` that it covers.
[[nodiscard]] TokenizedPrompt tokenized(const std::string& text, const text::Encoding& encoding);
/// Converts the byte spans of a prompt to token spans.
[[nodiscard]] std::vector<Span> tokenSpans(const std::vector<Span>& bytes, const TokenizedPrompt& prompt);
[[nodiscard]] std::vector<Span> spansOf(const std::vector<tasks::Segment>& segments);

} // namespace headscope::app

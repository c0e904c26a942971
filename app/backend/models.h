// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the worker keeps between requests: models, tokenizers, prepared benchmarks, rows already scored, the session.
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

/// One open model with everything prepared on it.
struct Opened : OpenModel {
    Settings openedWith;
    ModelSummary summary;
    std::optional<text::ChatTemplate> chat{};
    std::map<std::pair<std::string, int>, std::shared_ptr<const engine::Benchmark>> benchmarks; ///< task and limit
    std::map<std::pair<const engine::Benchmark*, std::string>, engine::MergedRows> merged;      ///< of those, by part
    RowCache rows;
    std::shared_ptr<engine::StreamStore> streams;     ///< of prompts that were looked at
    std::pair<std::string, why::JacobianLens> fitted; ///< the lens that was read last, by its file's name and content
};

/// What an open model reads of a prompt.
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
    /// The examples of a task, for prompts.
    [[nodiscard]] Result<const tasks::TaskSet*> taskSet(const std::string& task, const Opened* model);
    [[nodiscard]] Result<Prompt> sample(const std::string& task, int index);
    [[nodiscard]] Result<std::shared_ptr<const engine::Benchmark>> benchmark(Opened& model, const std::string& task,
                                                                             int limit = 0);

    using RowSink = engine::Benchmark::RowSink;
    /// Rows that the tokenizer merges at their boundary; counted once.
    [[nodiscard]] const engine::MergedRows&
    merged(Opened& model, const std::shared_ptr<const engine::Benchmark>& benchmark, const std::string& task);
    /// What memory and session know of a benchmark under a set.
    [[nodiscard]] Result<std::shared_ptr<engine::Rows>> known(Opened& model,
                                                              const std::shared_ptr<const engine::Benchmark>& benchmark,
                                                              const interventions::InterventionSet& set,
                                                              const RowSink& sink = {});
    /// Runs what is missing of these examples (empty: of all), and keeps it. `sink` hears of new rows.
    [[nodiscard]] Result<void> run(Opened& model, const std::shared_ptr<const engine::Benchmark>& benchmark,
                                   const interventions::InterventionSet& set, const std::vector<bool>& only,
                                   const RowSink& sink, const Control& control);
    /// For how long a person waits for scores that are undecided; then they go on while nothing else is asked for.
    [[nodiscard]] std::chrono::seconds patience() const { return m_patience; }
    void setPatience(std::chrono::seconds patience) { m_patience = patience; }
    [[nodiscard]] engine::Worker& worker() { return m_worker; }
    /// Runs some layers ahead of a prompt that is on the screen, a layer at a time whenever nobody looks for anything
    /// else, so that heads there are read at once.
    void runAhead(Side side, const Prompt& prompt, const interventions::InterventionSet& ablation);
    void setSettings(const Settings& settings);
    /// Fails where the side has no model.
    [[nodiscard]] Result<ReadPrompt> read(Side side, const Prompt& prompt);
    /// What the model reads of a prompt: samples as their task encodes them.
    [[nodiscard]] Result<text::Encoding> encode(const Opened& model, const Prompt& prompt);
    [[nodiscard]] sessions::SessionStore* session() { return m_session ? &*m_session : nullptr; }
    /// The ranking asked for: the one that was stopped, or a new one.
    [[nodiscard]] std::shared_ptr<RankJob> ranking(const RankRequest& request);
    void forgetRanking(const RankRequest& request) { m_rankings.erase(request); }
    /// What the last map of this side was read from; may be empty.
    [[nodiscard]] std::shared_ptr<const PatternSource>& patternSource(Side side) { return m_patterns[side]; }

private:
    [[nodiscard]] Result<std::shared_ptr<KnownRows>> begun(Opened& model,
                                                           const std::shared_ptr<const engine::Benchmark>& benchmark,
                                                           const interventions::InterventionSet& set,
                                                           const RowSink& sink);
    /// Nobody asks for anything.
    void rest();
    [[nodiscard]] std::int64_t memoryTakenBeside(Side side) const;
    /// What may be kept of a model's runs, by its scorer and as streams of prompts.
    [[nodiscard]] std::int64_t keptBytes(const Opened& model) const;
    [[nodiscard]] std::int64_t streamBytes(const Opened& model) const;
    ModelsOptions m_options;
    std::chrono::seconds m_patience{10};
    std::map<Side, std::shared_ptr<Opened>> m_models; ///< shared with a job in steps, which a newer model may overtake
    std::map<RankRequest, std::shared_ptr<RankJob>> m_rankings; ///< of the open models, finished ones too
    std::map<Side, std::shared_ptr<const PatternSource>> m_patterns;
    std::map<Side, Ticket> m_ahead;                                            ///< of the last runAhead()
    std::map<std::pair<std::string, tasks::OwnModel>, tasks::TaskSet> m_tasks; ///< for prompts
    std::optional<sessions::SessionStore> m_session;
    std::uint64_t m_sessions = 0; ///< that were opened and closed
    engine::Worker m_worker;      ///< last: joined first
};

[[nodiscard]] PromptOrigin originOf(const Prompt& prompt);
[[nodiscard]] ModelSummary summaryOf(const lm::LoadedModel& loaded, const std::string& name, const std::string& path);
/// Tokens as what they write of `text`.
[[nodiscard]] TokenizedPrompt tokenized(const std::string& text, const text::Encoding& encoding);
/// Byte spans of a prompt as token spans.
[[nodiscard]] std::vector<Span> tokenSpans(const std::vector<Span>& bytes, const TokenizedPrompt& prompt);
[[nodiscard]] std::vector<Span> spansOf(const std::vector<tasks::Segment>& segments);

} // namespace headscope::app

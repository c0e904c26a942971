// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the worker keeps between requests: models, tokenizers, prepared benchmarks, rows already scored, the session.
// Worker thread only.

#include "app/backend/backend.h"
#include "app/workbench/openmodel.h"
#include "core/engine/worker.h"

#include <map>

namespace headscope::app {

class PatternSource;
class RankJob;

/// One open model with everything prepared on it.
struct Backend::Opened : OpenModel {
    Settings openedWith;
    ModelSummary summary;
    std::map<std::pair<std::string, int>, std::shared_ptr<const engine::Benchmark>> benchmarks; ///< task and limit
    std::map<std::pair<const engine::Benchmark*, std::string>, engine::Rows> rows;              ///< by ablation text
};

class Backend::State
{
public:
    explicit State(BackendOptions options) : m_options(std::move(options)) {}

    [[nodiscard]] const BackendOptions& options() const { return m_options; }
    [[nodiscard]] Result<std::vector<std::string>> openSession(const std::filesystem::path& file);
    [[nodiscard]] Result<ModelSummary> openModel(Side side, const std::string& model, const Control& control);
    void closeModel(Side side);
    [[nodiscard]] Result<std::shared_ptr<Opened>> opened(Side side);
    [[nodiscard]] Result<Prompt> sample(const std::string& task, int index);
    [[nodiscard]] Result<std::shared_ptr<const engine::Benchmark>> benchmark(Opened& model, const std::string& task,
                                                                             int limit = 0);

    /// Rows of a benchmark under an ablation: those known already and the rest run now. `sink` hears of new rows.
    [[nodiscard]] Result<engine::Rows*> rows(Opened& model, const engine::Benchmark& benchmark,
                                             const interventions::InterventionSet& set,
                                             const std::function<void(const engine::Rows&)>& sink,
                                             const Control& control);
    /// Rows of a benchmark that neither memory nor session keeps: of sets that are looked at once.
    [[nodiscard]] static Result<engine::Rows> measure(Opened& model, const engine::Benchmark& benchmark,
                                                      const interventions::InterventionSet& set,
                                                      const Control& control);
    void setSettings(const Settings& settings);
    /// What the model reads of a prompt: samples as their task encodes them.
    [[nodiscard]] Result<text::Encoding> encode(const Opened& model, const Prompt& prompt);
    [[nodiscard]] sessions::SessionStore* session() { return m_session ? &*m_session : nullptr; }
    /// The ranking asked for: the one that was stopped, or a new one.
    [[nodiscard]] std::shared_ptr<RankJob> ranking(const RankRequest& request);
    void forgetRanking(const RankRequest& request) { m_rankings.erase(request); }
    /// What the last map of this side was read from; may be empty.
    [[nodiscard]] std::shared_ptr<const PatternSource>& patternSource(Side side) { return m_patterns[side]; }

private:
    friend class Backend;
    /// The examples of a task, for prompts.
    [[nodiscard]] Result<const tasks::TaskSet*> taskSet(const std::string& task);
    [[nodiscard]] std::int64_t memoryTakenBeside(Side side) const;
    BackendOptions m_options;
    std::map<Side, std::shared_ptr<Opened>> m_models; ///< shared with a job in steps, which a newer model may overtake
    std::map<RankRequest, std::shared_ptr<RankJob>> m_rankings; ///< of the open models, finished ones too
    std::map<Side, std::shared_ptr<const PatternSource>> m_patterns;
    std::map<std::string, tasks::TaskSet> m_tasks; ///< for prompts
    std::optional<sessions::SessionStore> m_session;
    engine::Worker m_worker; ///< last: joined first
};

[[nodiscard]] ModelSummary summaryOf(const lm::LoadedModel& loaded, const std::string& name, const std::string& path);
[[nodiscard]] TokenizedPrompt tokenized(const text::Encoding& encoding);
/// Byte spans of a prompt as token spans.
[[nodiscard]] std::vector<Span> tokenSpans(const std::vector<Span>& bytes, const TokenizedPrompt& prompt);
[[nodiscard]] std::vector<Span> spansOf(const std::vector<tasks::Segment>& segments);

} // namespace headscope::app

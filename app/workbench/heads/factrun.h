// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Measures facts about heads that a survey does not contain, in steps, so that its caller can do other work in between:
// scores of weights and probes, and the cost of removing each on benchmarks and on the next tokens of the same texts.
// Lives on the thread that runs the model.

#include "app/workbench/heads/headfacts.h"
#include "app/workbench/heads/headranking.h"
#include "app/workbench/scores/removalrows.h"
#include "app/workbench/survey/surveytexts.h"
#include "core/survey/loss.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace headscope::app {

struct FactRequest {
    SurveyRequest texts;                       ///< their `ablation` applies throughout
    std::vector<interventions::HeadRef> heads; ///< heads whose removal is measured; empty: all
    std::vector<std::string> tasks;            ///< on these tasks
    bool loss = true;                          ///< also on next tokens
};

class FactRun
{
public:
    /// Prepares a task for the model.
    using Prepare = std::function<Result<std::shared_ptr<const engine::Benchmark>>(const std::string& task)>;

    /// Prepares a run on a model that must outlive it. Fails for texts that cannot be read.
    [[nodiscard]] static Result<FactRun> open(OpenModel& open, const Settings& settings, const FactRequest& request,
                                              Prepare prepare, const Control& control);

    /// Runs one portion. Returns false when finished. Failed measurements are noted in the sheet, and the rest
    /// continues; fails if stopped. Costs of removal are read from `session` (null: none) if known, and stored there.
    [[nodiscard]] Result<bool> step(sessions::SessionStore* session, const Control& control);
    [[nodiscard]] FactSheet sheet() const;

private:
    FactRun(OpenModel& open, Settings settings, FactRequest request, Prepare prepare, SurveyTexts texts)
        : m_open(&open), m_settings(std::move(settings)), m_request(std::move(request)), m_prepare(std::move(prepare)),
          m_texts(std::move(texts))
    {
    }
    [[nodiscard]] Result<void> describe(sessions::SessionStore* session, const Control& control);
    [[nodiscard]] Result<void> probe(const Control& control);
    [[nodiscard]] Result<void> attribute(const Control& control);
    [[nodiscard]] Result<void> readWeights(const Control& control);
    [[nodiscard]] Result<bool> stepTask(sessions::SessionStore* session, const Control& control);
    [[nodiscard]] Result<void> startTask(sessions::SessionStore* session);
    [[nodiscard]] Result<void> findRoles(const std::string& task, const Control& control);
    [[nodiscard]] Result<bool> stepLoss(sessions::SessionStore* session, const Control& control);
    [[nodiscard]] Result<void> startLoss(const Control& control);
    [[nodiscard]] RemovalRows nextTokens() const;
    /// Returns the requested heads for which the facts are not known yet.
    [[nodiscard]] std::vector<interventions::HeadRef> unknownHeads(const std::function<bool(const HeadFacts&)>& known);
    void keepCosts(const std::string& task);
    void keepLoss(std::vector<HeadFacts>& heads, std::int64_t& over) const;
    /// Ignores failures, which end only their own measurement, unless the run was stopped.
    [[nodiscard]] Result<void> unlessStopped(Result<void> done);
    [[nodiscard]] HeadFacts& factsOf(const std::string& head);

    OpenModel* m_open;
    Settings m_settings;
    FactRequest m_request;
    Prepare m_prepare;
    SurveyTexts m_texts;
    FactSheet m_sheet;
    bool m_described = false;
    std::size_t m_task = 0;
    std::shared_ptr<const engine::Benchmark> m_benchmark;
    std::unique_ptr<HeadRanking> m_ranking;
    RemovalRows m_taskRows;                                         ///< of the task being measured
    std::optional<std::vector<interventions::HeadRef>> m_lossHeads; ///< heads whose loss is still to be measured
    std::optional<survey::LossSurvey> m_loss;
};

} // namespace headscope::app

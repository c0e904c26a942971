// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads put in order on an open model, a step at a time, so that its caller can do other things between two
// steps and go on later. Lives on the thread that runs the model.

#include "app/notebook/evaluation.h"
#include "app/workbench/heads/rankmethod.h"
#include "app/workbench/models/openmodel.h"
#include "core/engine/ranking/attribution.h"
#include "core/engine/ranking/race.h"
#include "core/engine/ranking/rank.h"

#include <optional>
#include <vector>

namespace headscope::app {

struct RankOptions {
    RankMethod method = RankMethod::Exact;
    interventions::InterventionSet fixed;      ///< what is off besides
    std::vector<interventions::HeadRef> heads; ///< empty: all
    int top = 0;                               ///< Race: that many; 0: ten, or all but one of fewer heads
    double errorProbability = 0.05;            ///< Race
    double work = 1;                           ///< Race: the largest share of the exact ranking's runs
    int steps = 4;           ///< Estimate: one alone sees little in a model that is sure of its answers
    double agreement = 0.95; ///< Estimate: rank correlation at which no more examples are taken
    engine::Prepare prepare; ///< Race: how a round may be shared
    MeasurePieces pieces{};  ///< Estimate: how its batches are measured; empty: here, a step at a time
};

/// What a race says about itself.
struct RaceReport {
    bool exact = false;          ///< it took every example
    int certain = 0;             ///< of the first `top`, those that are decided
    double errorProbability = 0; ///< that one of these is not of the exact set; 0 when exact
    double work = 0;             ///< share of the runs that an exact ranking needs
    int top = 0;
    std::size_t examples = 0;

    /// Whether the intervals decided the whole set.
    [[nodiscard]] bool decidedEarly() const { return !exact && certain == top; }
};

class HeadRanking
{
public:
    /// Model and benchmark outlive this.
    HeadRanking(OpenModel& open, const Settings& settings, const engine::Benchmark& benchmark, RankOptions options);
    HeadRanking(const HeadRanking&) = delete; ///< what it drives refers to it
    HeadRanking& operator=(const HeadRanking&) = delete;

    /// Some rows of one head, some layers of an estimate, or all heads at once where the method needs no more; what is
    /// measured is kept in `session` (null: nowhere). False when all heads are in. When stopped, the next step
    /// continues where it was.
    [[nodiscard]] Result<bool> step(sessions::SessionStore* session, const Control& control);

    /// Estimate: has its pieces measure all that it may need, and does not rank.
    [[nodiscard]] Result<void> measurePieces(const Control& control);

    /// Exact: more heads, behind those that were asked for; there is another step then.
    void add(const std::vector<interventions::HeadRef>& heads);

    /// So far, in the order in which they were measured; of methods that rank all at once, and of a finished race, in
    /// theirs. An estimate has all heads from its first examples on.
    [[nodiscard]] std::vector<engine::RankedHead> measured() const;
    /// The largest loss first.
    [[nodiscard]] std::vector<engine::RankedHead> sorted() const;
    /// Grows whenever measured() says something new.
    [[nodiscard]] std::int64_t known() const;

    [[nodiscard]] tasks::Score baseline() const;          ///< the task's first number; Exact and Race only
    [[nodiscard]] std::optional<RaceReport> race() const; ///< of a finished race
    [[nodiscard]] std::optional<double> agreement() const
    {
        return m_agreement;
    } ///< of an estimate: with that of as many other examples
    /// Of a pattern score: what a head that reads all tokens alike has.
    [[nodiscard]] std::optional<double> uniform() const { return m_uniform; }
    /// Of an estimate with a limit of memory: bytes beside the weights.
    [[nodiscard]] std::optional<std::int64_t> forecast() const { return m_forecast; }

private:
    [[nodiscard]] Result<bool> stepExact(const Control& control);
    [[nodiscard]] Result<bool> stepRace(const Control& control);
    [[nodiscard]] Result<void> startEstimate();
    [[nodiscard]] Result<bool> stepEstimate(const Control& control);
    [[nodiscard]] Result<void> byPattern(const Control& control);
    /// Fails as stopped while rows are missing, and has them with a later step.
    [[nodiscard]] Result<engine::Rows> measure(const engine::Benchmark& benchmark,
                                               const interventions::InterventionSet& set);

    /// What is being measured.
    struct Measuring {
        std::vector<std::string> hashes; ///< of the benchmark's examples
        interventions::InterventionSet set;
        sessions::SessionStore* session = nullptr;
        const engine::Benchmark* benchmark = nullptr;
        engine::Rows rows;
        std::optional<Evaluation> evaluation;
    };
    [[nodiscard]] Result<bool> unlessUnfinished(Result<bool> more) const;

    OpenModel* m_open;
    Settings m_settings;
    const engine::Benchmark* m_benchmark;
    RankOptions m_options;
    std::optional<engine::RemovalRanking> m_removal;
    std::optional<engine::Race> m_race;
    std::optional<engine::RemovalEstimate> m_estimate;
    std::optional<std::vector<engine::RankedHead>> m_whole; ///< of methods that need one step
    std::optional<double> m_agreement, m_uniform;
    std::optional<std::int64_t> m_forecast;
    sessions::SessionStore* m_session = nullptr; ///< of the step that runs
    std::stop_token m_stop;                      ///< of the step that runs
    std::optional<Measuring> m_measuring;
};

} // namespace headscope::app

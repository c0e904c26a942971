// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Ranks the heads of an open model in steps, so that its caller can do other work between two steps and resume later.
// Lives on the thread that runs the model.

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
    interventions::InterventionSet fixed;      ///< ablated in addition throughout
    std::vector<interventions::HeadRef> heads; ///< empty: all
    int top = 0;                               ///< Race: number of heads; 0: ten, or all but one of fewer heads
    double errorProbability = 0.05;            ///< Race
    double work = 1;                           ///< Race: largest share of the exact ranking's runs
    int steps = 4;           ///< Estimate: a single step underestimates effects if the model is certain of its answers
    double agreement = 0.95; ///< Estimate: rank correlation at which no further examples are used
    engine::Prepare prepare; ///< Race: how a round can be shared
    MeasurePieces pieces{};  ///< Estimate: how batches are measured; empty: here, one step at a time
};

/// The certainty and cost of a finished race.
struct RaceReport {
    bool exact = false;          ///< all examples were used
    int certain = 0;             ///< number of decided heads among the first `top`
    double errorProbability = 0; ///< probability that one of these is not in the exact set; 0 if exact
    double work = 0;             ///< share of the runs of an exact ranking
    int top = 0;
    std::size_t examples = 0;

    /// Returns whether the intervals decided the whole set.
    [[nodiscard]] bool decidedEarly() const { return !exact && certain == top; }
};

class HeadRanking
{
public:
    /// The model and the benchmark must outlive this.
    HeadRanking(OpenModel& open, const Settings& settings, const engine::Benchmark& benchmark, RankOptions options);
    HeadRanking(const HeadRanking&) = delete; ///< its members refer to it
    HeadRanking& operator=(const HeadRanking&) = delete;

    /// Runs some rows of one head, some layers of an estimate, or all heads at once if the method needs no more; stores
    /// measurements in `session` (null: nowhere). Returns false when all heads are measured. After a stop, the next
    /// step resumes where it was.
    [[nodiscard]] Result<bool> step(sessions::SessionStore* session, const Control& control);

    /// Estimate: measures all pieces that may be needed, without ranking.
    [[nodiscard]] Result<void> measurePieces(const Control& control);

    /// Exact: appends heads to those requested; another step follows then.
    void add(const std::vector<interventions::HeadRef>& heads);

    /// Returns results so far in order of measurement; for methods that rank all at once, and for a finished race, in
    /// order of rank. An estimate has all heads from its first examples on.
    [[nodiscard]] std::vector<engine::RankedHead> measured() const;
    /// Returns the heads by descending loss.
    [[nodiscard]] std::vector<engine::RankedHead> sorted() const;
    /// Returns a number that grows whenever measured() has new results.
    [[nodiscard]] std::int64_t known() const;

    [[nodiscard]] tasks::Score baseline() const;          ///< first metric of the task; Exact and Race only
    [[nodiscard]] std::optional<RaceReport> race() const; ///< of a finished race
    [[nodiscard]] std::optional<double> agreement() const
    {
        return m_agreement;
    } ///< of an estimate: rank correlation with as many other examples
    /// Returns, for a pattern score, the score of a head that attends uniformly.
    [[nodiscard]] std::optional<double> uniform() const { return m_uniform; }
    /// Returns, for an estimate with a memory limit, the bytes needed in addition to the weights.
    [[nodiscard]] std::optional<std::int64_t> forecast() const { return m_forecast; }

private:
    [[nodiscard]] Result<bool> stepExact(const Control& control);
    [[nodiscard]] Result<bool> stepRace(const Control& control);
    [[nodiscard]] Result<void> startEstimate();
    [[nodiscard]] Result<bool> stepEstimate(const Control& control);
    [[nodiscard]] Result<void> byPattern(const Control& control);
    /// Fails as stopped while rows are missing; a later step has them.
    [[nodiscard]] Result<engine::Rows> measure(const engine::Benchmark& benchmark,
                                               const interventions::InterventionSet& set);

    /// The measurement in progress.
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
    sessions::SessionStore* m_session = nullptr; ///< of the current step
    std::stop_token m_stop;                      ///< of the current step
    std::optional<Measuring> m_measuring;
};

} // namespace headscope::app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Rows that are run some at a time between engine and session. Lives on the thread that runs the engine; the session
// object must live there too.

#include "app/notebook/notebook.h"
#include "core/engine/scoring/portion.h"
#include "sessions/results/resultwriter.h"

#include <map>

namespace headscope::app {

/// Rows of one benchmark under one set that are run some at a time. What the session knows is not run again.
class Evaluation
{
public:
    /// Puts what `session` (null: none) knows into `rows` and reports it to `sink`. Everything but `rows` outlives
    /// this.
    [[nodiscard]] static Result<Evaluation> begin(sessions::SessionStore* session, const Subject& subject,
                                                  const engine::Benchmark& benchmark,
                                                  const interventions::InterventionSet& set, engine::Rows& rows,
                                                  const engine::Benchmark::RowSink& sink);
    /// Which rows the session knows already, by example; nothing is written.
    [[nodiscard]] static Result<std::vector<bool>> known(sessions::SessionStore& session, const Subject& subject,
                                                         const engine::Benchmark& benchmark,
                                                         const interventions::InterventionSet& set);
    /// Runs what `rows` does not have of `only` (empty: of all) and stores it. When stopped, what was finished is
    /// stored and in `rows`. A session that cannot be written any more (full disk) ends the run with its sentence, and
    /// so does a file that an intervention reads and that changes meanwhile; everything stored before stays. `writer`:
    /// of this session, and flushed by its owner; null: one of this run.
    [[nodiscard]] Result<void> run(engine::Scorer& scorer, const lm::DonorLoader& donors, engine::Rows& rows,
                                   const engine::Benchmark::RowSink& sink, const Control& control,
                                   const std::vector<bool>& only = {}, sessions::ResultWriter* writer = nullptr) const;

private:
    sessions::SessionStore* m_session = nullptr; ///< null: nothing is stored
    const engine::Benchmark* m_benchmark = nullptr;
    Subject m_subject;
    interventions::InterventionSet m_set;
    std::string m_outside;                               ///< what the set read when this was begun
    std::map<std::string, sessions::SeriesKey> m_series; ///< by leaf task
};

} // namespace headscope::app

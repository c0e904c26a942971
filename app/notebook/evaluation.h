// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Evaluates rows in steps, between engine and session. Lives on the thread that runs the engine; the session object
// must live there too.

#include "app/notebook/notebook.h"
#include "core/engine/scoring/portion.h"
#include "sessions/results/resultwriter.h"

#include <map>

namespace headscope::app {

/// The rows of one benchmark under one set, evaluated in steps. Rows in the session are not run again.
class Evaluation
{
public:
    /// Reads the rows in `session` (null: none) into `rows` and reports them to `sink`. Everything but `rows` must
    /// outlive this.
    [[nodiscard]] static Result<Evaluation> begin(sessions::SessionStore* session, const Subject& subject,
                                                  const engine::Benchmark& benchmark,
                                                  const interventions::InterventionSet& set, engine::Rows& rows,
                                                  const engine::Benchmark::RowSink& sink);
    /// Returns which rows the session already contains, by example; writes nothing.
    [[nodiscard]] static Result<std::vector<bool>> known(sessions::SessionStore& session, const Subject& subject,
                                                         const engine::Benchmark& benchmark,
                                                         const interventions::InterventionSet& set);
    /// Runs those of `only` (empty: all) that are missing in `rows`, and stores them. After a stop, finished rows are
    /// stored and in `rows`. Fails if the session cannot be written any more (full disk), or if a file that an
    /// intervention reads has changed meanwhile; everything stored before is kept. `writer`: of this session, and
    /// flushed by its owner; null: one for this run.
    [[nodiscard]] Result<void> run(engine::Scorer& scorer, const lm::DonorLoader& donors, engine::Rows& rows,
                                   const engine::Benchmark::RowSink& sink, const Control& control,
                                   const std::vector<bool>& only = {}, sessions::ResultWriter* writer = nullptr) const;

private:
    sessions::SessionStore* m_session = nullptr; ///< null: nothing is stored
    const engine::Benchmark* m_benchmark = nullptr;
    Subject m_subject;
    interventions::InterventionSet m_set;
    std::string m_outside;                               ///< inputs of the set at the start
    std::map<std::string, sessions::SeriesKey> m_series; ///< by leaf task
};

} // namespace headscope::app

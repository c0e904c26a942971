// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What removing heads costs, as rows of a session: an analysis of the kind "removal" for each benchmark, and one for
// the next tokens of a collection of texts. On the thread that runs the model; the session object must live there too.

#include "app/workbench/heads/headfacts.h"
#include "app/workbench/survey/surveytexts.h"
#include "sessions/analysisrecords.h"

#include <optional>
#include <string>

namespace headscope::sessions {
class SessionStore;
}

namespace headscope::app {

/// Which rows: all that decides their numbers.
struct RemovalRows {
    std::string task;   ///< empty: next tokens
    std::string source; ///< on what, for people
    sessions::AnalysisKey key;
};

[[nodiscard]] RemovalRows removalRows(const OpenModel& open, const interventions::InterventionSet& ablation,
                                      const std::string& task, const engine::Benchmark& benchmark);
/// `texts`: their hash; `start`: the token before each window.
[[nodiscard]] RemovalRows removalRows(const OpenModel& open, const SurveyRequest& request, const std::string& texts,
                                      const std::string& source, std::optional<int> start);

/// Stores what is known of all heads there, in place of what was stored before. A session for reading only stays as it
/// is.
[[nodiscard]] Result<void> keepRemovals(sessions::SessionStore& session, const OpenModel& open, const RemovalRows& rows,
                                        const FactSheet& facts);
/// Puts what is stored there in place of what is known of it.
[[nodiscard]] Result<void> takeRemovals(sessions::SessionStore& session, const RemovalRows& rows, FactSheet& facts);
/// All that is stored of this model under this ablation: of each benchmark the rows stored last, and the next tokens of
/// these texts.
[[nodiscard]] Result<void> takeAllRemovals(sessions::SessionStore& session, const RemovalRows& nextTokens,
                                           FactSheet& facts);

} // namespace headscope::app

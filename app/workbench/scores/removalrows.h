// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The cost of removing heads as session records: an analysis of the kind "removal" for each benchmark, and one for the
// next tokens of a collection of texts. On the thread that runs the model; the session object must live there too.

#include "app/workbench/heads/headfacts.h"
#include "app/workbench/survey/surveytexts.h"
#include "sessions/analyses.h"

#include <optional>
#include <string>

namespace headscope::sessions {
class SessionStore;
}

namespace headscope::app {

/// The identity of such a record: everything that determines its values.
struct RemovalRows {
    std::string task;   ///< empty: next tokens
    std::string source; ///< description of the rows, for people
    sessions::AnalysisKey key;
};

[[nodiscard]] RemovalRows removalRows(const OpenModel& open, const interventions::InterventionSet& ablation,
                                      const std::string& task, const engine::Benchmark& benchmark);
/// `texts`: their hash; `start`: the token before each window.
[[nodiscard]] RemovalRows removalRows(const OpenModel& open, const SurveyRequest& request, const std::string& texts,
                                      const std::string& source, std::optional<int> start);

/// Stores the known costs of all heads, replacing the stored ones. Has no effect on a read-only
/// session.
[[nodiscard]] Result<void> keepRemovals(sessions::SessionStore& session, const OpenModel& open, const RemovalRows& rows,
                                        const FactSheet& facts);
/// Replaces costs in the sheet by those stored for these rows.
[[nodiscard]] Result<void> takeRemovals(sessions::SessionStore& session, const RemovalRows& rows, FactSheet& facts);
/// Reads all stored costs of this model under this ablation: for each benchmark the rows stored last, and the next
/// tokens of these texts.
[[nodiscard]] Result<void> takeAllRemovals(sessions::SessionStore& session, const RemovalRows& nextTokens,
                                           FactSheet& facts);

} // namespace headscope::app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a session knows of a model that is not on this machine, in the values that the worker would have answered with.
// Pure reading; GUI thread.

#include "app/backend/values.h"
#include "sessions/sessionstore.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::gui {

/// Marked as stored; benchmarks are the tasks that were scored on it.
[[nodiscard]] Result<std::shared_ptr<const app::ModelSummary>> storedModel(sessions::SessionStore& session,
                                                                           const std::string& hash);

/// The newest pattern kept of a head (or of any) in a state, of `prompt` where it is not empty; nothing where none was
/// kept.
[[nodiscard]] Result<std::optional<sessions::PatternInfo>>
storedPatternInfo(sessions::SessionStore& session, const std::string& hash,
                  const std::optional<interventions::HeadRef>& head, const interventions::InterventionSet& ablation,
                  const std::string& prompt);
[[nodiscard]] Result<std::shared_ptr<const app::PatternReply>> storedPattern(sessions::SessionStore& session,
                                                                             std::int64_t id);

/// A line a task that was scored, paired with the baseline; final. Lines of tasks that were not scored in this state
/// have no number for now.
[[nodiscard]] Result<std::shared_ptr<const app::ScoreReply>> storedScores(sessions::SessionStore& session,
                                                                          const std::string& hash,
                                                                          const std::vector<std::string>& tasks,
                                                                          const interventions::InterventionSet& set);

/// The series of a model on a task in a state with most examples; null where it was not scored.
[[nodiscard]] const sessions::SeriesScore* bestSeries(const std::vector<sessions::SeriesScore>& rows,
                                                      const std::string& hash, const std::string& task,
                                                      const std::string& ablation);

/// The ranking over most heads by a method; null where there is none.
[[nodiscard]] Result<std::shared_ptr<const std::vector<app::HeadValue>>>
storedRanking(sessions::SessionStore& session, const std::string& hash, const std::string& method);

} // namespace headscope::gui

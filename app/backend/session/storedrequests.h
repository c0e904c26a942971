// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stored results of a model that is not on this machine, in the value types of the worker's replies: requests for
// SessionDoor.

#include "app/backend/session/sessiondoor.h"
#include "app/backend/values.h"
#include "sessions/records.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

struct StoredModel {
    std::shared_ptr<const ModelSummary> summary; ///< marked as stored; benchmarks are the tasks that were scored on it
    /// By method, the ranking without ablations that covers the most heads: "exact" (dictionary lookup only), "gather",
    /// "aggregate".
    std::map<std::string, std::vector<HeadValue>> rankings;
    std::optional<sessions::PatternInfo> newest; ///< the pattern shown last with all heads on
    std::optional<Error> problem;                ///< why rankings or patterns cannot be read
};

[[nodiscard]] SessionRequest<StoredModel> storedModel(const std::string& hash);

/// A pattern that may have been stored.
struct PatternQuestion {
    std::string modelHash;
    interventions::HeadRef head;
    interventions::InterventionSet ablation;
    std::string prompt; ///< empty: any
};

/// Reads the newest such pattern; null if none was stored.
[[nodiscard]] SessionRequest<std::shared_ptr<const PatternReply>> storedPattern(const PatternQuestion& question);

/// Reads the scores of a state, one line per task, paired with the baseline; final. Lines of tasks that were not scored
/// in this state have no current value.
[[nodiscard]] SessionRequest<std::shared_ptr<const ScoreReply>> storedScores(const std::string& modelHash,
                                                                             const std::vector<std::string>& tasks,
                                                                             const interventions::InterventionSet& set);

} // namespace headscope::app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stores analyses in the window's session and reads them: requests for SessionDoor.

#include "app/backend/session/sessiondoor.h"
#include "app/backend/values/modelvalues.h"
#include "sessions/analyses.h"
#include "sessions/records.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

[[nodiscard]] SessionRequest<void> keepAnalyses(const sessions::ModelRecord& model,
                                                const std::vector<SavedAnalysis>& analyses);
/// Reads the analysis of a model that was stored last; nothing if there is none.
[[nodiscard]] SessionRequest<std::optional<sessions::AnalysisRecord>> analysisOf(const std::string& modelHash,
                                                                                 const std::string& kind);

} // namespace headscope::app

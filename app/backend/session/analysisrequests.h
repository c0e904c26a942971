// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Analyses that the window's session keeps: requests for SessionDoor.

#include "app/backend/session/sessiondoor.h"
#include "app/backend/values/modelvalues.h"
#include "sessions/analysisrecords.h"
#include "sessions/records.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

[[nodiscard]] SessionRequest<void> keepAnalyses(const sessions::ModelRecord& model,
                                                const std::vector<SavedAnalysis>& analyses);
/// The one kept last of a model; nothing where there is none.
[[nodiscard]] SessionRequest<std::optional<sessions::AnalysisRecord>> analysisOf(const std::string& modelHash,
                                                                                 const std::string& kind);

} // namespace headscope::app

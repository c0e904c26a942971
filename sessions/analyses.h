// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Analyses of a session: stored when they are over, the newest in the place of the same one before. On the thread of
// the store.

#include "core/base/result.h"
#include "sessions/analysisrecords.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::sessions {

class SessionStore;

/// In place of what was stored of the same question before.
[[nodiscard]] Result<void> putAnalysis(SessionStore& session, const AnalysisRecord& analysis);
/// Every analysis, the one stored first first, without its values.
[[nodiscard]] Result<std::vector<AnalysisRecord>> analyses(SessionStore& session);
/// With its values; nothing where there is none.
[[nodiscard]] Result<std::optional<AnalysisRecord>> storedAnalysis(SessionStore& session, const AnalysisKey& key);
/// The one stored last of a kind; of any model where the hash is empty. Nothing where there is none.
[[nodiscard]] Result<std::optional<AnalysisRecord>> newestAnalysis(SessionStore& session, const std::string& modelHash,
                                                                   const std::string& kind);

} // namespace headscope::sessions

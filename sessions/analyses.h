// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stores finished analyses in a session, replacing an earlier one of the same question, and reads them. On the thread
// of the store.

#include "core/base/result.h"
#include "sessions/analysisrecords.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::sessions {

class SessionStore;

/// Stores an analysis, replacing an earlier one of the same question.
[[nodiscard]] Result<void> putAnalysis(SessionStore& session, const AnalysisRecord& analysis);
/// Returns every analysis in the order of storing, without its values.
[[nodiscard]] Result<std::vector<AnalysisRecord>> analyses(SessionStore& session);
/// Returns an analysis with its values; nothing if there is none.
[[nodiscard]] Result<std::optional<AnalysisRecord>> storedAnalysis(SessionStore& session, const AnalysisKey& key);
/// Returns the latest analysis of a kind; of any model if the hash is empty. Nothing if there is none.
[[nodiscard]] Result<std::optional<AnalysisRecord>> newestAnalysis(SessionStore& session, const std::string& modelHash,
                                                                   const std::string& kind);

} // namespace headscope::sessions

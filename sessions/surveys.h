// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Surveys of a session: stored while they go on, so that a stop or a crash loses little, and read again. On the
// thread of the store.

#include "core/base/result.h"
#include "sessions/surveyrecords.h"

#include <optional>
#include <span>
#include <vector>

namespace headscope::sessions {

class SessionStore;

/// Stores how far a survey is and what its heads are like by now, in place of what was stored of it before. A survey
/// that is further along remains: another process may have stored it.
[[nodiscard]] Result<void> putSurvey(SessionStore& session, const SurveyRecord& survey,
                                     std::span<const SurveyHead> heads);
/// Stores its places and their texts, in place of those before, unless the survey is further by now. Fails for a survey
/// that is not stored, and for a place outside of the texts.
[[nodiscard]] Result<void> putSurveyPlaces(SessionStore& session, const SurveyRecord& survey,
                                           std::span<const SurveyPlace> places, std::span<const SurveyText> texts);

/// Every survey, in the order in which they were begun, without what belongs to their heads.
[[nodiscard]] Result<std::vector<SurveyRecord>> surveys(SessionStore& session);
/// How many tokens of one are measured; -1 where it is not there.
[[nodiscard]] Result<std::int64_t> surveyTokens(SessionStore& session, const SurveyKey& key);
/// All that is stored of one; nothing where it is not there.
[[nodiscard]] Result<std::optional<StoredSurvey>> survey(SessionStore& session, const SurveyKey& key);

} // namespace headscope::sessions

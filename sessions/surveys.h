// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stores surveys in a session while they run, so that a stop or a crash loses little, and reads them. On the thread of
// the store.

#include "core/base/result.h"
#include "sessions/surveyrecords.h"

#include <optional>
#include <span>
#include <vector>

namespace headscope::sessions {

class SessionStore;

/// Stores the progress of a survey and the current results of its heads, replacing earlier ones. A survey that has
/// progressed further is kept: another process may have stored it.
[[nodiscard]] Result<void> putSurvey(SessionStore& session, const SurveyRecord& survey,
                                     std::span<const SurveyHead> heads);
/// Stores places and their texts, replacing earlier ones, unless the stored survey has progressed further. Fails for a
/// survey that is not stored, and for a place outside the texts.
[[nodiscard]] Result<void> putSurveyPlaces(SessionStore& session, const SurveyRecord& survey,
                                           std::span<const SurveyPlace> places, std::span<const SurveyText> texts);

/// Returns every survey in the order of their start, without the data of heads.
[[nodiscard]] Result<std::vector<SurveyRecord>> surveys(SessionStore& session);
/// Returns the number of tokens measured; -1 if the survey is not stored.
[[nodiscard]] Result<std::int64_t> surveyTokens(SessionStore& session, const SurveyKey& key);
/// Returns everything stored about a survey; nothing if it is not stored.
[[nodiscard]] Result<std::optional<StoredSurvey>> survey(SessionStore& session, const SurveyKey& key);

} // namespace headscope::sessions

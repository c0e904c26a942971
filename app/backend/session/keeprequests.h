// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stores and reads the window's session data other than runs: names of heads, history, patterns and rankings on the
// screen, UI state, tours, answers: requests for SessionDoor.

#include "app/backend/session/sessiondoor.h"
#include "app/backend/values/recordvalues.h"
#include "sessions/answers.h"
#include "sessions/records.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

/// Adds the model's row to the session, which must exist before anything refers to it. On the session's thread.
[[nodiscard]] Result<void> ensureModel(sessions::SessionStore& session, const sessions::ModelRecord& model);

[[nodiscard]] SessionRequest<std::vector<sessions::ModelRecord>> storedModels();

[[nodiscard]] SessionRequest<std::vector<sessions::HeadLabel>> labelsOf(const std::string& modelHash);
[[nodiscard]] SessionRequest<void> keepLabels(const sessions::ModelRecord& model,
                                              const std::vector<sessions::LabelChange>& changes);

[[nodiscard]] SessionRequest<void> keepStep(const sessions::ModelRecord& model, const sessions::HistoryEntry& step);

[[nodiscard]] SessionRequest<void> keepShown(const std::vector<ShownRecords>& shown);

[[nodiscard]] SessionRequest<std::optional<std::string>> uiState(const std::string& key);
[[nodiscard]] SessionRequest<void> keepUiState(const std::string& key, const std::string& value);
/// Stores a value only if the key has none yet.
[[nodiscard]] SessionRequest<void> keepFirstUiState(const std::string& key, const std::string& value);

[[nodiscard]] SessionRequest<std::vector<sessions::TourProgress>> startedTours();
[[nodiscard]] SessionRequest<void> keepTour(const sessions::TourProgress& progress);

[[nodiscard]] SessionRequest<std::vector<sessions::Answer>> givenAnswers();
/// `exam`: in place of an earlier choice, too.
[[nodiscard]] SessionRequest<void> keepAnswer(const sessions::Answer& answer, bool exam = false);

} // namespace headscope::app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the window keeps in its session besides runs: names of heads, history, patterns and rankings on the screen, the
// window's own state, tours, answers: requests for SessionDoor.

#include "app/backend/session/sessiondoor.h"
#include "app/backend/values/recordvalues.h"
#include "sessions/answers.h"
#include "sessions/records.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

/// The model's row must be in the session before anything can name it. On the session's thread.
[[nodiscard]] Result<void> ensureModel(sessions::SessionStore& session, const sessions::ModelRecord& model);

[[nodiscard]] SessionRequest<std::vector<sessions::ModelRecord>> storedModels();

[[nodiscard]] SessionRequest<std::vector<sessions::HeadLabel>> labelsOf(const std::string& modelHash);
[[nodiscard]] SessionRequest<void> keepLabels(const sessions::ModelRecord& model,
                                              const std::vector<sessions::HeadLabel>& labels);

[[nodiscard]] SessionRequest<void> keepStep(const sessions::ModelRecord& model, const sessions::HistoryEntry& step);

[[nodiscard]] SessionRequest<void> keepShown(const std::vector<ShownRecords>& shown);

[[nodiscard]] SessionRequest<std::optional<std::string>> uiState(const std::string& key);
[[nodiscard]] SessionRequest<void> keepUiState(const std::string& key, const std::string& value);
/// Keeps it where nothing is kept under the key.
[[nodiscard]] SessionRequest<void> keepFirstUiState(const std::string& key, const std::string& value);

[[nodiscard]] SessionRequest<std::vector<sessions::TourProgress>> toursBegun();
[[nodiscard]] SessionRequest<void> keepTour(const sessions::TourProgress& progress);

[[nodiscard]] SessionRequest<std::vector<sessions::Answer>> givenAnswers();
[[nodiscard]] SessionRequest<void> keepAnswer(const sessions::Answer& answer);

} // namespace headscope::app

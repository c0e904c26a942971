// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stores experiments in the window's session and reads them: requests for SessionDoor.

#include "app/backend/session/sessiondoor.h"
#include "app/notebook/savedexperiments.h"

namespace headscope::app {

[[nodiscard]] SessionRequest<SavedExperiments> experimentsKept();
/// Stores a user's study before any of it has run.
[[nodiscard]] SessionRequest<void> keepStudy(const experiments::Experiment& study);

/// Stores requested runs that are not finished, in the format of SavedExperiments::waiting.
[[nodiscard]] SessionRequest<void> keepWaiting(std::string runs);

} // namespace headscope::app

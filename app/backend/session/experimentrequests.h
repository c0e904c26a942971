// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Experiments that the window's session keeps: requests for SessionDoor.

#include "app/backend/session/sessiondoor.h"
#include "app/notebook/savedexperiments.h"

namespace headscope::app {

[[nodiscard]] SessionRequest<SavedExperiments> experimentsKept();
/// A user's study, before anything of it was run.
[[nodiscard]] SessionRequest<void> keepStudy(const experiments::Experiment& study);

/// Runs that were asked for and are not finished, as SavedExperiments::waiting gives them back.
[[nodiscard]] SessionRequest<void> keepWaiting(std::string runs);

} // namespace headscope::app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Experiments stored in a session: the last report of each for each choice of models, and users' studies. On the
// session's thread.

#include "core/base/result.h"
#include "core/experiments/experimentreport.h"

#include <memory>
#include <string>
#include <vector>

namespace headscope::sessions {
class SessionStore;
}

namespace headscope::app {

/// The key under which a session stores requested runs that are not finished.
inline constexpr auto kWaitingExperiments = "experiments-waiting";

struct SavedExperiments {
    std::vector<experiments::Report> reports; ///< in the order of allExperiments, then studies by their ids
    std::vector<std::shared_ptr<const experiments::Experiment>> studies; ///< including those that were never run
    std::string waiting; ///< requested runs that are not finished, as written by the window
    int unread = 0;      ///< number of reports and studies of another version
};

[[nodiscard]] Result<SavedExperiments> keptExperiments(sessions::SessionStore& session);

} // namespace headscope::app

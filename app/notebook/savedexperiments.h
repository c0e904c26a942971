// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Experiments that a session keeps: the last report of each on each choice of models, and users' studies. On the
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

/// Under which a session keeps runs that were asked for and are not finished.
inline constexpr auto kWaitingExperiments = "experiments-waiting";

struct SavedExperiments {
    std::vector<experiments::Report> reports; ///< in the order of allExperiments, then studies by their ids
    std::vector<std::shared_ptr<const experiments::Experiment>> studies; ///< run or not
    std::string waiting; ///< runs that were asked for and not finished, as the window wrote it
    int unread = 0;      ///< reports and studies of a version that is not this one's
};

[[nodiscard]] Result<SavedExperiments> keptExperiments(sessions::SessionStore& session);

} // namespace headscope::app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/session/experimentrequests.h"

#include "sessions/sessionstore.h"

namespace headscope::app {

SessionRequest<SavedExperiments> experimentsKept()
{
    return [](sessions::SessionStore& session) { return keptExperiments(session); };
}

SessionRequest<void> keepStudy(const experiments::Experiment& study)
{
    return [id = study.id, json = study.study](sessions::SessionStore& session) {
        return session.setUiState(experiments::kStudies + id, json);
    };
}

SessionRequest<void> keepWaiting(std::string runs)
{
    return [runs = std::move(runs)](sessions::SessionStore& session) {
        return session.setUiState(kWaitingExperiments, runs);
    };
}

} // namespace headscope::app

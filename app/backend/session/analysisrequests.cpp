// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/session/analysisrequests.h"

#include "app/backend/session/keeprequests.h"
#include "sessions/sessionstore.h"

namespace headscope::app {

SessionRequest<void> keepAnalyses(const sessions::ModelRecord& model, const std::vector<SavedAnalysis>& analyses)
{
    return [=](sessions::SessionStore& session) -> Result<void> {
        if (auto there = ensureModel(session, model); !there.has_value())
            return there;
        for (const SavedAnalysis& analysis : analyses)
            if (auto kept = sessions::putAnalysis(session, *analysis); !kept.has_value())
                return kept;
        return {};
    };
}

SessionRequest<std::optional<sessions::AnalysisRecord>> analysisOf(const std::string& modelHash,
                                                                   const std::string& kind)
{
    return [=](sessions::SessionStore& session) { return sessions::newestAnalysis(session, modelHash, kind); };
}

} // namespace headscope::app

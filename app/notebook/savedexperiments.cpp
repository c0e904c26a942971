// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/notebook/savedexperiments.h"

#include "core/experiments/own/ownstudy.h"
#include "sessions/sessionstore.h"
#include "sessions/uistates.h"

#include <algorithm>

namespace headscope::app {

namespace {

std::ptrdiff_t placeOf(const experiments::Experiment& experiment)
{
    const auto& all = experiments::allExperiments();
    return std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.id == experiment.id; }) - all.begin();
}

} // namespace

Result<SavedExperiments> keptExperiments(sessions::SessionStore& session)
{
    const auto studies = sessions::uiStates(session, experiments::kStudies);
    if (!studies.has_value())
        return studies.error();
    const auto reports = sessions::uiStates(session, experiments::kReports);
    if (!reports.has_value())
        return reports.error();
    const auto waiting = session.uiState(kWaitingExperiments);
    if (!waiting.has_value())
        return waiting.error();
    SavedExperiments kept{.waiting = waiting->value_or("")};
    for (const auto& [key, json] : *studies) {
        auto study = experiments::ownStudy(json);
        if (study.has_value())
            kept.studies.push_back(std::move(*study));
        else
            ++kept.unread;
    }
    for (const auto& [key, json] : *reports) {
        auto report = experiments::parseReport(json);
        if (report.has_value())
            kept.reports.push_back(std::move(*report));
        else
            ++kept.unread;
    }
    std::stable_sort(kept.reports.begin(), kept.reports.end(),
                     [](const auto& a, const auto& b) { return placeOf(*a.experiment) < placeOf(*b.experiment); });
    return kept;
}

} // namespace headscope::app

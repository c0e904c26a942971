// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/session/keeprequests.h"

#include "sessions/sessionstore.h"

namespace headscope::app {

namespace {

Result<void> keepIn(sessions::SessionStore& session, const ShownRecords& shown)
{
    if (auto there = ensureModel(session, shown.model); !there.has_value())
        return there;
    if (shown.pattern)
        if (const auto kept = session.putPattern(*shown.pattern); !kept.has_value())
            return kept.error();
    for (const sessions::RankingRecord& ranking : shown.rankings)
        if (const auto kept = session.addRanking(ranking); !kept.has_value())
            return kept.error();
    return {};
}

} // namespace

Result<void> ensureModel(sessions::SessionStore& session, const sessions::ModelRecord& model)
{
    const auto known = session.model(model.hash);
    if (!known.has_value())
        return known.error();
    return *known ? Result<void>() : session.putModel(model);
}

SessionRequest<std::vector<sessions::ModelRecord>> storedModels()
{
    return [](sessions::SessionStore& session) { return session.models(); };
}

SessionRequest<std::vector<sessions::HeadLabel>> labelsOf(const std::string& modelHash)
{
    return [modelHash](sessions::SessionStore& session) { return session.labels(modelHash); };
}

SessionRequest<void> keepLabels(const sessions::ModelRecord& model, const std::vector<sessions::LabelChange>& changes)
{
    return [=](sessions::SessionStore& session) -> Result<void> {
        if (auto there = ensureModel(session, model); !there.has_value())
            return there;
        for (const sessions::LabelChange& change : changes)
            if (auto kept = session.putLabel(change); !kept.has_value())
                return kept;
        return {};
    };
}

SessionRequest<void> keepStep(const sessions::ModelRecord& model, const sessions::HistoryEntry& step)
{
    return [=](sessions::SessionStore& session) {
        const auto there = ensureModel(session, model);
        return there.has_value() ? session.addHistory(step) : there;
    };
}

SessionRequest<void> keepShown(const std::vector<ShownRecords>& shown)
{
    return [shown](sessions::SessionStore& session) -> Result<void> {
        for (const ShownRecords& each : shown)
            if (auto kept = keepIn(session, each); !kept.has_value())
                return kept;
        return {};
    };
}

SessionRequest<std::optional<std::string>> uiState(const std::string& key)
{
    return [key](sessions::SessionStore& session) { return session.uiState(key); };
}

SessionRequest<void> keepUiState(const std::string& key, const std::string& value)
{
    return [key, value](sessions::SessionStore& session) { return session.setUiState(key, value); };
}

SessionRequest<void> keepFirstUiState(const std::string& key, const std::string& value)
{
    return [key, value](sessions::SessionStore& session) -> Result<void> {
        const auto kept = session.uiState(key);
        if (!kept.has_value())
            return kept.error();
        return *kept ? Result<void>() : session.setUiState(key, value);
    };
}

SessionRequest<std::vector<sessions::TourProgress>> startedTours()
{
    return [](sessions::SessionStore& session) { return session.tours(); };
}

SessionRequest<void> keepTour(const sessions::TourProgress& progress)
{
    return [progress](sessions::SessionStore& session) { return session.setTour(progress); };
}

SessionRequest<std::vector<sessions::Answer>> givenAnswers()
{
    return [](sessions::SessionStore& session) { return sessions::answers(session); };
}

SessionRequest<void> keepAnswer(const sessions::Answer& answer, bool exam)
{
    return [=](sessions::SessionStore& session) { return sessions::putAnswer(session, answer, exam); };
}

} // namespace headscope::app

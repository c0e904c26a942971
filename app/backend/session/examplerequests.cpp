// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/session/examplerequests.h"

#include "sessions/results/bestseries.h"
#include "sessions/sessionstore.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace headscope::app {

namespace {

Result<std::shared_ptr<const ExamplePairs>> pairsIn(sessions::SessionStore& session, const StoredState& state)
{
    const auto rows = session.scores();
    if (!rows.has_value())
        return rows.error();
    const sessions::SeriesScore* now = sessions::bestSeries(*rows, state.modelHash, state.task, state.ablation);
    const sessions::SeriesScore* before = now ? sessions::baselineFor(*rows, *now) : nullptr;
    if (!before || !now)
        return std::shared_ptr<const ExamplePairs>();
    auto pairs = sessions::pairedExamples(session, before->series, now->series);
    if (!pairs.has_value())
        return pairs.error();
    return std::make_shared<const ExamplePairs>(ExamplePairs{before->series, now->series, std::move(*pairs)});
}

} // namespace

SessionRequest<std::shared_ptr<const ExamplePairs>> pairsOf(const StoredState& state)
{
    return [state](sessions::SessionStore& session) { return pairsIn(session, state); };
}

SessionRequest<std::vector<sessions::ExamplePair>> pageOf(std::shared_ptr<const ExamplePairs> pairs,
                                                          const std::vector<int>& rows)
{
    return [pairs = std::move(pairs), rows](sessions::SessionStore& session) {
        std::vector<std::int64_t> ids;
        for (const int row : rows)
            ids.push_back(pairs->pairs[static_cast<std::size_t>(row)].id);
        return sessions::examplePairs(session, pairs->before, pairs->now, ids);
    };
}

SessionRequest<std::optional<sessions::ExampleRecord>> storedExample(const std::string& hash)
{
    return [hash](sessions::SessionStore& session) { return session.example(hash); };
}

std::string storedPrompt(const sessions::ExampleRecord& example)
{
    if (!example.context.empty())
        return example.context;
    const nlohmann::json extra = nlohmann::json::parse(example.extraJson, nullptr, false);
    if (!extra.is_object() || !extra.contains("contexts"))
        return {};
    const nlohmann::json& contexts = extra["contexts"];
    return contexts.is_array() && !contexts.empty() && contexts[0].is_string() ? contexts[0].get<std::string>()
                                                                               : std::string();
}

} // namespace headscope::app

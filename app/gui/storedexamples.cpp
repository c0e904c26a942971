// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/storedexamples.h"

#include "app/gui/stored.h"
#include "app/present/scorepresenters.h"
#include "sessions/bestseries.h"
#include "sessions/rows/examplerows.h"

#include <nlohmann/json.hpp>

namespace headscope::gui {

namespace {

class StoredExamples : public widgets::ExampleSource
{
public:
    StoredExamples(sessions::SessionStore& session, sessions::SeriesKey before, sessions::SeriesKey now,
                   std::vector<sessions::PairedExample> pairs)
        : m_session(session), m_before(std::move(before)), m_now(std::move(now)), m_pairs(std::move(pairs))
    {
    }

    std::vector<widgets::FlipKind> kinds() const override
    {
        std::vector<widgets::FlipKind> kinds;
        kinds.reserve(m_pairs.size());
        for (const sessions::PairedExample& pair : m_pairs)
            kinds.push_back(widgets::flipKind(pair.before, pair.now));
        return kinds;
    }

    void read(std::vector<int> rows, Answer answer) override { answer(pageOf(rows)); }

private:
    Result<std::vector<widgets::Flip>> pageOf(const std::vector<int>& rows)
    {
        std::vector<std::int64_t> ids;
        for (const int row : rows)
            ids.push_back(m_pairs[static_cast<std::size_t>(row)].id);
        const auto read = sessions::examplePairs(m_session, m_before, m_now, ids);
        if (!read.has_value())
            return read.error();
        std::vector<widgets::Flip> page;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto& [example, before, now] = (*read)[i];
            const app::FlipRow row{.hash = example.hash,
                                   .sample = example.row,
                                   .prompt = storedPrompt(example),
                                   .gold = example.gold,
                                   .before = before.prediction,
                                   .after = now.prediction,
                                   .choices = example.continuations,
                                   .logLikelihoodsBefore = before.logLikelihoods,
                                   .logLikelihoodsAfter = now.logLikelihoods};
            widgets::Flip flip = flipOf(row, before.correct.value_or(false), now.correct.value_or(false));
            flip.exampleId = QString::fromStdString(example.hash);
            page.push_back(std::move(flip));
        }
        return page;
    }

    sessions::SessionStore& m_session;
    sessions::SeriesKey m_before, m_now;
    std::vector<sessions::PairedExample> m_pairs;
};

} // namespace

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

Result<std::shared_ptr<widgets::ExampleSource>> storedExamples(sessions::SessionStore& session,
                                                               const StoredState& state)
{
    const auto rows = session.scores();
    if (!rows.has_value())
        return rows.error();
    const sessions::SeriesScore* now = bestSeries(*rows, state.modelHash, state.task, state.ablation);
    const sessions::SeriesScore* before = now ? sessions::baselineFor(*rows, *now) : nullptr;
    if (!before || !now)
        return std::shared_ptr<widgets::ExampleSource>();
    auto pairs = sessions::pairedExamples(session, before->series, now->series);
    if (!pairs.has_value())
        return pairs.error();
    return std::shared_ptr<widgets::ExampleSource>(
        std::make_shared<StoredExamples>(session, before->series, now->series, std::move(*pairs)));
}

} // namespace headscope::gui

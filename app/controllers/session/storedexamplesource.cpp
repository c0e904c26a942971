// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/session/storedexamplesource.h"

#include "app/present/scores/scorepresenters.h"

#include <utility>

namespace headscope::gui {

namespace {

widgets::Flip flipFrom(const sessions::ExamplePair& pair)
{
    const auto& [example, before, now] = pair;
    const app::FlipRow row{.hash = example.hash,
                           .sample = example.row,
                           .prompt = app::storedPrompt(example),
                           .gold = example.gold,
                           .before = before.prediction,
                           .after = now.prediction,
                           .choices = example.continuations,
                           .logLikelihoodsBefore = before.logLikelihoods,
                           .logLikelihoodsAfter = now.logLikelihoods};
    widgets::Flip flip = flipOf(row, before.correct.value_or(false), now.correct.value_or(false));
    flip.exampleId = QString::fromStdString(example.hash);
    return flip;
}

} // namespace

std::vector<widgets::FlipKind> StoredExampleSource::kinds() const
{
    std::vector<widgets::FlipKind> kinds;
    kinds.reserve(m_pairs->pairs.size());
    for (const sessions::PairedExample& pair : m_pairs->pairs)
        kinds.push_back(widgets::flipKind(pair.before, pair.now));
    return kinds;
}

void StoredExampleSource::read(std::vector<int> rows, Answer answer)
{
    using Page = std::vector<sessions::ExamplePair>;
    m_door.ask<Page>(&m_here, app::pageOf(m_pairs, rows), [answer = std::move(answer)](const Result<Page>& read) {
        if (!read.has_value())
            return answer(read.error());
        std::vector<widgets::Flip> page;
        for (const sessions::ExamplePair& pair : *read)
            page.push_back(flipFrom(pair));
        answer(page);
    });
}

} // namespace headscope::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Explorer that keeps what is on the screen: patterns and finished rankings, so that figures can be made of
// them again without the model.
#include "app/gui/explorer.h"

#include "app/present/headspans.h"
#include "app/state/modelheads.h"
#include "core/io/revision.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace headscope::gui {

namespace {

sessions::ModelRecord recordOf(const app::ModelSummary& model)
{
    nlohmann::json layers = nlohmann::json::array();
    for (const auto& layer : model.layers) {
        nlohmann::json mixers = nlohmann::json::array();
        for (const app::MixerSummary& mixer : layer)
            mixers.push_back({{"kind", mixer.kind},
                              {"heads", mixer.heads},
                              {"kv_heads", mixer.kvHeads},
                              {"head_dim", mixer.headDim}});
        layers.push_back(mixers);
    }
    return {.hash = model.hash,
            .name = model.name,
            .source = model.path,
            .revision = io::revisionOf(model.path),
            .family = model.family,
            .dtype = model.dtype,
            .device = model.device,
            .tokenizerHash = {},
            .layers = static_cast<int>(model.layers.size()),
            .headsJson = layers.dump(),
            .parameters = model.parameters};
}

} // namespace

Result<void> Explorer::keepShown(sessions::SessionStore& session) const
{
    for (const Side side : kSides) {
        const SideState& p = at(side);
        if (!p.model || p.model->stored) // what comes from the session is there
            continue;
        if (const auto stored = keepModel(side, session); !stored.has_value())
            return stored;
        if (const auto& shown = p.pattern; shown && shown->pool == 1 && shown->request.show == app::PatternShow::Plain)
            if (const auto stored = session.putPattern(patternRecord(side)); !stored.has_value())
                return stored.error();
        if (const auto stored = keepRankings(side, session); !stored.has_value())
            return stored;
    }
    return {};
}

Result<void> Explorer::keepModel(Side side, sessions::SessionStore& session) const
{
    const auto known = session.model(at(side).model->hash);
    if (!known.has_value())
        return known.error();
    return *known ? Result<void>() : session.putModel(recordOf(*at(side).model));
}

void Explorer::keepPatterns()
{
    if (!m_session)
        return m_state.tell({.text = tr("No session is open to keep them in; File > New session makes one.")});
    const auto kept = keepShown(*m_session);
    if (!kept.has_value())
        return report(kept);
    m_state.tell(
        {.text = tr("The maps on the screen are kept in %1.").arg(QString::fromStdString(m_session->path().string()))});
}

sessions::PatternRecord Explorer::patternRecord(Side side) const
{
    const SideState& p = at(side);
    const app::PatternReply& shown = *p.pattern;
    sessions::PatternRecord record{.modelHash = p.model->hash,
                                   .dtype = p.model->dtype,
                                   .head = headName(*p.model, shown.request.head),
                                   .convention = shown.title,
                                   .ablation = shown.request.ablation.canonical(),
                                   .prompt = shown.text,
                                   .tokens = shown.prompt.tokens,
                                   .values = shown.matrix,
                                   .maxError = 0,
                                   .segments = {},
                                   .source = m_state.prompt().task};
    if (!m_state.prompt().task.empty())
        record.source += ", sample " + std::to_string(m_state.prompt().sample);
    for (const app::Span& span : shown.spans)
        record.segments.push_back({span.role, static_cast<int>(span.begin), static_cast<int>(span.end), span.target});
    return record;
}

Result<void> Explorer::keepRankings(Side side, sessions::SessionStore& session) const
{
    const SideState& p = at(side);
    std::vector<std::pair<std::string, const std::vector<app::HeadValue>*>> found = {{"exact", p.effects.get()}};
    for (const char* method : {"gather", "aggregate"})
        if (p.headScores && p.headScores->scores.contains(method))
            found.emplace_back(method, &p.headScores->scores.at(method));
    for (const auto& [method, heads] : found) {
        // One that is still running is not kept: it would say of the missing heads that they cost nothing.
        if (!heads || heads->size() != headCount(*p.model))
            continue;
        const bool exact = method == "exact";
        if (exact
            && p.effectsMethod != app::RankMethod::Exact) // a race measures its heads on differing numbers of examples
            continue;
        sessions::RankingRecord record{.uid = {},
                                       .modelHash = p.model->hash,
                                       .dtype = p.model->dtype,
                                       .device = p.model->device.substr(0, p.model->device.find(':')),
                                       .task = exact ? retrievalTask(*p.model) : m_state.prompt().task,
                                       .method = method,
                                       .ablation = {},
                                       .created = {},
                                       .n = exact ? kRankLimit : 1,
                                       .heads = {}};
        for (const app::HeadValue& head : *heads)
            record.heads.push_back({toText(head.head), head.value, head.delta, head.low, head.high});
        std::stable_sort(record.heads.begin(), record.heads.end(), [exact](const auto& a, const auto& b) {
            return exact ? a.delta < b.delta : a.value > b.value;
        });
        if (const auto added = session.addRanking(record); !added.has_value())
            return added.error();
    }
    return {};
}

} // namespace headscope::gui

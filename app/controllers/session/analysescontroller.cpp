// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/session/analysescontroller.h"

#include "app/backend/session/analysisrequests.h"
#include "app/backend/values/scoreparts.h"
#include "app/present/scores/recordpresenters.h"
#include "app/present/why/storedprobes.h"

namespace headscope::gui {

using sessions::AnalysisRecord;

AnalysesController::AnalysesController(WindowState& state, app::SessionDoor& door, app::Door& models,
                                       WhyController& why, ProbeController& probes, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_why(why), m_probes(probes)
{
    const auto put = [this](Side side, const auto& reply) {
        if (!reply->record) // there is more to come
            return;
        m_newest[indexOf(side)].insert_or_assign(reply->record->key.kind, reply->record);
        keep(m_door, side, {reply->record});
    };
    models.on<app::PatchQuestion>(this, put);
    models.on<app::EdgeQuestion>(this, put);
    models.on<app::SweepQuestion>(this, put);
    models.on<app::ScorePartsRequest>(this, put);
    models.on<app::WeightsQuestion>(this, put);
    models.on<app::ProbeQuestion>(this, put);
    connect(&state, &WindowState::modelChanged, this, [this](Side side) {
        m_newest[indexOf(side)].clear();
        readProbes(side);
    });
    connect(&door, &app::SessionDoor::opened, this, [this] {
        for (const Side side : kSides)
            readProbes(side);
    });
}

void AnalysesController::keep(app::SessionDoor& door, Side side, const std::vector<app::SavedAnalysis>& records)
{
    if (!m_state.hasModel(side) || m_state.side(side).isStored() || !door.isOpen())
        return;
    door.keep(app::keepAnalyses(modelRecord(*m_state.side(side).model), records));
}

void AnalysesController::keepIn(app::SessionDoor& door)
{
    for (const Side side : kSides) {
        if (!m_state.hasModel(side))
            continue;
        std::vector<app::SavedAnalysis> records;
        if (&door != &m_door) // which has them
            for (const auto& [kind, record] : m_newest[indexOf(side)])
                records.push_back(record);
        if (const auto lens = m_why.lens(side))
            records.push_back(lens->record);
        if (const auto parts = m_why.parts(side))
            records.push_back(parts->record);
        if (!records.empty())
            keep(door, side, records);
    }
}

// What a person measures in this window is newer than what the file holds.
void AnalysesController::readProbes(Side side)
{
    const auto& model = m_state.side(side).model;
    if (!model || !m_door.isOpen())
        return;
    using Kept = std::optional<AnalysisRecord>;
    m_door.askLatest<Kept>(this, side == Side::A ? "probes A" : "probes B", app::analysisOf(model->hash, "probe"),
                           [this, side, model](const Result<Kept>& kept) {
                               if (!kept.has_value() || !*kept || m_state.side(side).model != model
                                   || m_probes.shown(side))
                                   return;
                               if (const auto reply = probeReply(**kept, *model, side))
                                   m_probes.show(side, reply);
                           });
}

} // namespace headscope::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/session/restorecontroller.h"

#include "app/backend/session/keeprequests.h"
#include "app/controllers/models/ownfolders.h"
#include "app/present/heads/headmetrics.h"
#include "app/present/scores/recordpresenters.h"
#include "app/present/text.h"
#include "app/workbench/settings.h"

#include <algorithm>
#include <utility>

namespace headscope::gui {

using app::SessionDoor;

namespace {

constexpr int kPauseMs = 200;
constexpr auto kRestoreKey = "explorer";

/// Of a session, which anybody may have written: else what the settings say.
QString knownType(const std::string& type)
{
    return app::check({.dtype = type}).has_value() ? text(type) : QString();
}

} // namespace

RestoreController::RestoreController(WindowState& state, SessionDoor& door, app::Door& worker, ModelController& models,
                                     QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_worker(worker), m_models(models)
{
    connect(&door, &SessionDoor::closed, this, [this] {
        m_wanted = {};
        m_known = false;
    });
    connect(&door, &SessionDoor::opened, this, &RestoreController::opened);
    connect(&door, &SessionDoor::problem, &state,
            [&state](const QString& sentence) { state.notify({.kind = Message::Kind::Error, .text = sentence}); });
    connect(&models, &ModelController::restoreFailed, this, &RestoreController::failed);
    connectState();
}

void RestoreController::connectState()
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMs);
    connect(&m_pause, &QTimer::timeout, this, &RestoreController::keepView);
    const auto later = [this] { m_pause.start(); };
    connect(&m_state, &WindowState::modelChanged, this, later);
    connect(&m_state, &WindowState::ablationChanged, this, later);
    connect(&m_state, &WindowState::headChanged, this, later);
    connect(&m_state, &WindowState::metricChanged, this, later);
    connect(&m_state, &WindowState::promptChanged, this, later);
    connect(&m_state, &WindowState::followedChanged, this, later);
    connect(&m_state, &WindowState::pinnedChanged, this, later);
    connect(&m_state, &WindowState::ablationChanged, this, &RestoreController::keepStep);
    connect(&m_state, &WindowState::modelChanged, this, &RestoreController::modelArrived);
}

void RestoreController::showError(const Error& error)
{
    if (error.kind != Error::Kind::Cancelled) // another session is open
        m_state.showError(error);
}

void RestoreController::opened()
{
    m_known = !m_restore;
    if (m_known)
        return;
    m_door.ask<std::optional<std::string>>(this, app::uiState(kRestoreKey), [this](const auto& stored) {
        if (!stored.has_value()) // another session is open by now, or nothing is known of this one
            return showError(stored.error());
        m_known = true;
        if (*stored)
            restore(viewFrom(**stored));
        else if (m_named == 0)
            restoreModels();
        m_named = 0;
    });
}

void RestoreController::restore(const SavedView& view)
{
    m_state.setUnfollowed(view.unfollowed);
    m_state.setPinned(view.pinned);
    m_state.setPrompt({.text = view.prompt, .turns = view.turns});
    if (!view.task.empty())
        m_worker.ask(app::SampleRequest{view.task, view.sample});
    for (const Side side : kSides)
        if (const auto& wanted = view.sides[indexOf(side)])
            m_named > 0 ? restoreBesideNamed(side, *wanted) : open(side, *wanted);
}

// A named model takes the place of the session's; where it is the same one, it is shown as it was.
void RestoreController::restoreBesideNamed(Side side, SavedSide wanted)
{
    if (indexOf(side) >= static_cast<std::size_t>(m_named))
        return;
    wanted.named = true;
    m_wanted[indexOf(side)] = std::move(wanted);
    modelArrived(side);
}

void RestoreController::restoreModels()
{
    m_door.ask<std::vector<sessions::ModelRecord>>(this, app::storedModels(), [this](const auto& models) {
        if (!models.has_value())
            return showError(models.error());
        for (std::size_t i = 0; i < std::min<std::size_t>(2, models->size()); ++i)
            open(i == 0 ? Side::A : Side::B, {.model = (*models)[i].source, .hash = (*models)[i].hash});
    });
}

void RestoreController::open(Side side, const SavedSide& wanted)
{
    m_wanted[indexOf(side)] = wanted;
    if (isOwnModel(text(wanted.model)))
        m_models.restore(side, text(wanted.model), knownType(wanted.type));
    else if (!wanted.hash.empty())
        Q_EMIT modelGone(side, wanted.hash); // what the session holds is shown, and he says where the model is
    else
        m_state.notify(
            {.kind = Message::Kind::Warning,
             .text = tr("The session uses a model at %1, which you have not opened before; open it only if you "
                        "trust the source of the session.")
                         .arg(text(wanted.model))});
}

void RestoreController::failed(Side side, const QString& sentence)
{
    const auto& wanted = m_wanted[indexOf(side)];
    const SideState& now = m_state.side(side);
    if (wanted && !wanted->hash.empty() && (!now.model || now.isStored()))
        Q_EMIT modelGone(side, wanted->hash);
    else
        m_state.notify({.kind = Message::Kind::Error, .text = sentence});
}

void RestoreController::modelArrived(Side side)
{
    if (!m_state.hasModel(side) || m_state.side(side).isStored())
        return;
    const auto wanted = std::exchange(m_wanted[indexOf(side)], std::nullopt);
    if (!wanted)
        return;
    const app::ModelSummary& model = *m_state.side(side).model;
    const bool other = !wanted->hash.empty() && wanted->hash != model.hash;
    if (other && wanted->named)
        return m_state.notify({.text = tr("Showing %1 from the command line in place of the session's model, %2.")
                                           .arg(text(model.name), text(wanted->model).section(u'/', -1))});
    if (other)
        m_state.notify(
            {.kind = Message::Kind::Warning,
             .text = tr("%1 has other weights than the model of this session (%2, not %3); stored results do not "
                        "apply to it.")
                         .arg(text(model.name), text(model.hash.substr(0, 12)), text(wanted->hash.substr(0, 12)))});
    m_applying = true;
    // The same model may already be open with another ablation. Saved views have a metric; a model that is only listed
    // in the session has no saved ablation.
    const bool left = !wanted->metric.empty() || !wanted->ablation.empty();
    if (left && wanted->ablation != m_state.side(side).ablation)
        m_state.setAblation(side, wanted->ablation);
    if (wanted->head)
        m_state.setHead(side, *wanted->head);
    if (isHeadMetric(text(wanted->metric)))
        m_state.setMetric(side, wanted->metric);
    m_applying = false;
}

void RestoreController::keepStep(Side side)
{
    const auto& model = m_state.side(side).model;
    const std::string set = m_state.side(side).ablation.canonical();
    if (model && !m_applying)
        m_door.keep(app::keepStep(modelRecord(*model), {.label = set, .modelHash = model->hash, .ablation = set}));
}

void RestoreController::saveNow()
{
    if (!m_pause.isActive())
        return;
    m_pause.stop();
    if (m_known)
        keepView();
    else // closed before the session was read: what another window left there is worth more
        m_door.keep(app::keepFirstUiState(kRestoreKey, viewText(savedView(m_state))));
}

void RestoreController::keepView()
{
    if (!m_door.isOpen())
        return;
    if (!m_known)
        return m_pause.start();
    SavedView view = savedView(m_state);
    for (const Side side : kSides)
        if (const auto& wanted = m_wanted[indexOf(side)];
            wanted && (!view.sides[indexOf(side)] || m_state.side(side).isStored())) // still loading, or missing
            view.sides[indexOf(side)] = wanted;
    m_door.keep(app::keepUiState(kRestoreKey, viewText(view)));
}

} // namespace headscope::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/session/storedexamplescontroller.h"

#include "app/controllers/session/storedexamplesource.h"
#include "app/present/scores/tasknames.h"
#include "app/present/text.h"

namespace headscope::gui {

using app::SessionDoor;
using widgets::FlipKind;

StoredExamplesController::StoredExamplesController(WindowState& state, SessionDoor& door, widgets::FlipsView& view,
                                                   widgets::ScoreboardView& board, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_view(view), m_board(board)
{
    connect(&door, &SessionDoor::closed, &view, [&view] { view.setExamples({}, nullptr); }); // its rows were read there
    for (const auto changed : {&WindowState::scoresChanged, &WindowState::ablationChanged})
        connect(&state, changed, this, [this](Side side) {
            if (side == m_state.activeSide())
                request();
        });
    connect(&state, &WindowState::activeSideChanged, this, &StoredExamplesController::request);
    connect(&state, &WindowState::examplesTaskChanged, this, &StoredExamplesController::request);
    connect(&view, &widgets::FlipsView::exampleActivated, this, [this](const QString& hash) {
        if (m_state.side(m_state.activeSide()).isStored())
            usePrompt(hash);
    });
}

void StoredExamplesController::request()
{
    const Side side = m_state.activeSide();
    const SideState& now = m_state.side(side);
    const std::string task = m_state.examplesTask(side);
    if (!now.isStored() || !m_door.isOpen() || task.empty())
        return;
    using Pairs = std::shared_ptr<const app::ExamplePairs>;
    if (now.ablation.empty())
        return arrived(task, {}); // nothing can flip against itself
    m_door.askLatest<Pairs>(this, "examples", app::pairsOf({now.model->hash, task, now.ablation.canonical()}),
                            [this, side, task, now = m_state.stateOf(side)](const Result<Pairs>& pairs) {
                                if (side != m_state.activeSide() || now != m_state.stateOf(side)
                                    || !m_state.side(side).isStored())
                                    return;
                                if (pairs.has_value())
                                    arrived(task, *pairs);
                                else if (pairs.error().kind != Error::Kind::Cancelled)
                                    m_state.showError(pairs.error());
                            });
}

void StoredExamplesController::arrived(const std::string& task, const std::shared_ptr<const app::ExamplePairs>& pairs)
{
    m_view.setExamples(taskTitle(text(task)), pairs ? std::make_shared<StoredExampleSource>(m_door, pairs) : nullptr);
    const widgets::FlipsModel& rows = *m_view.model();
    m_board.setFlips(pairs ? static_cast<int>(rows.count(FlipKind::Broken) + rows.count(FlipKind::Fixed)) : -1);
}

void StoredExamplesController::usePrompt(const QString& exampleHash)
{
    using Example = std::optional<sessions::ExampleRecord>;
    m_door.askLatest<Example>(
        this, "prompt", app::storedExample(exampleHash.toStdString()), [this](const Result<Example>& example) {
            if (!example.has_value())
                return m_state.showError(example.error());
            if (*example)
                m_state.changePrompt({.text = app::storedPrompt(**example)}, tr("Change the prompt"));
        });
}

} // namespace headscope::gui

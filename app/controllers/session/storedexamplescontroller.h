// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lists the examples whose answers changed in a stored state, and makes one the prompt: the counterpart of
// FlipsController for models that are not on this machine. GUI thread.

#include "app/backend/session/examplerequests.h"
#include "app/state/windowstate.h"
#include "widgets/scores/flipsview.h"
#include "widgets/scores/scoreboardview.h"

#include <QObject>

#include <memory>

namespace headscope::gui {

class StoredExamplesController : public QObject
{
    Q_OBJECT

public:
    StoredExamplesController(WindowState& state, app::SessionDoor& door, widgets::FlipsView& view,
                             widgets::ScoreboardView& board, QObject* parent);

private:
    void request();
    void arrived(const std::string& task, const std::shared_ptr<const app::ExamplePairs>& pairs);
    void usePrompt(const QString& exampleHash);

    WindowState& m_state;
    app::SessionDoor& m_door;
    widgets::FlipsView& m_view;
    widgets::ScoreboardView& m_board;
};

} // namespace headscope::gui

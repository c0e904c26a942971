// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lets the open models continue the prompt with their current ablations, and again after a change. GUI
// thread.

#include "app/backend/door.h"
#include "app/controllers/prompt/promptgrowth.h"
#include "app/state/windowstate.h"
#include "widgets/prompt/continuationview.h"

#include <QObject>

namespace headscope::gui {

class ContinuationController : public QObject
{
    Q_OBJECT

public:
    ContinuationController(WindowState& state, app::Door& door, widgets::ContinuationView& view, QObject* parent);
    /// Continues the prompt with every open model.
    void start();

private:
    void start(Side side);
    void stop();
    void promptChanged();
    void finish(Side side, const QString& note);
    void partArrived(Side side, const app::ContinuationPart& part);
    void takeOver(const QString& text);

    WindowState& m_state;
    app::Door& m_door;
    widgets::ContinuationView& m_view;
    PromptGrowth m_growth; ///< if the text is appended to the prompt as it is generated
};

} // namespace headscope::gui

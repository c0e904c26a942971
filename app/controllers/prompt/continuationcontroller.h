// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lets the models that are open write on after the prompt, with their heads as they are, and again when a head changes.
// GUI thread.

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
    PromptGrowth m_growth; ///< where the person wants the text in the prompt as it appears
};

} // namespace headscope::gui

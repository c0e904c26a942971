// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One step of the undo stack: the prompt before and after. Continuous typing is merged into one step. GUI thread.

#include "app/state/windowstate.h"

#include <QUndoCommand>

namespace headscope::gui {

class PromptCommand : public QUndoCommand
{
public:
    PromptCommand(WindowState& state, app::Prompt before, app::Prompt after, const QString& what, bool typed);
    void undo() override;
    void redo() override;
    int id() const override;
    bool mergeWith(const QUndoCommand* next) override;

private:
    WindowState& m_state;
    app::Prompt m_before, m_after;
    bool m_typed;
};

} // namespace headscope::gui
